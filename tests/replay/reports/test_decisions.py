"""The decisions that a replay's report tells, of every family of processors."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inspector.replay.cases.case import Case
from inspector.replay.comparisons.alignment import align
from inspector.replay.comparisons.comparison import compare
from inspector.replay.reports.report import Report, make_report
from inspector.replay.reports.report_trace import ReportTrace
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import Edit, edited
from inspector.trace.decision import Decision

OFFLOADER = "MessageSummaryOffloader"
ROUND = ("RoundLevelCompressor", {"keep_recent_messages": 0})
PAGE = "\n".join(f"line {n % 9} of the page" for n in range(200))
"""A rule shortens it."""


def exchange(number: int, tool: str, content: str) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": content},
    ]


def trace(case: Case) -> RunTrace:
    return RunTrace(asyncio.run(replay(case)))


def on_disk(made: RunTrace) -> ReportTrace:
    text = make_report(made.run).model_dump_json(exclude_none=True)
    return ReportTrace(Report.model_validate_json(text))


def decisions(made: ReportTrace, processor: str) -> list[Decision]:
    every = (made.decision(row) for row in range(len(made.decisions)))
    return [decision for decision in every if decision.processor == processor]


def shopping(**fields: Any) -> Case:
    """Return a case with a small result, a large one, and a large one that stays."""
    return Case.model_validate(
        {
            "messages": [
                {"role": "user", "content": "go"},
                *exchange(1, "web", "short"),
                *exchange(2, "web", PAGE),
                *exchange(3, "read_file", PAGE),
            ],
            "processors": [[OFFLOADER, {}]],
            "context_window_tokens": 4000,
            **fields,
        }
    )


def test_each_tool_result_is_a_decision() -> None:
    made = trace(shopping())
    for told in (made, on_disk(made)):
        small, large, protected = decisions(told, OFFLOADER)
        assert [d.tool_call_id for d in (small, large, protected)] == ["c1", "c2", "c3"]
        assert (small.outcome, small.reason, small.step) == (
            "declined",
            "message_below_threshold",
            2,
        )
        assert (large.outcome, large.reason, large.step) == ("offloaded", "rule:PLAIN_TEXT", 3)
        assert (protected.outcome, protected.reason) == ("declined", "protected_tool")
        assert [gate.passed for gate in large.gates] == [True, True, True, True]
        assert [gate.passed for gate in protected.gates] == [True, False, None, None]
        assert large.tokens is not None
        assert large.tokens.before is not None
        assert (large.tokens.threshold, large.phase) == (400, "add_messages")
        assert told.decisions.size.tolist()[1] == large.tokens.before
        assert told.decisions.saved.tolist()[1] == large.tokens.before - (large.tokens.after or 0)


def test_an_offloaded_result_is_shown_beside_what_took_its_place() -> None:
    made = trace(shopping())
    detail = made.detail(1)
    assert detail.rule is not None
    assert (detail.rule.rule, detail.rule.original, detail.rule.cut) == ("PLAIN_TEXT", PAGE, False)
    assert detail.windows is not None
    [row] = detail.windows.rows
    assert row.before is not None
    assert row.after is not None
    assert (row.fate, row.before.content) == ("offloaded", PAGE)
    shown = made.run.final_messages[4].text
    assert row.after.content == shown


def test_results_are_compared_by_their_call() -> None:
    """With a larger limit the page stays; the one that is protected stays in either run."""
    case = shopping()
    other = edited(case, [Edit(OFFLOADER, "add_message_threshold_ratio", 0.9)])
    a, b = trace(case), trace(other)
    [difference] = compare(a, b).decisions
    assert (difference.step, difference.a, difference.b) == (3, "offloaded", "declined")
    assert [(pair.a, pair.b) for pair in align(a, b)] == [(0, 0), (1, 1), (2, 2)]


def test_a_decline_that_measured_no_window_counts_only_on_both_sides() -> None:
    """The offload of the second result does, the third one's decline does not."""
    a, b = trace(shopping(messages=exchange(1, "web", PAGE))), trace(shopping())
    assert [(pair.place.step, pair.a) for pair in align(a, b)] == [(2, 0), (3, -1)]


def test_a_compression_on_demand_belongs_to_the_request_before() -> None:
    made = trace(
        shopping(
            messages=[{"role": "user", "content": "go"}, *exchange(1, "web", PAGE)],
            processors=[ROUND],
            actions=[{"do": "compress"}, {"do": "window"}],
            replies=[{"content": "<state_snapshot>S</state_snapshot>"}],
        )
    )
    compressed = [d for d in decisions(made, ROUND[0]) if d.outcome == "compressed"]
    assert [(d.step, d.phase) for d in compressed] == [(2, "active_compress")]
    assert made.steps.number.tolist() == [1, 2, 3]


def test_notes_that_took_the_messages_place_are_told_with_their_gates() -> None:
    case = shopping(
        processors=[["SessionMemoryCompressor", {"enabled": True, "trigger_context_ratio": 0.1}]],
        actions=[
            {"do": "window"},
            {"do": "notes", "text": "NOTES", "upto_index": 2},
            {"do": "window"},
        ],
    )
    made = trace(case)
    for told in (made, on_disk(made)):
        *_, without, used = decisions(told, "SessionMemoryCompressor")
        assert (without.outcome, without.reason) == ("declined", "no_notes")
        assert [gate.passed for gate in used.gates] == [True, True, True]
        assert used.outcome == "materialised"
        assert told.steps.total.tolist()[-1] == told.decisions.total.tolist()[-1]
    changed = made.detail(len(made.decisions) - 1).windows
    assert changed is not None
    assert [row.fate for row in changed.rows].count("summarised") == 3


def test_notes_are_kept_by_the_recorded_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second answer is late: it ends after the window that came next; the third never comes."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    memory = {"update_trigger_context_ratio": 0.01}
    case = shopping(
        processors=[["SessionMemoryCompressor", {"enabled": True, "memory": memory}]],
        notes=[{"content": "one"}, {"content": None, "late": 1}],
    )
    told = [(d.step, d.outcome, d.reason) for d in decisions(trace(case), "SessionMemory")]
    assert told == [
        (1, "declined", "no_completed_round"),
        (2, "update_started", None),
        (2, "notes_updated", None),
        (3, "update_started", None),
        (4, "notes_unchanged", "update_failed"),
        (4, "update_started", None),
    ]
    assert not list(tmp_path.iterdir())
