"""A recorded session becomes a case whose replay decides as the recording did."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.resources import resource_path
from inspector.replay.case import CaseError, CaseFile, load_case
from inspector.replay.comparison import compare, measure
from inspector.replay.digest import normalised_content
from inspector.replay.export import export_case
from inspector.replay.recovery.ratios import simplest_ratio
from inspector.replay.run_trace import RunTrace
from inspector.replay.runner import replay
from inspector.trace.context_trace import ContextTrace
from inspector.trace.decision import Decision
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording

THREE = frozenset({"DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor"})
WITHOUT_MESSAGES = "no dump and no request log"


class Check(NamedTuple):
    """What a compressor saw and did."""

    step: int
    processor: str
    total: int
    threshold: int
    outcome: str


def checks(trace: ContextTrace, last_step: int) -> list[Check]:
    """Return the checks of the three compressors up to a step, in order."""
    columns = trace.decisions
    found = [
        Check(
            int(columns.step[row]),
            columns.processors[columns.processor[row]],
            int(columns.total[row]),
            int(columns.threshold[row]),
            columns.outcomes[columns.outcome[row]],
        )
        for row in range(len(columns))
    ]
    return sorted(c for c in found if 1 <= c.step <= last_step and c.processor in THREE)


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
    expected = checks(trace, last)
    assert checks(run, last) == expected
    assert len(expected) >= 541
    assert sum(check.outcome == "gave_up" for check in expected) == 3
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
    }


def has_messages(trace: Recording) -> bool:
    """Return whether a dump or a request holds whole messages."""
    decisions = (decision for _, decision in enumerate_decisions(trace))
    dumps = (decision.dump for decision in decisions if decision.outcome == "compressed")
    return any(dumps) or next(trace.requests(), None) is not None


def runs() -> list[str]:
    folder = Path(__file__).parents[3] / "shared" / "dumps"
    return sorted(path.parent.name for path in folder.glob("*/truth.json"))


@pytest.mark.parametrize("name", [run for run in runs() if run[0] in "abcdijklmn"])
def test_every_recording_with_messages_decides_again(
    shared: Path, tmp_path: Path, name: str
) -> None:
    for trace in recordings(shared / "dumps" / name / "workspace"):
        if not has_messages(trace):
            with pytest.raises(CaseError, match=WITHOUT_MESSAGES):
                export_case(trace)
            continue
        case = exported(trace, tmp_path).case
        assert case.origin is not None
        assert case.origin.last_step
        run = RunTrace(asyncio.run(replay(case)))
        assert checks(run, case.origin.last_step) == checks(trace, case.origin.last_step)


def test_details_of_a_replay_are_those_of_the_recording(shared: Path, tmp_path: Path) -> None:
    [trace] = recordings(shared / "dumps" / "d_full_chain" / "workspace")
    run = RunTrace(asyncio.run(replay(exported(trace, tmp_path).case)))
    seen = {(d.step, d.processor): row for row, d in enumerate_decisions(trace)}
    compared = 0
    for row, decision in enumerate_decisions(run):
        if decision.outcome == "declined":
            continue
        recorded = trace.detail(seen[decision.step, decision.processor])
        replayed = run.detail(row)
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
    assert compared == 18


def enumerate_decisions(trace: ContextTrace) -> Iterator[tuple[int, Decision]]:
    return ((row, trace.decision(row)) for row in range(len(trace.decisions)))


def test_nothing_to_replay_is_said(shared: Path) -> None:
    [trace] = recordings(shared / "dumps" / "j_auth_401" / "workspace")
    with pytest.raises(CaseError, match=WITHOUT_MESSAGES):
        export_case(trace)


def test_metrics_of_a_recording_are_sums_over_its_steps(shared: Path) -> None:
    [trace] = recordings(shared / "dumps" / "b_dialogue" / "workspace")
    found = measure(trace)
    assert found["compressions"] == 3
    assert found["model_calls"] == 3
    assert found["peak_tokens"] == int(trace.steps.total.max())
    assert found["tokens_sent"] == int(trace.steps.sent.sum())


@pytest.mark.parametrize(
    ("capacity", "tokens", "default", "ratio"),
    [
        (24_000, 19_200, 0.8, 0.8),
        (24_000, 14_400, 0.8, 0.6),
        (100, 28, 0.8, 0.28),
        (7, 3, 0.8, 0.5),
        (16_385, 5_000, 0.8, 0.3052),
    ],
)
def test_a_ratio_is_the_default_or_the_shortest_decimal(
    capacity: int, tokens: int, default: float, ratio: float
) -> None:
    found = simplest_ratio(capacity, tokens, default, least=1)
    assert found == ratio
    assert int(capacity * found) == tokens


def test_no_ratio_gives_more_than_the_capacity() -> None:
    assert simplest_ratio(100, 250, 0.8) is None


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
