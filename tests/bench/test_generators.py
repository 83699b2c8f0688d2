"""What the bench reads is what the inspector takes for the real thing."""

from __future__ import annotations

from pathlib import Path

from inspector.bench.generators import (
    conversation,
    write_checks,
    write_largest_session,
    write_long_line,
    write_records,
    write_tree,
)
from inspector.trace.opened import open_traces


def test_records_are_debug_records_of_the_size_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    count = write_records(path, 100_000)
    opened = open_traces([path])
    assert 100_000 <= path.stat().st_size < 110_000
    assert (opened.sources[0].kind, opened.sources[0].records) == ("context_debug", count)
    assert not opened.problems


def test_checks_are_declines_of_one_context(tmp_path: Path) -> None:
    write_checks(tmp_path / "checks.jsonl", 300)
    (trace,) = open_traces([tmp_path]).traces
    assert len(trace.decisions) == 300


def test_a_tree_has_a_session_a_file(tmp_path: Path) -> None:
    write_tree(tmp_path, 7, 3)
    assert len(open_traces([tmp_path]).traces) == 7


def test_a_long_line_is_one_record_without_a_problem(tmp_path: Path) -> None:
    write_long_line(tmp_path / "long.jsonl", 9_000_000)
    (source,) = open_traces([tmp_path]).sources
    assert (source.kind, source.records, source.problems) == ("llm_request", 1, [])


def test_the_largest_session_has_its_three_parts(tmp_path: Path) -> None:
    write_largest_session(tmp_path, 0.001)
    lines = {path.stem: path.read_bytes().count(b"\n") for path in tmp_path.iterdir()}
    assert lines == {"events": 337, "messages": 129, "attachments": 85}


def test_calls_and_results_of_a_conversation_belong_together() -> None:
    messages = conversation(11)
    assert len(messages) == 11
    called = [message["tool_calls"][0]["id"] for message in messages[1::2]]
    assert called == [message["tool_call_id"] for message in messages[2::2]]
