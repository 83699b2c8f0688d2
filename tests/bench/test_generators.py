"""What the bench reads is what the inspector takes for the real thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.bench.generators import conversation, write_checks, write_long_line, write_tree
from inspector.bench.largest_session import (
    ATTACHMENTS,
    BYTES,
    EVENTS,
    MESSAGES,
    write_session,
)
from inspector.trace.opened import open_traces


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


def test_the_largest_session_is_as_large_as_it_was_reported(tmp_path: Path) -> None:
    count = write_session(tmp_path, 0.005)
    raw = [path.read_bytes() for path in tmp_path.iterdir()]
    records = [json.loads(line) for content in raw for line in content.splitlines()]
    texts = ("original_content", "original_message", "compressed_content", "offloaded_content")
    assert count == len(records) == pytest.approx(EVENTS * 0.005, rel=0.05)
    assert sum(map(len, raw)) == pytest.approx(BYTES * 0.005, rel=0.1)
    messages = sum(len(record.get("messages", ())) for record in records)
    assert messages == pytest.approx(MESSAGES * 0.005, rel=0.05)
    attachments = sum(name in record for record in records for name in texts)
    assert attachments == pytest.approx(ATTACHMENTS * 0.005, rel=0.05)


def test_the_largest_session_is_one_of_every_kind_of_record(tmp_path: Path) -> None:
    count = write_session(tmp_path, 0.001)
    opened = open_traces([tmp_path])
    assert sum(source.records for source in opened.sources) == count
    assert {source.kind for source in opened.sources} == {
        "context_debug",
        "llm_request",
        "offloader_debug",
    }
    assert not opened.problems
    [trace] = opened.traces
    outcomes = {trace.decision(row).outcome for row in range(len(trace.decisions))}
    assert {"declined", "offloaded"} < outcomes


def test_calls_and_results_of_a_conversation_belong_together() -> None:
    messages = conversation(11)
    assert len(messages) == 11
    called = [message["tool_calls"][0]["id"] for message in messages[1::2]]
    assert called == [message["tool_call_id"] for message in messages[2::2]]
