"""A recorded session becomes a case whose replay decides as the recording did."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.resources import resource_path
from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import CaseFile, load_case
from inspector.replay.cases.digest import normalised_content
from inspector.replay.comparisons.alignment import AlignedDecision, align
from inspector.replay.comparisons.comparison import compare
from inspector.replay.recovery.export import export_case
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.runner import replay
from inspector.trace.context_trace import ContextTrace
from inspector.trace.detail import Detail
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording

THREE = frozenset({"DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor"})
WITHOUT_MESSAGES = "no dump and no request log"


class Reached(NamedTuple):
    """How far a recording is replayed."""

    last_step: int
    decisions: dict[str, int]
    """Recorded decisions that are made again, by the processor's short name."""


SHORT = {
    "DialogueCompressor": "dialogue",
    "CurrentRoundCompressor": "current",
    "RoundLevelCompressor": "round",
    "MessageSummaryOffloader": "offloader",
    "SessionMemoryCompressor": "memory",
    "SessionMemory": "notes",
}
REACHED = {
    "a_current_round_boundary_parallel": Reached(10, {"current": 10}),
    "a_current_round_keep0": Reached(30, {"current": 30}),
    "a_current_round_keep2": Reached(29, {"current": 29}),
    "b_dialogue": Reached(36, {"dialogue": 36}),
    "b_dialogue_dangling_user": Reached(23, {"dialogue": 23}),
    "c_round_level": Reached(32, {"round": 32}),
    "d_full_chain": Reached(181, {"dialogue": 181, "current": 181, "round": 181, "offloader": 171}),
    "g_recall": Reached(28, {"dialogue": 28, "current": 28, "round": 28}),
    "h_session_memory_direct": Reached(
        34,
        {"dialogue": 34, "current": 34, "round": 34, "offloader": 46, "memory": 34, "notes": 48},
    ),
    "i_overflow_then_ok": Reached(1, {"current": 1}),
    "j_no_choices": Reached(1, {"current": 1}),
    "j_no_usage_block": Reached(1, {"current": 1}),
    "j_rate_429_then_ok": Reached(1, {"current": 1}),
    "j_unclosed_snapshot": Reached(1, {"current": 1}),
    "k_model_usage_baseline": Reached(15, {"current": 15}),
    "k_window_size_rounds": Reached(18, {"dialogue": 18, "current": 18}),
    "l_mixed_content": Reached(12, {"dialogue": 12, "current": 12, "round": 12, "offloader": 14}),
    "l_slash_session_id": Reached(13, {"current": 13, "offloader": 12}),
    "m_one_dump_dir": Reached(28, {"dialogue": 28, "current": 28, "round": 28, "offloader": 24}),
    "n_deep_agent_preset": Reached(
        32, {"dialogue": 32, "current": 32, "round": 32, "offloader": 38}
    ),
    "n_react_agent": Reached(32, {"dialogue": 32, "current": 32, "round": 32, "offloader": 44}),
    "p_active_compress": Reached(18, {"dialogue": 19, "current": 19, "round": 19}),
}
"""Every tree in which a file holds whole messages."""


def told(trace: ContextTrace, row: int) -> list[Any] | None:
    """Return what a decision came to and the figures that it rests on."""
    if row < 0:
        return None
    columns = trace.decisions
    return [
        columns.outcomes[columns.outcome[row]],
        *(int(column[row]) for column in (columns.total, columns.size, columns.threshold)),
    ]


def pairs(trace: ContextTrace, run: ContextTrace) -> Iterator[AlignedDecision]:
    """Yield the decisions up to the last step of the run."""
    last = int(run.steps.number[-1])
    return (pair for pair in align(trace, run) if pair.place.step <= last)


def recordings(folder: Path) -> Iterator[Recording]:
    for trace in open_traces([folder]).traces:
        if THREE.intersection(trace.thresholds):
            yield trace


def exported(trace: Recording, tmp_path: Path) -> CaseFile:
    """Export a case and read it back from its file."""
    path = tmp_path / "case.json"
    case_file = export_case(trace)
    path.write_text(
        json.dumps(case_file.model_dump(mode="json", exclude_none=True)), encoding="utf-8"
    )
    return load_case(path)


def test_a_long_chain_is_replayed_to_its_last_dump(shared: Path, tmp_path: Path) -> None:
    [trace] = recordings(shared / "dumps" / "d_full_chain" / "workspace")
    case = exported(trace, tmp_path).case
    run = RunTrace(asyncio.run(replay(case)))
    last = case.origin.last_step if case.origin else None
    assert last == 181
    assert len(case.messages) == 361
    assert not compare(trace, run).decisions
    assert [metric.delta for metric in compare(trace, run).metrics][:4] == [0, 0, 0, 0]
    assert [gap.step for gap in case.gaps if "silently" in gap.what] == [49, 65, 116]
    assert any(gap.step == 182 for gap in case.gaps)
    assert set(case.assumed) == {
        *(f"{name}.trigger_context_ratio" for name in THREE),
        *(f"{name}.min_target_context_ratio" for name in THREE),
        "CurrentRoundCompressor.keep_recent_messages",
        "RoundLevelCompressor.keep_recent_messages",
        "MessageSummaryOffloader.add_message_threshold_ratio",
        "MessageSummaryOffloader.protected_tool_names",
        "MessageSummaryOffloader.ttl_context_occupancy_ratio",
        "MessageSummaryOffloader.ttl_message_threshold_ratio",
        "MessageSummaryOffloader.ttl_seconds",
        "token_counter",
    }


