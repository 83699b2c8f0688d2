"""What is concluded about a session's notes from records, notes and logs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.decision import Decision
from inspector.trace.opened import read_traces
from inspector.trace.recording import Recording
from tests.debug_files import START, DebugFolder, Record, check, hit, record
from tests.offload_files import write_json

COMPRESSOR, UPDATER = "SessionMemoryCompressor", "SessionMemory"
TEMPLATE = "# Session Title\n_A title._\n\n# Worklog\n_What was done._\n"


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path)


def update(at: float, reached: bool = True) -> Record:
    """Return the updater's check."""
    return {**(hit if reached else check)(UPDATER, at, 7_000), "phase": "should_update"}


def write_notes(folder: DebugFolder, text: str, name: str = "session_context.md") -> Path:
    path = folder.session / "session_memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_log(folder: DebugFolder, at: str, error: str | None, notes: str | None = None) -> Path:
    document: dict[str, Any] = {
        "timestamp": at,
        "request": {
            "prompt": "p",
            "system_messages": [],
            "context_messages": [{"role": "user", "content": "go"}],
        },
        "result": "done",
        "error": error,
        "ability": {"allowed_notes_path": notes},
    }
    home = folder.session / "context_debug" if notes is None else folder.root / "elsewhere"
    return write_json(home / f"{at}_{error}.json", document)


def trace_of(folder: DebugFolder, records: Sequence[Record], tailing: bool = False) -> Recording:
    folder.write(records)
    pool = HeadPool()
    [trace] = read_traces(list(scan([folder.root], pool)), pool, tailing)
    return trace


def told(folder: DebugFolder, *records: Record, tailing: bool = False) -> list[Decision]:
    trace = trace_of(folder, records, tailing)
    decisions = (trace.decision(row) for row in range(len(trace.decisions)))
    return [d for d in decisions if d.processor in (COMPRESSOR, UPDATER)]


def gates(decision: Decision) -> dict[str, bool | None]:
    return {gate.gate: gate.passed for gate in decision.gates}


def test_a_window_that_is_not_full_is_left(folder: DebugFolder) -> None:
    first, second = told(folder, check(COMPRESSOR, 0, 500), update(1, reached=False))
    for decision in (first, second):
        assert (decision.outcome, decision.reason, decision.basis) == (
            "declined",
            "below_threshold",
            "recorded",
        )
        assert gates(decision) == {"ratio": False, "notes": None, "anchor": None}
    ratio = first.gates[0]
    assert (ratio.value, ratio.limit, ratio.margin, ratio.unit) == (500, 8_000, -7_500, "tokens")
    assert (first.phase, second.phase) == ("get_context_window", "should_update")


def test_two_hits_at_once_mean_that_notes_were_used(folder: DebugFolder) -> None:
    records = [hit(COMPRESSOR, 0, 9_000), hit(COMPRESSOR, 0.25, 9_000), check(COMPRESSOR, 5, 900)]
    first, second = told(folder, *records)
    assert (first.outcome, first.basis, first.duration) == ("materialised", "inferred", 0.25)
    assert gates(first) == {"ratio": True, "notes": True, "anchor": True}
    assert len(first.records) == 2
    assert (first.step, second.step) == (1, 2)
    assert first.tokens is not None
    assert (first.tokens.total, first.tokens.threshold) == (9_000, 8_000)


@pytest.mark.parametrize(
    "second",
    [
        hit(COMPRESSOR, 0.25, 9_001),
        check("DialogueCompressor", 0.1, 9_000),
    ],
)
def test_one_hit_alone_means_that_there_was_nothing_to_use(
    folder: DebugFolder, second: Record
) -> None:
    first = told(folder, hit(COMPRESSOR, 0, 9_000), second, hit(COMPRESSOR, 9, 9_000))[0]
    assert (first.outcome, first.reason, first.basis) == ("declined", None, "inferred")
    assert first.candidates == ["no_notes", "no_anchor"]
    assert gates(first) == {"ratio": True, "notes": None, "anchor": None}


def test_once_notes_were_written_it_is_likelier_that_the_anchor_is_gone(
    folder: DebugFolder,
) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    records = [update(0), update(1, reached=False), hit(COMPRESSOR, 2)]
    assert told(folder, *records)[-1].candidates == ["no_anchor", "no_notes"]


def test_notes_that_are_too_long_are_not_used(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "x" * 130_000)
    assert told(folder, hit(COMPRESSOR, 2))[0].candidates[0] == "notes_too_long"


def test_an_update_that_ended_changed_the_notes(folder: DebugFolder) -> None:
    path = write_notes(folder, TEMPLATE + "- x\n")
    started, ended, after = told(folder, update(0), update(5, reached=False))
    assert (started.outcome, started.basis, started.phase) == (
        "update_started",
        "recorded",
        "should_update",
    )
    assert (ended.outcome, ended.basis, ended.phase) == ("notes_updated", "inferred", "update")
    assert (ended.time, ended.after, ended.before) == (None, START, START + 5)
    assert [Path(r.path).name for r in ended.records] == [
        f"{UPDATER}.jsonl",
        f"{UPDATER}.jsonl",
        path.name,
    ]
    assert ended.tokens is None
    assert after.outcome == "declined"


def test_notes_that_are_still_their_template_were_never_changed(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE)
    assert [d.outcome for d in told(folder, update(0), update(5), update(9))] == [
        "update_started",
        "notes_unchanged",
    ] * 3


