"""Files of the project's own engine state what the original's leave to be inferred."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.debug.sinks import FileSink
from engine.errors.model_calls import ModelCallError
from engine.messages import Message
from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.opened import open_traces, read_traces
from tests.conversations import conversation, reading
from tests.debug_files import DebugFolder, Record, check, hit, record, span
from tests.offload_files import idle, large, stored, tried, write_log, write_offload
from tests.scripted import Script, bench

HANDLE, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2
OFFLOADER = "MessageSummaryOffloader"
STATED_BY_A_CHECK = (
    "below_threshold",
    "message_below_threshold",
    "no_compressible_span",
    "target_below_min",
)

BUSY = ModelCallError("overloaded", status=503)
ENDS: dict[str, tuple[list[str | Exception], str, str | None, int]] = {
    "compressed": (["S"], "compressed", None, 1),
    "authentication": ([ModelCallError("", status=401)], "gave_up", "authentication", 1),
    "bad request": ([ModelCallError("", status=400)], "gave_up", "api_request_error", 1),
    "empty": ([""], "gave_up", "empty_answer", 1),
    "no benefit": (["word " * 3000], "gave_up", "no_benefit", 1),
    "transient": ([BUSY] * 3, "gave_up", "transient_exhausted", 3),
}


@pytest.mark.parametrize("end", ENDS)
def test_how_an_attempt_ended_is_recorded(end: str, tmp_path: Path) -> None:
    answers, outcome, reason, calls = ENDS[end]
    made = bench(
        ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5}),
        messages=conversation("u a:1500 a:1500"),
        model=Script(*answers),
        sink=FileSink(),
        folder=tmp_path,
    )
    made.window()
    [trace] = open_traces([str(tmp_path)]).traces
    decision = trace.decision(0)
    assert (decision.outcome, decision.reason, decision.model_calls) == (outcome, reason, calls)
    assert (decision.basis, decision.candidates) == ("recorded", [])
    assert decision.summarizers
    assert decision.tokens is not None
    assert decision.tokens.before == 1026
    assert decision.duration is not None
    assert decision.duration < 1


def recorded(
    folder: Path,
    name: str,
    messages: Sequence[Message],
    model: Script | None = None,
    **settings: Any,
) -> list[tuple[Decision, Detail]]:
    """Play a conversation through a processor; return what is read, unless below a limit."""
    made = bench(
        (name, {"enable_context_debug": True, **settings}),
        model=model,
        sink=FileSink(),
        folder=folder,
    )
    for message in messages:
        made.add(message)
    made.window()
    [trace] = open_traces([str(folder)]).traces
    rows = range(len(trace.decisions))
    told = [(trace.decision(row), trace.detail(row)) for row in rows]
    return [(d, shown) for d, shown in told if d.records and d.reason != "below_threshold"]


def shown(detail: Detail) -> list[tuple[str, str | None, str | None]]:
    """Return fate and beginnings of both sides of each message of the windows."""
    assert detail.windows is not None
    return [
        (
            row.fate,
            str(row.before.content)[:4] if row.before else None,
            str(row.after.content)[:4] if row.after else None,
        )
        for row in detail.windows.rows
    ]


def looking(number: int) -> list[Message]:
    call, result = reading(f"c{number}", "none", "grep")
    return [call.model_copy(update={"reasoning_content": "let me look"}), result]


def test_folding_is_a_decision(tmp_path: Path) -> None:
    messages = [*conversation("u"), *looking(1), *looking(2), *looking(3)]
    [(decision, detail)] = recorded(tmp_path, "ReasoningToolLoopCompactProcessor", messages)
    assert (decision.outcome, decision.basis, decision.phase) == (
        "folded",
        "recorded",
        "add_messages",
    )
    [gate] = decision.gates
    assert (gate.gate, gate.passed, gate.margin, gate.unit) == (
        "reasoning_tools",
        True,
        0,
        "rounds",
    )
    assert decision.tokens is not None
    assert decision.tokens.before is not None
    assert decision.tokens.after is not None
    fates = [fate for fate, _before, _after in shown(detail)]
    assert fates == ["folded"] * 6 + ["written"]


def test_masking_shows_each_result_beside_its_line(tmp_path: Path) -> None:
    messages = conversation("u a{x} t{x}:3000" + " a u" * 6)
    made = recorded(tmp_path, "ObservationMasking", messages, messages_to_keep=2)
    [(decision, detail)] = made
    assert (decision.outcome, decision.basis) == ("cut", "recorded")
    assert [(gate.gate, gate.passed) for gate in decision.gates] == [
        ("threshold", True),
        ("span", True),
    ]
    assert decision.tokens is not None
    assert decision.tokens.before is not None
    assert decision.tokens.after is not None
    assert decision.tokens.after < decision.tokens.before
    [(fate, before, after)] = shown(detail)
    assert (fate, before) == ("kept", "xxxx")
    assert after != before


def test_a_compressor_without_a_model_says_so_once(tmp_path: Path) -> None:
    [(decision, _)] = recorded(tmp_path, "DialogueCompressor", conversation("u a:2000 u"))
    assert (decision.outcome, decision.reason, decision.basis) == (
        "declined",
        "no_model",
        "recorded",
    )
    [model, *rest] = decision.gates
    assert (model.gate, model.passed, model.basis) == ("model", False, "recorded")
    assert {gate.passed for gate in rest} == {None}


def test_the_older_offloader_tells_its_tokens_and_what_it_left(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "messages_threshold": 3,
        "messages_to_keep": 1,
        "large_message_threshold": 200,
        "trim_size": 50,
        "offload_message_type": ["tool", "user"],
    }
    messages = conversation("u:300 a{x} t{x}:400 a u:900 a u")
    made = recorded(tmp_path, "MessageOffloader", messages, **settings)
    assert [(d.outcome, d.basis, d.tool_call_id) for d, _ in made] == [
        ("offloaded", "recorded", None),
        ("offloaded", "recorded", "x"),
        ("offloaded", "recorded", None),
    ]
    for decision, detail in made:
        [(fate, _before, after)] = shown(detail)
        assert (fate, after) == ("offloaded", "xxxx")
        assert detail.windows is not None
        before = detail.windows.rows[0].before
        assert before is not None
        assert before.role == ("tool" if decision.tool_call_id else "user")
        assert decision.tokens is not None
        assert decision.tokens.before == len(str(before.content)) // 3 + 10
        assert decision.tokens.after is not None


def test_each_end_that_the_sample_states_is_one_decision() -> None:
    debug = Path(__file__).parents[2] / "resources" / "sample" / "workspace"
    lines = (line for path in debug.rglob("*.jsonl") for line in path.read_bytes().splitlines())
    records = [record for line in lines if (record := json.loads(line)).get("event") == "outcome"]
    stated = Counter((r["processor"], r["outcome"], r.get("tool_call_id")) for r in records)
    told: Counter[tuple[str, str, str | None]] = Counter()
    for trace in open_traces([debug]).traces:
        if trace.session_id in {record["session_id"] for record in records}:
            decisions = [trace.decision(row) for row in range(len(trace.decisions))]
            ends = [d for d in decisions if d.reason not in STATED_BY_A_CHECK]
            assert [d for d in ends if d.basis == "inferred"] == []
            told.update((d.processor, d.outcome, d.tool_call_id) for d in ends)
    assert len(stated) > 10
    assert told == stated


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path / "ws")


def outcome(processor: str, at: float, end: str, **payload: Any) -> Record:
    """Return a stated end."""
    payload = {"phase": "get_context_window", "outcome": end, **payload}
    return record("outcome", processor, at, **payload)


def decided(
    folder: DebugFolder, *records: Record, tailing: bool = False
) -> list[tuple[str, str | None, str, int | None]]:
    """Return outcome, reason, basis and step of what was read; absent compressors left out."""
    folder.write(records)
    pool = HeadPool()
    [trace] = read_traces(list(scan([folder.root], pool)), pool, tailing)
    made = [trace.decision(row) for row in range(len(trace.decisions))]
    return [(d.outcome, d.reason, d.basis, d.step) for d in made if d.records]


def test_what_fails_before_its_check_is_a_decision_of_its_own(folder: DebugFolder) -> None:
    name = "CurrentRoundCompressor"
    assert decided(
        folder,
        hit(name, 0),
        span(name, 0.1),
        outcome(name, 1, "compressed", model_calls=1),
        outcome(name, 2, "gave_up", reason="interrupted", error="boom"),
        check(name, 3, 5),
    ) == [
        ("compressed", None, "recorded", 1),
        ("gave_up", "interrupted", "recorded", 2),
        ("declined", "below_threshold", "recorded", 2),
    ]


def test_a_statement_that_is_damaged_states_nothing(folder: DebugFolder) -> None:
    name = "CurrentRoundCompressor"
    torn = record("outcome", name, 1, phase="get_context_window", outcome="not one of them")
    assert decided(folder, hit(name, 0), span(name, 0.1), torn, check(name, 2, 9_000)) == [
        ("gave_up", None, "inferred", 1),
        ("declined", "below_threshold", "recorded", 2),
    ]


def test_what_nobody_got_to_see_is_skipped(folder: DebugFolder) -> None:
    skipped = outcome("ContextEngine", 1, "skipped", reason="busy", phase="active_compress")
    assert decided(folder, check("DialogueCompressor", 0, 5), skipped) == [
        ("declined", "below_threshold", "recorded", 1),
        ("skipped", "busy", "recorded", 1),
    ]


def updated(at: float, end: str, **payload: Any) -> Record:
    return outcome("SessionMemory", at, end, phase="update", **payload)


def asked(at: float, end: str, **payload: Any) -> Record:
    return outcome("SessionMemory", at, end, phase="should_update", **payload)


def test_updates_of_the_notes_end_as_they_say(folder: DebugFolder) -> None:
    full = {"phase": "should_update"}
    assert decided(
        folder,
        check("DialogueCompressor", 0, 5),
        {**hit("SessionMemory", 1), **full},
        asked(1.1, "update_started"),
        asked(2, "skipped", reason="busy"),
        updated(3, "notes_unchanged", reason="update_failed", error="no answer"),
        {**hit("SessionMemory", 4), **full},
        asked(4.1, "update_started"),
        updated(6, "notes_updated", seconds=1.9),
    ) == [
        ("declined", "below_threshold", "recorded", 1),
        ("update_started", None, "recorded", 1),
        ("skipped", "busy", "recorded", 1),
        ("notes_unchanged", "update_failed", "recorded", 1),
        ("update_started", None, "recorded", 1),
        ("notes_updated", None, "recorded", 1),
    ]


def test_an_update_without_a_stated_end_is_running_only_while_tailing(folder: DebugFolder) -> None:
    started = {**hit("SessionMemory", 1), "phase": "should_update"}, asked(1.1, "update_started")
    assert [d[0] for d in decided(folder, *started, tailing=True)] == ["update_started", "running"]
    assert [d[0] for d in decided(folder)] == ["update_started", "undecided"]


def test_two_hits_with_an_end_between_them_are_two_requests(folder: DebugFolder) -> None:
    name = "SessionMemoryCompressor"
    assert decided(
        folder,
        hit(name, 0),
        outcome(name, 0.1, "declined", reason="no_notes"),
        hit(name, 1),
        hit(name, 1.1),
        outcome(name, 1.2, "materialised", before_tokens=900, after_tokens=100),
    ) == [("declined", "no_notes", "recorded", 1), ("materialised", None, "recorded", 2)]


def test_ends_of_one_call_belong_to_its_passes_in_order(folder: DebugFolder) -> None:
    write_log(folder, [large("c"), idle("c"), tried("c", "ttl"), stored("c", HANDLE)])
    write_offload(folder.session / "offload", HANDLE, "c")
    add = {"phase": "add_messages", "tool_call_id": "c"}
    write_offload(folder.session / "offload", OTHER, "lost")  # its lines are gone
    assert decided(
        folder,
        outcome(OFFLOADER, 0, "declined", reason="protected_tool", **add),
        outcome(OFFLOADER, 1, "offloaded", tool_call_id="c", before_tokens=310, after_tokens=40),
        outcome(OFFLOADER, 2, "offloaded", tool_call_id="lost"),
        outcome(OFFLOADER, 3, "declined", reason="ttl_occupancy_low"),
    ) == [
        ("declined", "protected_tool", "recorded", None),
        ("offloaded", None, "recorded", None),
        ("offloaded", None, "recorded", None),
        ("declined", "ttl_occupancy_low", "recorded", None),
    ]