def trees() -> list[str]:
    folder = Path(__file__).parents[4] / "shared" / "dumps"
    return sorted(path.parent.name for path in folder.glob("*/truth.json"))


@pytest.mark.parametrize("name", trees())
def test_every_recording_with_messages_decides_again(
    shared: Path, tmp_path: Path, name: str
) -> None:
    for trace in open_traces([shared / "dumps" / name / "workspace"]).traces:
        if name not in REACHED:
            with pytest.raises(CaseError, match=WITHOUT_MESSAGES):
                export_case(trace)
            continue
        case = exported(trace, tmp_path).case
        run = RunTrace(asyncio.run(replay(case)))
        made: Counter[str] = Counter()
        for pair in pairs(trace, run):
            assert told(run, pair.b) == told(trace, pair.a), pair.place
            made[SHORT[pair.place.processor]] += 1
        assert case.origin is not None
        assert Reached(case.origin.last_step or 0, dict(made)) == REACHED[name]


def test_details_of_a_replay_are_those_of_the_recording(shared: Path, tmp_path: Path) -> None:
    [trace] = recordings(shared / "dumps" / "d_full_chain" / "workspace")
    run = RunTrace(asyncio.run(replay(exported(trace, tmp_path).case)))
    compared = shortened = 0
    for pair in pairs(trace, run):
        decision = run.decision(pair.b)
        if decision.outcome == "declined":
            continue
        recorded, replayed = trace.detail(pair.a), run.detail(pair.b)
        if decision.outcome == "offloaded":
            assert recorded.rule is not None
            assert replayed.rule == recorded.rule
            assert texts(replayed) == texts(recorded)
            shortened += 1
            continue
        assert recorded.span is not None
        assert replayed.span is not None
        assert replayed.span.zones == recorded.span.zones
        assert replayed.span.wanted_tail == recorded.span.wanted_tail
        assert [normalised_content(m.content) for m in replayed.span.messages] == [
            normalised_content(m.content) for m in recorded.span.messages
        ]
        if decision.outcome == "compressed":
            assert recorded.windows is not None
            assert replayed.windows is not None
            assert [r.fate for r in replayed.windows.rows] == [
                r.fate for r in recorded.windows.rows
            ]
        compared += 1
    assert (compared, shortened) == (18, 11)


def texts(detail: Detail) -> list[str | None]:
    """Return each message before and after, without what differs from run to run."""
    assert detail.windows is not None
    sides = (side for row in detail.windows.rows for side in (row.before, row.after))
    return [None if side is None else normalised_content(side.content) for side in sides]


def test_nothing_to_replay_is_said(shared: Path) -> None:
    [trace] = recordings(shared / "dumps" / "j_auth_401" / "workspace")
    with pytest.raises(CaseError, match=WITHOUT_MESSAGES):
        export_case(trace)


def test_the_sample_is_replayed_to_the_token(tmp_path: Path) -> None:
    trace, _ = recordings(resource_path("sample/workspace"))
    case = exported(trace, tmp_path).case
    run = RunTrace(asyncio.run(replay(case)))
    comparison = compare(trace, run)
    assert list(case.workspace_files) == [f"{trace.session_id}/todo.json"]
    assert not comparison.decisions
    assert [metric.delta for metric in comparison.metrics][:4] == [0, 0, 0, 0]


def test_a_lost_to_do_file_is_a_gap(tmp_path: Path) -> None:
    copy = tmp_path / "workspace"
    shutil.copytree(resource_path("sample/workspace"), copy)
    (copy / "ledgerline-0319" / "todo.json").unlink()
    trace, _ = recordings(copy)
    case = exported(trace, tmp_path).case
    assert not case.workspace_files
    assert any("to-do list" in gap.what and "not found" in gap.what for gap in case.gaps)


def test_nothing_outside_of_what_was_opened_is_read(tmp_path: Path) -> None:
    folder = resource_path("sample/workspace") / "context" / "ledgerline-0319_context"
    [trace] = recordings(folder)
    case = exported(trace, tmp_path).case
    assert not case.workspace_files
    assert any("to-do list" in gap.what and "in what is open" in gap.what for gap in case.gaps)


def test_what_the_sample_states_is_replayed_too(tmp_path: Path) -> None:
    """Its second day has archives, notes, a folded loop, and results that waited too long."""
    _, trace = open_traces([resource_path("sample/workspace")]).traces
    case = exported(trace, tmp_path).case
    run = RunTrace(asyncio.run(replay(case)))
    outcomes = [run.decision(row).outcome for row in range(len(run.decisions))]
    assert not compare(trace, run).decisions
    assert {"folded", "materialised", "notes_updated", "offloaded", "compressed"} <= {*outcomes}
    assert case.origin is not None
    assert case.origin.last_step == int(trace.steps.number[-1])
    recall = case.engine_config().compression_recall_config
    assert (recall.chunk_size_tokens, recall.chunk_overlap_tokens) == (600, 60)
    assert ("ReasoningToolLoopCompactProcessor", {"language": "en"}) in case.processors
    assert any(action.do == "age_access" for action in case.actions)
