"""What is concluded about tool results from the offloader's log and the files around it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.context_trace import NO_NUMBER
from inspector.trace.decision import Decision
from inspector.trace.opened import open_traces, read_traces
from inspector.trace.recording import Recording
from tests.debug_files import START, DebugFolder, Record, check, dump, line, record
from tests.offload_files import (
    MOST_CHARS,
    idle,
    large,
    logged,
    original,
    ruled,
    small,
    stored,
    tried,
    write_log,
    write_offload,
    write_rule_dump,
)

OFFLOADER = "MessageSummaryOffloader"
HANDLE = "0123456789abcdef" * 2


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path / "ws")


def trace_of(folder: DebugFolder, *records: Record, tailing: bool = False) -> Recording:
    if records:
        write_log(folder, records)
    pool = HeadPool()
    [trace] = read_traces(list(scan([folder.root], pool)), pool, tailing)
    return trace


def offloads(trace: Recording) -> list[Decision]:
    decisions = (trace.decision(row) for row in range(len(trace.decisions)))
    return [d for d in decisions if d.outcome != "undecided" or d.records]


def told(folder: DebugFolder, *records: Record, tailing: bool = False) -> list[Decision]:
    return offloads(trace_of(folder, *records, tailing=tailing))


def brief(decisions: Sequence[Decision]) -> list[tuple[str | None, str, str | None, str]]:
    return [(d.tool_call_id, d.outcome, d.reason, d.basis) for d in decisions]


def gates(decision: Decision) -> dict[str, bool | None]:
    return {gate.gate: gate.passed for gate in decision.gates}


def test_a_small_result_is_declined(folder: DebugFolder) -> None:
    [decision] = told(folder, small("c", tokens=40))
    assert brief([decision]) == [("c", "declined", "message_below_threshold", "recorded")]
    assert (decision.processor, decision.phase) == (OFFLOADER, "add_messages")
    assert decision.tokens is not None
    assert (decision.tokens.before, decision.tokens.threshold) == (40, 100)
    assert decision.tokens.total is None  # it measures no window
    assert decision.tokens.after is None
    [size, *rest] = decision.gates
    assert (size.gate, size.passed, size.value, size.limit, size.margin) == (
        "size",
        False,
        40,
        100,
        -60,
    )
    assert [(g.gate, g.passed, g.value) for g in rest] == [
        ("protected", None, None),
        ("rule", None, None),
        ("write", None, None),
    ]
    assert [(Path(r.path).name, r.offset) for r in decision.records] == [
        ("message_offloader_debug.jsonl", 0)
    ]


def test_what_was_compared_with_the_threshold_stands_in_the_columns(folder: DebugFolder) -> None:
    folder.write([check("DialogueCompressor", 0, 5)])
    log = small("c", tokens=40), large("d"), tried("d"), stored("d", HANDLE)
    columns = trace_of(folder, *log).decisions
    named = [columns.processors[code] for code in columns.processor]
    tested = zip(named, columns.tested.tolist(), columns.threshold.tolist(), strict=True)
    assert [row for row in tested if row[2] > 0] == [
        (OFFLOADER, 40, 100),
        (OFFLOADER, 310, 100),
        ("DialogueCompressor", 5, 8_000),
    ]
    assert columns.total[np.array(named) == OFFLOADER].tolist() == [NO_NUMBER] * 2


def test_a_rule_that_shortens_is_named(folder: DebugFolder) -> None:
    path = write_offload(folder.session / "offload", HANDLE, "c")
    rule_dump = write_rule_dump(folder, "c", 1, "JSON_ARRAY")
    name = f"/srv/elsewhere/{rule_dump.name}"
    metadata: dict[str, Any] = {"rule_compression_dump_path": name}
    records = [
        large("c"),
        tried("c"),
        ruled("c", "JSON_ARRAY", **metadata),
        stored("c", HANDLE),
    ]
    [decision] = told(folder, *records)
    assert brief([decision]) == [("c", "offloaded", "rule:JSON_ARRAY", "recorded")]
    assert decision.time == START + 1
    assert decision.dump == str(rule_dump)
    assert [Path(r.path).name for r in decision.records][-1] == path.name
    assert len(decision.records) == 5
    assert gates(decision) == {"size": True, "protected": True, "rule": True, "write": True}
    rule = next(gate for gate in decision.gates if gate.gate == "rule")
    assert (rule.value, rule.limit, rule.unit, rule.basis) == (90, 900, "characters", "recorded")


def test_where_no_rule_saves_anything_a_preview_is_left(folder: DebugFolder) -> None:
    [decision] = told(folder, large("c"), tried("c"), stored("c", HANDLE))
    assert brief([decision]) == [("c", "offloaded", None, "recorded")]
    assert gates(decision) == {"size": True, "protected": True, "rule": False, "write": True}
    assert decision.time is None


def test_what_is_not_worked_on_was_protected(folder: DebugFolder) -> None:
    first, second = told(folder, large("c"), large("d", 1), tried("d"), stored("d", HANDLE))
    assert brief([first]) == [("c", "declined", "protected_tool", "inferred")]
    assert gates(first) == {"size": True, "protected": False, "rule": None, "write": None}
    assert second.outcome == "offloaded"


def test_what_holds_a_marker_was_offloaded_before(folder: DebugFolder) -> None:
    [decision] = told(folder, large("c", text="x" * 900 + "[[OFFLOAD: handle=h, type=in_memory]]"))
    assert brief([decision]) == [("c", "declined", "already_offloaded", "inferred")]


def test_a_rule_without_an_offload_left_a_cut(folder: DebugFolder) -> None:
    [decision] = told(folder, large("c"), tried("c"), ruled("c"), small("d"))[:1]
    assert brief([decision]) == [("c", "cut", "write_failed", "inferred")]
    assert gates(decision) == {"size": True, "protected": True, "rule": True, "write": False}


def test_a_diff_that_is_not_to_be_cut_stays_whole(folder: DebugFolder) -> None:
    details: dict[str, Any] = {"rule_compression_details": {"should_offload_original": True}}
    [decision] = told(
        folder, large("c"), tried("c"), ruled("c", "GIT_DIFF", **details), small("d")
    )[:1]
    assert brief([decision]) == [("c", "gave_up", None, "inferred")]
    assert decision.candidates == ["write_failed"]


def test_a_plain_offload_that_failed_leaves_the_result(folder: DebugFolder) -> None:
    first, _second = told(folder, large("c"), tried("c"), small("d"))
    assert (first.outcome, first.reason, first.candidates) == ("gave_up", None, ["write_failed"])
    [last] = told(DebugFolder(folder.root / "b"), large("c"), tried("c"))
    assert last.candidates == ["write_failed", "interrupted"]


def test_after_a_pause_a_short_result_is_left(folder: DebugFolder) -> None:
    text = "x" * MOST_CHARS
    records = [idle("c", text), tried("c", "ttl", text), idle("d"), tried("d", "ttl")]
    first, second = told(folder, *records)
    assert brief([first]) == [("c", "declined", "nothing_to_save", "inferred")]
    assert first.phase == "get_context_window"
    assert gates(first) == {
        "idle": True,
        "occupancy": True,
        "size": True,
        "protected": True,
        "rule": False,
        "write": None,
    }
    assert second.outcome == "gave_up"


def test_after_a_pause_what_a_rule_shortened_is_left(folder: DebugFolder) -> None:
    [decision] = told(folder, idle("c", metadata={"rule_compression_type": "LOG"}))
    assert brief([decision]) == [("c", "declined", "already_shortened", "inferred")]


def test_a_call_may_come_back_after_a_pause(folder: DebugFolder) -> None:
    again = [idle("c"), tried("c", "ttl"), ruled("c", "LOG", "ttl", 9), stored("c", HANDLE)]
    first, second = told(folder, small("c"), *again)
    assert (first.outcome, first.phase) == ("declined", "add_messages")
    assert (second.reason, second.phase, second.time) == (
        "rule:LOG",
        "get_context_window",
        START + 9,
    )


def test_results_of_a_batch_are_tested_before_they_are_worked_on(folder: DebugFolder) -> None:
    batch = [large("a"), small("b", 1), large("c", 2)]
    work = [tried("a"), stored("a", HANDLE), tried("c"), ruled("c"), stored("c", "f" * 32)]
    assert [(d.tool_call_id, d.outcome) for d in told(folder, *batch, *work)] == [
        ("a", "offloaded"),
        ("b", "declined"),
        ("c", "offloaded"),
    ]


def test_a_result_that_is_added_again_is_tested_again(folder: DebugFolder) -> None:
    decisions = told(folder, large("c"), small("d"), large("c"), small("d"))
    assert [d.tool_call_id for d in decisions] == ["c", "d", "c", "d"]


def test_damage_where_the_rest_would_stand_leaves_it_open(folder: DebugFolder) -> None:
    path = write_log(folder, [large("c")])
    path.write_bytes(path.read_bytes() + b"#####\n" + line(small("d")))
    decision = told(folder)[0]
    assert (decision.outcome, decision.candidates) == ("undecided", ["protected_tool"])
    assert gates(decision)["protected"] is None


def test_a_torn_line_is_no_loss_of_others(folder: DebugFolder) -> None:
    whole = line(large("c"))
    path = write_log(folder, [])
    path.write_bytes(whole[: whole.index(b'"original')] + line(small("d")))
    assert told(folder)[0].reason == "protected_tool"


def test_a_file_tells_what_the_log_has_lost(folder: DebugFolder) -> None:
    write_offload(folder.session / "offload", HANDLE, "c")
    [decision] = told(folder, large("c"), tried("c"))
    assert brief([decision]) == [("c", "offloaded", None, "recorded")]
    assert [Path(r.path).suffix for r in decision.records] == [".jsonl", ".jsonl", ".json"]


def test_the_file_of_another_offloader_is_no_pass_of_the_log(folder: DebugFolder) -> None:
    write_offload(folder.session / "offload", HANDLE, "c", "MessageOffloader")
    decisions = told(folder, large("c"), small("d"))
    found = {d.processor: d for d in decisions if d.tool_call_id == "c"}
    assert found["MessageOffloader"].outcome == "offloaded"
    assert brief([found[OFFLOADER]]) == [("c", "declined", "protected_tool", "inferred")]


def test_a_file_of_0_bytes_belongs_to_the_one_result_that_was_cut(folder: DebugFolder) -> None:
    path = folder.session / "offload" / f"{OFFLOADER}_{HANDLE}.json"
    path.parent.mkdir(parents=True)
    path.touch()
    trace = trace_of(folder, large("c"), tried("c"), ruled("c"), small("d"))
    [cut, _small] = offloads(trace)
    assert cut.outcome == "cut"
    assert cut.records[-1].path == str(path)
    [view] = trace.detail(0).stored
    assert view.payload.where == "empty"


def test_a_pass_without_a_log_is_told_by_its_files(folder: DebugFolder) -> None:
    names = [("MessageOffloader", "a" * 32), (OFFLOADER, "b" * 32), ("", "c" * 32)]
    for call, (processor, handle) in enumerate(names):
        write_offload(folder.session / "offload", handle, f"c{call}", processor)
    rule_dump = write_rule_dump(folder, "c1", 4)
    found = {d.tool_call_id: d for d in told(folder)}
    assert {call: d.processor for call, d in found.items()} == {
        "c0": "MessageOffloader",
        "c1": OFFLOADER,
        "c2": OFFLOADER,
    }
    for decision in found.values():
        assert (decision.outcome, decision.basis, decision.tokens) == (
            "offloaded",
            "recorded",
            None,
        )
        assert len(decision.records) == 1
        assert gates(decision)["write"] is True
    assert (found["c1"].reason, found["c1"].dump) == ("rule:LOG", str(rule_dump))
    assert found["c1"].time == START + 4


def test_a_rule_dump_alone_leaves_it_open(folder: DebugFolder) -> None:
    write_rule_dump(folder, "c", 4, pass_name="ttl")
    [trace] = open_traces([folder.root]).traces
    [decision] = [d for d in map(trace.decision, range(len(trace.decisions))) if d.dump]
    assert (decision.outcome, decision.basis) == ("undecided", "inferred")
    assert decision.candidates == ["offloaded", "cut"]
    assert decision.phase == "get_context_window"


def test_copies_of_files_count_once(folder: DebugFolder) -> None:
    path = write_log(folder, [large("c"), tried("c"), ruled("c"), stored("c", HANDLE), small("d")])
    (path.parent / "rotated.jsonl").write_bytes(path.read_bytes())
    file = write_offload(folder.session / "offload", HANDLE, "c")
    (file.parent / f"copy of {file.name}").write_bytes(file.read_bytes())
    rule_dump = write_rule_dump(folder, "c", 1)
    (rule_dump.parent / "copy.json").write_bytes(rule_dump.read_bytes())
    assert [(d.tool_call_id, d.outcome) for d in told(folder)] == [
        ("c", "offloaded"),
        ("d", "declined"),
    ]


def test_a_log_behind_itself_offloads_nothing_twice(folder: DebugFolder) -> None:
    path = write_log(folder, [large("c"), tried("c"), ruled("c"), stored("c", HANDLE)])
    path.write_bytes(2 * path.read_bytes())
    assert [(d.tool_call_id, d.outcome) for d in told(folder)] == [("c", "offloaded")]


def test_lines_rotated_out_of_the_log_come_first(folder: DebugFolder) -> None:
    first = [large("a"), tried("a"), stored("a", "a" * 32)]
    lines = [*first, large("b"), tried("b"), stored("b", "b" * 32)]
    log = write_log(folder, lines[4:])
    for number, part in (("1", lines[2:4]), ("2", lines[:2])):
        log.with_name(f"{log.name}.{number}").write_bytes(b"".join(map(line, part)))
    assert [d.outcome for d in told(folder)] == ["offloaded", "offloaded"]


def test_what_may_still_end_is_running_only_while_tailing(folder: DebugFolder) -> None:
    write_log(folder, [small("a"), large("b", 1)])
    assert [d.outcome for d in told(folder, tailing=True)] == ["declined", "running"]
    assert [d.outcome for d in told(folder)] == ["declined", "declined"]
    later = told(folder, small("c"), tailing=True)
    assert [d.outcome for d in later] == ["declined", "declined", "declined"]
    folder.write([request(10, "c")])
    assert told(folder, large("e"), tailing=True)[-1].outcome == "running"
    folder.write([request(20, "c", "e")])
    assert told(folder, tailing=True)[-1].outcome == "declined"
    working = told(folder, large("d"), tried("d"), tailing=True)
    assert working[-1].outcome == "running"


def test_lines_of_a_later_version_are_shown_with_their_pass(folder: DebugFolder) -> None:
    records = [large("c"), tried("c"), logged("of_tomorrow", "c", novelty=7), stored("c", HANDLE)]
    trace = trace_of(folder, *records)
    [decision] = offloads(trace)
    assert len(decision.records) == 4
    assert [r.event for r in trace.detail(0).records][2] == "of_tomorrow"
    assert '"novelty": 7' in trace.detail(0).records[2].text


def test_contexts_in_one_log_are_kept_apart(folder: DebugFolder) -> None:
    other: dict[str, Any] = {"context_id": "other", "metadata": {"context_message_id": "m"}}
    write_log(
        folder, [large("c"), large("c", **other), tried("c", **other), stored("c", "h", **other)]
    )
    found = {t.context_id: offloads(t)[0].outcome for t in open_traces([folder.root]).traces}
    assert found == {"main": "declined", "other": "offloaded"}


def request(at: float, *calls: str) -> Record:
    messages = [{"role": "user", "content": "go"}, *map(original, calls)]
    return record("pre_call", "llm_request", at, messages=messages, message_count=len(messages))


def test_a_request_that_first_shows_a_result_dates_it(folder: DebugFolder) -> None:
    folder.write([request(10), request(20, "a"), request(30, "a", "b")])
    first, second, third = told(folder, small("a"), small("b"), small("c"))
    assert (first.step, first.after, first.before) == (2, START + 10, START + 20)
    assert (second.step, second.after, second.before) == (3, START + 20, START + 30)
    assert (third.step, third.after, third.before) == (None, START + 20, None)
    assert first.time is None


def test_a_dump_that_first_shows_a_result_bounds_it(folder: DebugFolder) -> None:
    folder.write([check("CurrentRoundCompressor", at, 5) for at in (10, 20, 30, 40)])
    document = dump("CurrentRoundCompressor", 30.5, 9, 5, (0, 1, 0))
    document["compression_request"]["messages_sent_to_model"].insert(0, original("a"))
    folder.write_dump(document)
    decisions = [d for d in told(folder, small("a")) if d.processor == OFFLOADER]
    assert [(d.step, d.after, d.before) for d in decisions] == [(None, None, START + 30.5)]


def test_a_rule_dates_the_lines_around_it(folder: DebugFolder) -> None:
    folder.write([check("CurrentRoundCompressor", at, 5) for at in (10, 20, 30)])
    ruled_at = [large("b"), tried("b"), ruled("b", at=15), stored("b", HANDLE)]
    decisions = told(folder, small("a"), *ruled_at, small("c"))
    first, second, third = [d for d in decisions if d.processor == OFFLOADER]
    assert (first.after, first.before, first.step) == (None, START + 15, None)
    assert (second.time, second.step, second.after) == (START + 15, 2, None)
    assert (third.after, third.before) == (START + 15, None)
    order = [d.tool_call_id for d in decisions if d.processor == OFFLOADER or d.step == 2]
    assert order == ["a", "b", "c", None]


def test_evidence_that_contradicts_itself_is_not_used(folder: DebugFolder) -> None:
    folder.write([request(10), request(20, "b"), request(30, "a", "b")])
    first, second = told(folder, small("a"), small("b"))
    assert (first.after, first.before, first.step) == (None, None, None)
    assert (second.after, second.before, second.step) == (None, None, None)
