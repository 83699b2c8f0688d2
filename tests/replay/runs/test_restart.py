"""Beginning a replay behind what its settings cannot change: it ends as a whole one does."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.replay.cases.case import Case
from inspector.replay.recovery.export import export_case
from inspector.replay.runs.restart import common_head
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import Edit, edited
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording
from tests.replay.runs.test_runner import CASES, case
from tests.replay.runs.test_runner import told as told_by_report

TRIGGER = "trigger_context_ratio"


def run(case: Case, **options: Any) -> Run:
    return asyncio.run(replay(case, **options))


def told(run: Run) -> Any:
    """Return a report whose windows list all their messages, whichever objects they are."""
    report = told_by_report(run)
    shown: list[str] = []
    for step in report["steps"]:
        messages = (step["window"] or {}).get("messages")
        if messages is not None:
            shown = [*shown[: messages.pop("same_as_previous")], *messages["then"]]
            messages["then"] = shown
    return report


def from_the_change(baseline: Run, case: Case) -> Run:
    """Replay a case from the first step that it may change in a run."""
    head = common_head(baseline, case)
    return run(case, base=baseline.case, cassette=baseline.cassette, head=head)


@settings(max_examples=100)
@given(CASES, st.data())
def test_it_ends_as_a_whole_replay_does(case: Case, data: st.DataObject) -> None:
    edits = []
    for name, own in case.processors:
        field = data.draw(st.sampled_from(sorted(own)))
        value = data.draw(st.sampled_from([0, 1, 4] if "keep" in field else [0.01, 0.3, 0.77]))
        edits += [Edit(name, field, value)] if data.draw(st.booleans()) else []
    capacity = data.draw(st.none() | st.sampled_from([500, 1000, 4000]))
    other = edited(case, edits, capacity)
    baseline = run(case)
    whole = run(other, base=case, cassette=baseline.cassette)
    assert told(from_the_change(baseline, other)) == told(whole)


@pytest.fixture(scope="module")
def recorded(shared: Path) -> Run:
    trace = open_traces([str(shared / "dumps" / "d_full_chain" / "workspace")]).traces[0]
    assert isinstance(trace, Recording)
    return run(export_case(trace).case)


@pytest.mark.parametrize("ratio", [0.76, 0.81, 0.95])
def test_a_recorded_run_goes_on_from_the_first_change(recorded: Run, ratio: float) -> None:
    for owner in ("DialogueCompressor", "CurrentRoundCompressor"):
        other = edited(recorded.case, [Edit(owner, TRIGGER, ratio)])
        assert len(common_head(recorded, other).steps) > 5
        whole = run(other, base=recorded.case, cassette=recorded.cassette)
        assert told(from_the_change(recorded, other)) == told(whole)


def test_the_very_same_case_begins_at_the_start_where_its_first_reply_belongs() -> None:
    base = case(mode="each")
    assert common_head(run(base), base).steps == ()


def test_steps_taken_over_are_told_with_the_new_threshold() -> None:
    base = case(mode="each")
    other = edited(base, [Edit("RoundLevelCompressor", TRIGGER, 0.55)])
    head = common_head(run(base), other)
    assert [step.number for step in head.steps] == [1]
    assert {getattr(record, "threshold", 0) for record in head.steps[0].records} == {550}
    assert [message.text for message in head.buffer] == ["first"]


def test_a_processor_that_is_off_is_no_hindrance() -> None:
    chain: list[Any] = [["SessionMemoryCompressor", {}], ["RoundLevelCompressor", {TRIGGER: 0.5}]]
    base = case(mode="each", processors=chain)
    other = edited(base, [Edit("RoundLevelCompressor", TRIGGER, 0.55)])
    assert common_head(run(base), other).steps
    on = edited(other, [Edit("SessionMemoryCompressor", "enabled", True)])
    assert not common_head(run(base), on).steps


@pytest.mark.parametrize(
    "fields",
    [
        {"actions": [{"do": "window"}]},
        {"processors": [["MessageOffloader", {}], ["RoundLevelCompressor", {TRIGGER: 0.5}]]},
        {"engine": {"max_context_message_num": 3}},
        {"recall": True},
    ],
    ids=["actions", "other processors", "a forgetful buffer", "archives"],
)
def test_what_keeps_more_than_messages_is_replayed_whole(fields: dict[str, Any]) -> None:
    base = case(mode="each", **fields)
    other = edited(base, [Edit("RoundLevelCompressor", TRIGGER, 0.9)])
    assert not common_head(run(base), other).steps


def test_another_chain_is_replayed_whole() -> None:
    base = case(mode="each")
    assert not common_head(run(base), edited(base, [], chain=[])).steps
    without_model = edited(base, [Edit("RoundLevelCompressor", "model", None)])
    assert not common_head(run(base), without_model).steps
