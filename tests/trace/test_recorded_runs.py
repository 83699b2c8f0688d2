"""Decisions told from the files of recorded runs, against what was observed in the process."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.trace.decision import Decision
from inspector.trace.opened import Opened, open_traces
from tests.copies import copied

COMPRESSORS = {"DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor"}
NOT_OBSERVED = {"inert", "noop"}
GIVE_UPS = {"failed", "no_benefit", "empty_answer"}


def runs() -> list[str]:
    folder = Path(__file__).parents[3] / "shared" / "dumps"
    return sorted(path.parent.name for path in folder.glob("*/truth.json"))


def decisions_of(opened: Opened) -> Iterator[Decision]:
    for trace in opened.traces:
        for row in range(len(trace.decisions)):
            yield trace.decision(row)


def told(path: Path) -> list[Decision]:
    """Return what the files say of the compressors' decisions, in order of time."""
    return compressions(decisions_of(open_traces([path])))


def compressions(decisions: Iterable[Decision]) -> list[Decision]:
    found = [d for d in decisions if d.processor in COMPRESSORS and d.time is not None]
    return sorted(found, key=lambda d: d.time or 0)


def observed(folder: Path) -> list[dict[str, Any]]:
    decisions = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["decisions"]
    return [
        d
        for d in decisions
        if d["processor"] in COMPRESSORS
        and d.get("family") != "legacy"
        and d["outcome"] not in NOT_OBSERVED
    ]


@pytest.mark.parametrize("run", runs())
def test_the_files_tell_what_happened(shared: Path, run: str) -> None:
    folder = shared / "dumps" / run
    said, happened = told(folder / "workspace"), observed(folder)
    assert len(said) == len(happened)
    for decision, truth in zip(said, happened, strict=True):
        assert (decision.processor, decision.step) == (truth["processor"], truth["window"])
        if truth["phase"] == "get_context_window":  # nothing is measured on demand
            assert decision.tokens is not None
            assert decision.tokens.total == truth["total_tokens"]
            assert decision.tokens.target == truth.get("target_tokens")
        if truth["outcome"] == "declined":
            assert (decision.outcome, decision.reason) == ("declined", truth["reason"])
            assert decision.basis == "recorded"
        elif truth["outcome"] == "compressed":
            check_compression(decision, truth)
        else:
            check_give_up(decision, truth)


def check_compression(decision: Decision, truth: dict[str, Any]) -> None:
    assert (decision.outcome, decision.basis) == ("compressed", "recorded")
    assert decision.tokens is not None
    assert decision.span is not None
    assert decision.tokens.before == truth["before_tokens"]
    assert decision.tokens.after == truth["after_tokens"]
    assert [decision.span.prefix, decision.span.compress, decision.span.tail] == truth["span"]
    assert decision.model_calls == truth["model_calls"]
    assert all(gate.passed for gate in decision.gates if gate.gate in ("answer", "benefit"))


def check_give_up(decision: Decision, truth: dict[str, Any]) -> None:
    assert truth["outcome"] in GIVE_UPS
    reason = truth["reason"] if truth["outcome"] == "failed" else truth["outcome"]
    reason = reason.split(":")[0]
    assert decision.outcome == "gave_up"
    assert decision.model_calls == truth["model_calls"]
    if reason in ("overflow_exhausted", "overflow_no_smaller_span"):
        assert (decision.reason, decision.basis) == (reason, "recorded")
    else:
        assert decision.basis == "inferred"
        assert reason in decision.candidates[:4]


@pytest.mark.parametrize("run", ["d_full_chain", "k_window_size_rounds", "m_one_dump_dir"])
def test_without_dumps_nothing_false_is_said(shared: Path, run: str, tmp_path: Path) -> None:
    folder = shared / "dumps" / run
    copy = copied(folder / "workspace", tmp_path / "workspace")
    for path in copy.rglob("1*Compressor_*.json"):
        path.unlink()
    said, happened = told(copy), observed(folder)
    concluded = 0
    for decision, truth in zip(said, happened, strict=True):
        if truth["outcome"] == "declined":
            continue
        assert decision.basis == "inferred"
        assert decision.outcome in (
            ("compressed", "undecided") if truth["outcome"] == "compressed" else ("gave_up",)
        )
        concluded += decision.outcome != "undecided"
    assert concluded > 3


def test_a_recording_in_two_halves_is_one(shared: Path, tmp_path: Path) -> None:
    workspace = shared / "dumps/d_full_chain/workspace"
    for number, path in enumerate(sorted(p for p in workspace.rglob("*") if p.is_file())):
        target = tmp_path / str(number % 2) / path.relative_to(workspace)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    halves = open_traces([tmp_path / "0", tmp_path / "1"])
    assert len(halves.traces) == 1
    whole = [d.model_dump(exclude={"dump", "records"}) for d in told(workspace)]
    joined = compressions(decisions_of(halves))
    assert [d.model_dump(exclude={"dump", "records"}) for d in joined] == whole


def test_contexts_that_share_files_are_kept_apart(shared: Path, tmp_path: Path) -> None:
    expected = {}
    for run in ("d_full_chain", "g_recall", "n_react_agent"):
        for path in (shared / "dumps" / run / "workspace").rglob("context_debug/*.jsonl"):
            with open(tmp_path / path.name, "ab") as file:
                file.write(path.read_bytes())
        [trace] = open_traces([shared / "dumps" / run / "workspace"]).traces
        expected[trace.session_id] = (trace.steps.total.tolist(), trace.thresholds)
    mixed = open_traces([tmp_path]).traces
    assert {t.session_id: (t.steps.total.tolist(), t.thresholds) for t in mixed} == expected
