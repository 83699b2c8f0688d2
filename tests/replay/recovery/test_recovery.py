"""What the engine did with a conversation is told from its files alone, and done again."""

import asyncio
import json
from collections.abc import Callable
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engine.debug.directories import DebugFile
from engine.debug.offload_records import RuleDump
from engine.debug.records import CompressionDump
from engine.debug.sinks import FileSink, Line, MemorySink
from engine.workspace import Workspace
from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import load_case
from inspector.replay.comparisons.alignment import align
from inspector.replay.comparisons.comparison import compare
from inspector.replay.recovery.export import export_case
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs import runner
from inspector.replay.runs.workspace import ReplayWorkspace
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording


class WritingSink(MemorySink):
    """Keeps what it gets, and writes it as the original does."""

    _files = FileSink(additions=False)

    def line(self, build: Callable[[], Line], file: DebugFile) -> None:
        super().line(build, file)
        self._files.line(build, file)

    def dump(self, build: Callable[[], CompressionDump], file: DebugFile) -> None:
        super().dump(build, file)
        self._files.dump(build, file)

    def rule_dump(self, dump: RuleDump, file: DebugFile) -> str | None:
        super().rule_dump(dump, file)
        return self._files.rule_dump(dump, file)


def recorded(case: Case, folder: Path) -> Recording:
    """Replay a case with all its files, and open these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "MemorySink", WritingSink)
        patch.setattr(ReplayWorkspace, "write_new", Workspace.write_new)
        patch.setattr("tempfile.TemporaryDirectory", lambda **_: nullcontext(str(folder)))
        asyncio.run(runner.replay(case))
    [trace] = open_traces([folder]).traces
    return trace


CASES = {
    "0020": "blocks that a conversation begins with",
    "0070": "another counter",
    "0099": "spans that are small, tails that are long",
    "0103": "compression on demand",
    "0108": "a block in the middle, written by nobody",
    "0112": "usage that was not stale yet",
    "0122": "archives",
    "0139": "a tail that only the target's tokens tell",
}


@pytest.mark.parametrize("number", CASES, ids=CASES.get)
def test_a_recorded_case_decides_again(shared: Path, tmp_path: Path, number: str) -> None:
    case = load_case(shared / "conformance" / f"case-{number}.json").case
    trace = recorded(case, tmp_path)
    exported = export_case(trace).case
    run = RunTrace(asyncio.run(runner.replay(exported)))
    assert exported.origin is not None
    last = exported.origin.last_step or 0
    compared = [pair for pair in align(trace, run) if pair.place.step <= last]
    assert not compare(trace, run).decisions
    assert len(compared) >= last >= 1


def tool_call(name: str, number: int, size: int) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps({"n": number})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number} " * size},
    ]


def test_an_offloader_is_told_from_its_log(tmp_path: Path) -> None:
    """Two tools stay although their results are large; a pause lets the rest be gone through."""
    names = ("web", "read_file", "notes", "web", "read_file")
    results = [tool_call(name, number, 300) for number, name in enumerate(names)]
    results += [tool_call("web", 5, 1), tool_call("web", 6, 10)]
    results[5][1]["content"] = "\n".join(f"line {n % 9} of the page" for n in range(100))
    protected = ["notes", "read_file"]
    offloader = {"add_message_threshold_ratio": 0.11, "protected_tool_names": protected}
    rounds = {"trigger_context_ratio": 0.75, "keep_recent_messages": 2}
    case = Case.model_validate(
        {
            "workspace": "/srv/agent",
            "context_window_tokens": 8000,
            "processors": [
                ["MessageSummaryOffloader", offloader],
                ["RoundLevelCompressor", rounds],
            ],
            "messages": [{"role": "user", "content": "go"}, *chain.from_iterable(results)],
            "actions": [
                {"do": "age_access", "seconds": 400},
                {"do": "window"},
                {"do": "add", "messages": [{"role": "user", "content": "more " * 1200}]},
                {"do": "window"},
            ],
            "replies": [{"content": "<state_snapshot>S</state_snapshot>"}],
        }
    )
    trace = recorded(case, tmp_path)
    exported = export_case(trace).case
    run = RunTrace(asyncio.run(runner.replay(exported)))
    assert not compare(trace, run).decisions
    assert exported.workspace == "/srv/agent"
    [(name, settings), _] = exported.processors
    assert (name, settings) == ("MessageSummaryOffloader", offloader)
    assert [action.do for action in exported.actions][:1] == ["age_access"]
    given = {message["content"] for message in exported.messages}
    assert given >= {result["content"] for _, result in results}


def test_a_lost_original_is_taken_from_the_log(tmp_path: Path) -> None:
    """Without log and file the case keeps what the window shows, and says so."""
    case = Case.model_validate(
        {
            "context_window_tokens": 8000,
            "processors": [
                ["MessageSummaryOffloader", {}],
                ["RoundLevelCompressor", {"keep_recent_messages": 1}],
            ],
            "messages": [
                {"role": "user", "content": "go " * 2500},
                *tool_call("web", 1, 900),
                {"role": "user", "content": "on " * 4000},
            ],
            "groups": [[3, True], [1, True]],
            "replies": [{"content": "<state_snapshot>S</state_snapshot>"}],
        }
    )
    recorded(case, tmp_path)
    [stored] = tmp_path.rglob("MessageSummaryOffloader_*.json")
    stored.unlink()
    [trace] = open_traces([tmp_path]).traces
    exported = export_case(trace).case
    assert exported.messages[2]["content"] == case.messages[2]["content"]
    assert not compare(trace, RunTrace(asyncio.run(runner.replay(exported)))).decisions
    [log] = tmp_path.rglob("message_offloader_debug.jsonl")
    log.unlink()
    [trace] = open_traces([tmp_path]).traces
    exported = export_case(trace).case
    assert "[[OFFLOAD:" in exported.messages[2]["content"]
    assert any("originals of 1 offloaded" in gap.what for gap in exported.gaps)