def test_a_pending_copy_is_left_by_the_last_update_only(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    write_notes(folder, TEMPLATE, "session_context.pending.md")
    ends = [d for d in told(folder, update(0), update(5)) if d.phase == "update"]
    assert [(d.outcome, d.reason) for d in ends] == [
        ("notes_updated", None),
        ("notes_unchanged", "update_failed"),
    ]


def test_the_log_of_an_update_tells_that_it_failed(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    write_log(folder, "2026-11-29T21:24:12", None)
    log = write_log(folder, "2026-11-29T21:24:13", "no model")
    first, second = [d for d in told(folder, update(0), update(5)) if d.phase == "update"]
    assert (first.outcome, second.outcome) == ("notes_updated", "notes_unchanged")
    assert second.records[-1].path == str(log)
    trace = trace_of(folder, [])
    failed = next(
        r for r in range(len(trace.decisions)) if trace.decision(r).outcome == "notes_unchanged"
    )
    detail = trace.detail(failed)
    assert detail.request is not None
    assert (detail.request.prompt, len(detail.request.messages)) == ("p", 1)
    assert any("no model" in note for note in detail.notes)
    assert detail.records[-1].event == "session_memory_log"


def test_a_log_that_lies_elsewhere_names_the_notes_it_is_about(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    notes = "/srv/ws/context/sess_context/session_memory/session_context.pending.md"
    write_log(folder, "2026-11-29T21:24:13", "no model", notes)
    write_log(folder, "2026-11-29T21:24:14", "no", notes.replace("sess_", "another_"))
    [ended] = [d for d in told(folder, update(0)) if d.phase == "update"]
    assert ended.outcome == "notes_unchanged"


def test_logs_that_do_not_match_the_updates_tell_nothing(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    write_log(folder, "2026-11-29T21:24:13", "no model")
    ends = [d for d in told(folder, update(0), update(5)) if d.phase == "update"]
    assert [d.outcome for d in ends] == ["notes_updated", "notes_updated"]


def test_without_the_notes_the_end_of_an_update_is_open(folder: DebugFolder) -> None:
    [_started, ended] = told(folder, update(0))
    assert (ended.outcome, ended.candidates) == (
        "undecided",
        ["notes_updated", "notes_unchanged"],
    )


def test_what_may_still_end_is_running_only_while_tailing(folder: DebugFolder) -> None:
    write_notes(folder, TEMPLATE + "- x\n")
    outcomes = [d.outcome for d in told(folder, update(0), update(5), tailing=True)]
    assert outcomes == ["update_started", "notes_updated", "update_started", "running"]
    last = told(folder, hit(COMPRESSOR, 9), tailing=True)[-1]
    assert last.outcome == "running"
    assert told(folder)[-1].outcome == "declined"


def test_a_torn_check_leaves_it_open(folder: DebugFolder) -> None:
    folder.write([update(0), hit(COMPRESSOR, 1)])
    for path in (folder.session / "context_debug").iterdir():
        content = path.read_bytes()
        path.write_bytes(content[: content.index(b'"hit"')] + b"\n")
    for decision in told(folder):
        assert (decision.outcome, decision.basis) == ("undecided", "inferred")


def test_windows_are_measured_by_those_that_count_the_tools(folder: DebugFolder) -> None:
    records = [check(COMPRESSOR, 0, 300), check("DialogueCompressor", 0.1, 500)]
    trace = trace_of(folder, records)
    assert trace.steps.total.tolist() == [500]
    used = [
        hit(COMPRESSOR, 5, 9_000),
        hit(COMPRESSOR, 5.1, 9_000),
        check("DialogueCompressor", 6, 70),
    ]
    trace = trace_of(folder, used)
    assert trace.steps.total.tolist() == [500, 9_000]
    assert trace.steps.sent.tolist() == [500, 70]
    alone = trace_of(DebugFolder(folder.root / "b"), [check(COMPRESSOR, 0, 300)])
    assert alone.steps.total.tolist() == [300]


def request_with_notes(at: float, text: str) -> Record:
    block = f"<memory_block_session>\n<meaning>\nm\n</meaning>\n<summary>\n{text}\n</summary>\n"
    messages = [{"role": "user", "content": block}]
    return record("pre_call", "llm_request", at, messages=messages, message_count=1)


def test_notes_are_shown_over_time(folder: DebugFolder) -> None:
    template = folder.root / "context" / "session_memory.md"
    template.parent.mkdir(parents=True)
    template.write_text(TEMPLATE, encoding="utf-8")
    write_notes(folder, TEMPLATE + "- second\n")
    write_notes(folder, TEMPLATE + "- third\n", "session_context.pending.md")
    pair = [hit(COMPRESSOR, 0), hit(COMPRESSOR, 0.1)]
    trace = trace_of(folder, [*pair, request_with_notes(1, f"{TEMPLATE.strip()}\n- first")])
    row = next(r for r in range(len(trace.decisions)) if trace.decision(r).processor == COMPRESSOR)
    versions = trace.detail(row).versions
    assert [(v.label, v.text.rpartition("\n")[2], v.time) for v in versions] == [
        ("template", "_What was done._", None),
        ("as they were used", "- first", START),
        ("notes", "- second", None),
        ("pending copy", "- third", None),
    ]
