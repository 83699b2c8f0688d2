"""Branches: the same up to a step, another conversation or other settings from there on."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.digest import message_digest
from inspector.replay.cases.turn import MessageChange, Turn
from inspector.replay.reports.report import make_report
from inspector.replay.reports.report_trace import ReportTrace
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.branch import branched, settings_at
from inspector.replay.runs.restart import common_head
from inspector.replay.runs.run import Run, Step
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import edited
from tests.swept import KEEP, RATIO, small_case

PARENT = small_case()
REPLY = {"role": "user", "content": "Something else."}


def run(case: Case, **options: Any) -> Run:
    return asyncio.run(replay(case, **options))


def windows(ran: Run) -> list[Step]:
    return [step for step in ran.steps if step.window is not None]


def contents(step: Step) -> list[str]:
    assert step.window is not None
    return [message.text for message in step.window.messages]


def branch(step: int, *changes: MessageChange, **settings: Any) -> Case:
    named = {RATIO: settings["ratio"]} if "ratio" in settings else {}
    return branched(PARENT, Turn(step=step, messages=list(changes), settings=named), "branch")


def test_a_branch_names_its_parent_and_leaves_it_alone() -> None:
    before = PARENT.model_dump()
    made = branch(3, MessageChange(position=0))
    assert (made.id, made.parent, PARENT.parent) == ("branch", "small", None)
    assert PARENT.model_dump() == before
    again = branched(made, Turn(step=2, settings={KEEP: 0}), "twig")
    assert (again.parent, [turn.step for turn in again.turns]) == ("branch", [2, 3])


@given(step=st.integers(1, 6), position=st.integers(0, 1), drops=st.booleans())
def test_what_lies_before_the_step_stays_as_it_was(step: int, position: int, drops: bool) -> None:
    there = len(windows(run(PARENT))[step - 1].before)
    made = branch(step, MessageChange(position=position, message=None if drops else REPLY))
    if position >= there:
        with pytest.raises(CaseError, match=f"step {step}: there is no message {position}"):
            run(made)
        return
    old, new = windows(run(PARENT)), windows(run(made))
    assert [contents(s) for s in new[: step - 1]] == [contents(s) for s in old[: step - 1]]
    before = [message.text for message in old[step - 1].before]
    before[position : position + 1] = [] if drops else ["Something else."]
    assert [message.text for message in new[step - 1].before] == before


def test_an_edited_message_is_what_later_windows_hold() -> None:
    made = branch(2, MessageChange(position=0, message=REPLY))
    texts = [contents(step)[0] for step in windows(run(made))[:2]]
    assert texts == ["Never rename column c0. Read /srv/0.py", "Something else."]


def test_a_message_that_was_summarised_can_be_edited_as_its_summary() -> None:
    compressed = next(step for step in windows(run(PARENT)) if step.outcomes)
    assert compressed.number is not None
    made = branch(compressed.number + 1, MessageChange(position=0, message=REPLY))
    assert contents(windows(run(made))[compressed.number])[0] == "Something else."


def test_settings_hold_from_the_step_on() -> None:
    last = len(windows(run(PARENT)))
    made = branch(last, ratio=0.9)
    old, new = RunTrace(run(PARENT)), RunTrace(run(made))
    thresholds = [new.decisions.threshold[row] for row in range(len(new.decisions))]
    assert set(thresholds[:-1]) == {500}
    assert thresholds[-1] == 900
    assert len(old.decisions) == len(new.decisions)
    assert settings_at(made, last - 1).processors == PARENT.processors
    assert settings_at(made, last).processors[0][1]["trigger_context_ratio"] == 0.9


def test_the_capacity_can_change_on_the_way() -> None:
    turn = Turn(step=2, settings={"engine.context_window_tokens": 5000})
    ran = run(branched(PARENT, turn, "b"))
    capacities = [step.window.capacity for step in windows(ran) if step.window]
    assert capacities[:2] == [1000, 5000]
    trace = ReportTrace(make_report(ran))
    assert {trace.decisions.threshold[row] for row in range(len(trace.decisions))} == {500, 2500}


def test_the_least_target_is_that_of_the_step() -> None:
    turn = Turn(step=2, settings={"RoundLevelCompressor.min_target_context_ratio": 0.95})
    trace = RunTrace(run(branched(PARENT, turn, "b")))
    declined = [trace.decision(row) for row in range(len(trace.decisions))]
    assert [d.reason for d in declined][-1] == "target_below_min"
    gate = next(gate for gate in declined[-1].gates if gate.gate == "min_target")
    assert gate.limit == 950


def test_recorded_answers_are_found_on_a_branch_too() -> None:
    base = small_case(replies=[{"content": f"recorded {i}"} for i in range(4)])
    made = branched(base, Turn(step=4, settings={RATIO: 0.9}), "b")
    first = [o.summarizers for step in run(made, base=base).steps for o in step.outcomes]
    assert first[0] == ["recorded"]


def test_another_message_than_was_meant_is_refused() -> None:
    [message] = windows(run(PARENT))[0].before
    right = MessageChange(position=0, message=REPLY, was=message_digest(message))
    assert run(branch(1, right)).steps
    wrong = MessageChange(position=0, message=REPLY, was="0" * 16)
    with pytest.raises(CaseError, match="step 1: message 0 is another one"):
        run(branch(1, wrong))


def test_a_step_that_never_comes_is_said() -> None:
    with pytest.raises(CaseError, match="at step 99, but only 6 windows"):
        run(branch(99, MessageChange(position=0)))
    assert run(branch(99), cancelled=lambda: True).cancelled


def test_a_setting_that_does_not_exist_is_refused_at_once() -> None:
    with pytest.raises(CaseError, match="has no setting nonsense"):
        branched(PARENT, Turn(step=1, settings={"RoundLevelCompressor.nonsense": 1}), "b")


def test_a_branch_runs_from_the_start_whatever_was_run_before() -> None:
    made = branch(3, ratio=0.9)
    assert not common_head(run(PARENT), made).steps
    assert not common_head(run(made), edited(made, [], 5000)).steps


def test_a_head_with_another_capacity_knows_it() -> None:
    wide = edited(PARENT, [], 5000)
    steps = common_head(run(wide), edited(PARENT, [], 6000)).steps
    assert {step.window.capacity for step in steps if step.window} == {6000}


def test_a_branch_is_a_case_like_any_other() -> None:
    made = branch(3, MessageChange(position=1, message=REPLY), ratio=0.6)
    read = Case.model_validate_json(made.model_dump_json())
    assert read == made
    told = [[contents(step) for step in windows(run(case))] for case in (made, read)]
    assert told[0] == told[1]


def test_a_second_turn_at_a_step_changes_what_the_first_left() -> None:
    first = branch(4, MessageChange(position=0))
    step = next(step for step in run(first).steps if step.number == 4)
    meant = MessageChange(position=0, was=message_digest(step.before[0]))
    second = branched(first, Turn(step=4, messages=[meant]), "second")
    again = next(step for step in run(second).steps if step.number == 4)
    left, kept = ([message_digest(message) for message in s.before] for s in (again, step))
    assert left == kept[1:]
    assert second.parent == "branch"
