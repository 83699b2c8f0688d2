"""Offloaders and session memory, told from recorded runs, against what was observed."""

import json
import shutil
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.opened import Opened, open_traces
from tests.copies import copied

FAMILY = ("MessageSummaryOffloader", "SessionMemory", "SessionMemoryCompressor")
NOT_SHOWN = {"ttl_occupancy_low"}


def runs() -> list[str]:
    folder = Path(__file__).parents[3] / "shared" / "dumps"
    return sorted(path.parent.name for path in folder.glob("*/truth.json"))


def told(opened: Opened) -> Iterator[Decision]:
    for trace in opened.traces:
        yield from map(trace.decision, range(len(trace.decisions)))


def observed(folder: Path) -> list[dict[str, Any]]:
    decisions = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["decisions"]
    return [
        d
        for d in decisions
        if d["processor"] in FAMILY
        and d.get("family") != "legacy"
        and d.get("reason") not in NOT_SHOWN
    ]


def key(processor: str, call_id: str | None, phase: str) -> tuple[str, str, str]:
    return processor, call_id or "", phase


@pytest.mark.parametrize("run", runs())
def test_the_files_tell_what_happened(shared: Path, run: str) -> None:
    folder = shared / "dumps" / run
    said: dict[tuple[str, str, str], deque[Decision]] = defaultdict(deque)
    for decision in told(open_traces([folder / "workspace"])):
        if decision.processor in FAMILY and decision.records and decision.tokens:
            said[key(decision.processor, decision.tool_call_id, decision.phase)].append(decision)
        elif decision.phase == "update":
            said[key(decision.processor, None, "update")].append(decision)
    if run == "o_legacy_chain":
        said.clear()  # the older class of the same name, which leaves files only
    for truth in observed(folder):
        decision = said[
            key(truth["processor"], truth.get("tool_call_id"), truth["phase"])
        ].popleft()
        check_outcome(decision, truth)
        check_time(decision, truth)
    assert not any(said.values())


def check_outcome(decision: Decision, truth: dict[str, Any]) -> None:
    reason = truth["reason"].removeprefix("ttl ")
    expected = {
        "offloaded": ("offloaded", reason if "rule:" in reason else None),
        "noop": ("declined", "protected_tool"),
        "cut_without_copy": ("cut", "write_failed"),
        "declined": ("declined", reason),
    }
    outcome, why = expected.get(truth["outcome"], (truth["outcome"], None))
    assert (decision.outcome, decision.reason) == (outcome, why)
    if decision.tokens is None:
        return
    if truth["processor"] == "MessageSummaryOffloader":
        tokens = truth.get("before_tokens", truth.get("message_tokens"))
        assert (decision.tokens.before, decision.tokens.threshold) == (tokens, truth["threshold"])
        assert decision.tokens.after == truth.get("after_tokens")
    else:
        assert (decision.tokens.total, decision.tokens.threshold) == (
            truth["total_tokens"],
            truth["threshold"],
        )


def check_time(decision: Decision, truth: dict[str, Any]) -> None:
    if decision.step is not None:
        # what is done while messages are added belongs to the request that follows
        follows = decision.phase == "add_messages"
        assert decision.step == truth["window"] + follows
    if decision.time is not None:
        assert decision.time == pytest.approx(truth["at"], abs=0.5)
    else:
        assert decision.after is None or decision.after <= truth["at"] + 0.05
        assert decision.before is None or decision.before >= truth["at"]


@pytest.mark.parametrize("run", ["n_react_agent", "n_deep_agent_preset", "h_session_memory_direct"])
def test_requests_tell_the_step_of_every_result(shared: Path, run: str) -> None:
    opened = open_traces([shared / "dumps" / run / "workspace"])
    added = [d for d in told(opened) if d.phase == "add_messages"]
    assert len(added) > 30
    assert sum(d.step is None for d in added) <= 2  # no request follows the last ones


def details(opened: Opened) -> Iterator[tuple[Decision, Detail]]:
    for trace in opened.traces:
        for row in range(len(trace.decisions)):
            yield trace.decision(row), trace.detail(row)


def test_originals_and_rules_are_shown(shared: Path) -> None:
    opened = open_traces([shared / "dumps" / "e_offloader_rules" / "workspace"])
    shown = [(d, x) for d, x in details(opened) if d.outcome == "offloaded"]
    assert len(shown) == 19
    assert Counter(x.rule.rule for _d, x in shown if x.rule) == {
        "LOG": 2,
        "JSON_ARRAY": 4,
        "GIT_DIFF": 2,
        "HTML": 2,
        "SEARCH_RESULTS": 3,
        "PLAIN_TEXT": 1,
    }
    truth = {d.get("tool_call_id"): d for d in observed(shared / "dumps" / "e_offloader_rules")}
    for decision, detail in shown:
        [view] = detail.stored
        [original] = view.originals
        assert view.payload.where == "found"
        assert detail.windows is not None
        [row] = detail.windows.rows
        assert row.before is not None
        assert row.after is not None
        assert (row.fate, row.changed) == ("offloaded", True)
        assert row.before.content == original.content
        # what took its place is as long as it was, though no file holds the cut text
        assert len(row.after.content) == truth[decision.tool_call_id]["after_chars"]


def test_a_cut_result_shows_what_is_left(shared: Path) -> None:
    opened = open_traces([shared / "dumps" / "l_lone_surrogate" / "workspace"])
    [(_decision, detail)] = [(d, x) for d, x in details(opened) if d.outcome == "cut"]
    assert [view.payload.where for view in detail.stored] == ["empty"]
    assert any("no file holds the original" in note for note in detail.notes)


def test_a_lost_original_is_said_to_be_gone(shared: Path, tmp_path: Path) -> None:
    source = shared / "dumps" / "n_react_agent" / "workspace"
    copy = copied(source, tmp_path / "ws")
    for path in copy.rglob("MessageSummaryOffloader_*.json"):
        path.unlink()
    where: Counter[str] = Counter()
    for decision, detail in details(open_traces([copy])):
        where.update(view.payload.where for view in detail.stored)
        if decision.outcome == "offloaded":
            assert any("the original is gone" in note for note in detail.notes)
            assert all(Path(view.payload.path or "").parent.is_dir() for view in detail.stored)
    assert set(where) == {"dangling"}


def test_requests_are_shown_beside_those_before(shared: Path) -> None:
    [trace] = open_traces([shared / "dumps" / "n_react_agent" / "workspace"]).traces
    assert trace.change(1) is None
    fates: Counter[str] = Counter()
    requested = [step for step, _ in trace.requests()]
    assert requested == trace.steps.number.tolist()
    for step in requested[1:]:
        change = trace.change(step)
        assert change is not None
        fates.update(row.fate for row in change.rows)
    assert fates["added"] > 50
    assert fates["written"] >= 6  # a memory block for each compression
    assert fates["kept"] > 200
    row = next(r for r in range(len(trace.decisions)) if trace.decision(r).step == 2)
    assert trace.detail(row).changes == trace.change(2)


def test_everything_in_one_folder_tells_the_same(shared: Path, tmp_path: Path) -> None:
    source = shared / "dumps" / "n_react_agent" / "workspace"
    for path in source.rglob("*"):
        if path.is_file() and "_context" in str(path):
            shutil.copyfile(path, tmp_path / path.name)
    expected = Counter((d.processor, d.outcome, d.reason) for d in told(open_traces([source])))
    found = Counter((d.processor, d.outcome, d.reason) for d in told(open_traces([tmp_path])))
    assert found == expected
