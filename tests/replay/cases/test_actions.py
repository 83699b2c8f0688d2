"""Actions of a case: what each does, and what its step says."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.case_file import load_case
from inspector.replay.reports.expectation import differences
from inspector.replay.reports.report import StepReport, make_report
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay

LONG = [
    {"role": "user", "content": "first " * 60},
    {"role": "assistant", "content": "a" * 900},
    {"role": "user", "content": "second"},
    {"role": "assistant", "content": "b" * 300},
]
ROUND = ["RoundLevelCompressor", {"keep_recent_messages": 1, "trigger_context_ratio": 0.9}]
REPLY = {"content": "<state_snapshot>S</state_snapshot>"}


def run(actions: list[dict[str, Any]], **case: Any) -> Run:
    """Replay a case whose messages are added at once, without a window."""
    messages = case.setdefault("messages", LONG)
    data = {"groups": [[len(messages), False]], "context_window_tokens": 2000, **case}
    return asyncio.run(replay(Case.model_validate({**data, "actions": actions})))


def steps(made: Run) -> list[StepReport]:
    return [step for step in make_report(made).steps if step.kind.startswith("action:")]


def told(made: Run) -> list[tuple[str, int, Any, int | None]]:
    """Return kind, messages added so far, result and buffer length of each action."""
    return [(s.kind, s.added, s.result, s.buffer_messages) for s in steps(made)]


def test_window_add_and_pop() -> None:
    made = run(
        [
            {"do": "window", "kwargs": {"window_size": 2}},
            {"do": "add", "messages": [{"role": "user", "content": "more"}]},
            {"do": "pop", "size": 3},
            {"do": "pop", "size": 9},
            {"do": "window"},
        ],
        window_kwargs={"window_size": 1},
    )
    assert told(made) == [
        ("action:window", 4, None, 4),
        ("action:add", 5, None, 5),
        ("action:pop", 5, 3, 2),
        ("action:pop", 5, 2, 0),
        ("action:window", 5, None, 0),
    ]
    first, last = (step.window for step in (steps(made)[0], steps(made)[-1]))
    assert first is not None
    assert (first.context_messages_before, first.roles) == (4, "ua")
    assert last is not None, "the limits of the case's own requests do not hold for actions"
    assert last.roles == ""


def test_compress_tells_how_it_ended() -> None:
    busy, compressed, nothing_left, nobody = steps(
        run(
            [
                {"do": "compress", "busy": True},
                {"do": "compress", "kwargs": {"preserve_instruction": "the port"}},
                {"do": "compress"},
                {"do": "compress", "processor_types": ["DialogueCompressor"]},
            ],
            processors=[ROUND],
            replies=[REPLY],
        )
    )
    assert (busy.result, busy.buffer_messages) == ("busy", 4)
    assert [(s.processor, s.status, s.phase, s.after) for s in busy.states] == [
        ("", "skipped", "active_compress", None)
    ]
    assert (compressed.result, compressed.buffer_messages) == ("compressed", 2)
    assert [s.status for s in compressed.states] == ["started", "completed"]
    assert [record["event"] for record in compressed.decisions] == ["span_built"]
    assert len(compressed.llm) == 1
    assert nothing_left.result == "noop"
    assert [s.status for s in nothing_left.states] == ["started", "noop"]
    assert (nobody.result, [s.status for s in nobody.states]) == ("noop", ["skipped"])


def test_notes_are_written_and_their_anchor_is_a_message_of_the_buffer() -> None:
    made = run(
        [
            {"do": "notes", "text": "NOTES", "upto_index": None},
            {"do": "window"},
            {"do": "notes", "text": "NOTES", "upto_index": 99},
            {"do": "window"},
        ],
        processors=[["SessionMemoryCompressor", {"enabled": True, "trigger_context_ratio": 0.1}]],
    )
    without, with_anchor = (step for step in steps(made) if step.kind == "action:window")
    assert len(without.decisions) == 1, "no anchor: the ratio is reached and nothing follows"
    assert not without.states
    assert len(with_anchor.decisions) == 2
    assert [s.status for s in with_anchor.states] == ["started", "completed"]
    assert with_anchor.files == [], "what the case itself writes is no file of the engine"
    [block] = made.final_messages
    assert block.text.startswith("<memory_block_session>")


@pytest.mark.parametrize(("index", "left"), [(0, 4), (-1, 1), (-4, 4), (-99, 4), (2, 2)])
def test_an_anchor_is_counted_as_in_python(index: int, left: int) -> None:
    made = run(
        [{"do": "notes", "text": "NOTES", "upto_index": index}, {"do": "window"}],
        processors=[["SessionMemoryCompressor", {"enabled": True, "trigger_context_ratio": 0.1}]],
    )
    assert len(made.final_messages) == left


def test_an_aged_access_lets_an_offloader_act() -> None:
    tool = [
        {"role": "user", "content": "u"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "x" * 1800},
    ]
    settings = {"ttl_seconds": 10, "add_message_threshold_ratio": 0.9}
    made = run(
        [
            {"do": "age_access", "seconds": 9},
            {"do": "window"},
            {"do": "age_access", "seconds": 10},
            {"do": "window"},
        ],
        messages=tool,
        context_window_tokens=1000,
        processors=[["MessageSummaryOffloader", settings]],
    )
    soon, late = (step for step in steps(made) if step.kind == "action:window")
    assert not soon.states
    assert [s.status for s in late.states] == ["started", "completed"]
    assert [name.rpartition("/")[0] for name in late.files] == ["context/session_context/offload"]


def test_an_opened_context_holds_what_was_saved() -> None:
    """The worked example of a pooled context that is created again."""
    one, two, later = ([{"role": "user", "content": text}] for text in ("one", "two", "later"))
    made = run(
        [
            {"do": "open", "context_id": "c2"},
            {"do": "add", "messages": two},
            {"do": "save", "context_ids": ["c1"]},
            {"do": "open", "context_id": "c1"},
            {"do": "add", "messages": later},
            {"do": "open", "context_id": "c1"},
            {"do": "open", "context_id": "c2"},
        ],
        messages=one,
        context_id="c1",
    )
    assert [step.buffer_messages for step in steps(made)] == [0, 1, 1, 1, 2, 1, 0]
    assert made.final_messages == []


def test_a_case_stays_as_it_is_whatever_its_session_learns() -> None:
    case = Case.model_validate(
        {"messages": LONG, "session_state": {"a": {}}, "actions": [{"do": "save"}]}
    )
    first = make_report(asyncio.run(replay(case)))
    assert case.session_state == {"a": {}}
    again = make_report(asyncio.run(replay(case)))
    assert differences(first.model_dump(mode="json", exclude_none=True), again) == []


@pytest.mark.parametrize(
    "action",
    [
        {"do": "dance"},
        {"do": "pop", "size": -1},
        {"do": "window", "kwargs": {"window_size": 0}},
        {"do": "window", "kwargs": {"unknown": 1}},
        {"do": "add", "messages": [{"role": "nobody"}]},
        {"do": "open"},
        {},
    ],
)
def test_an_action_that_is_none_is_named(action: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"case": {"actions": [action]}}))
    with pytest.raises(CaseError, match=r"case\.actions\.0"):
        load_case(path)
