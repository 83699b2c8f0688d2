"""The index of the offloader's log, which has neither times nor processors."""

from pathlib import Path

import pytest

from inspector.sources.lines.columns import NO_NUMBER
from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import JsonlIndex
from inspector.sources.lines.offload_log import OFFLOADED, RULED, OffloadEntry
from inspector.sources.message_keys import MessageIds, ShownMessage, message_key, result_keys
from tests.debug_files import START, Record, check, line
from tests.offload_files import large, logged, ruled, small, stored, tried


def indexed(path: Path, *records: Record | bytes) -> JsonlIndex:
    path.write_bytes(b"".join(r if isinstance(r, bytes) else line(r) for r in records))
    index = JsonlIndex(path, HeadPool())
    for _ in index.read():
        pass
    index.take_remainder()
    return index


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "message_offloader_debug.jsonl"


def entries(index: JsonlIndex) -> list[OffloadEntry]:
    return list(index.offloads.entries.values())


def test_plain_checks_stay_in_columns(path: Path) -> None:
    index = indexed(path, *[small(f"c{n}", n, 10 + n) for n in range(5)])
    assert index.columns.total.view.tolist() == [10, 11, 12, 13, 14]
    assert index.columns.extra.view.tolist() == [0, 1, 2, 3, 4]
    assert index.offloads.row.view.tolist() == [0, 1, 2, 3, 4]
    assert len(set(index.offloads.key.view.tolist())) == 5
    assert not index.offloads.entries
    [head] = index.pool.heads
    assert (head.threshold, head.phase, head.reason) == (100, "add", "message_below_threshold")


def test_texts_are_kept_as_lengths(path: Path) -> None:
    records = [large("c", 2), tried("c"), ruled("c", "JSON_ARRAY", at=3), stored("c", "h")]
    first, second, third, last = entries(indexed(path, *records))
    assert (first.call_id, first.message_id, first.place) == ("c", "id-of-c", 2)
    assert (first.tokens, first.threshold, first.chars) == (310, 100, 900)
    assert (second.pass_name, second.max_chars, second.rule) == ("add", 300, None)
    assert (third.rule, third.ruled_at, third.result_chars) == ("JSON_ARRAY", START + 3, 90)
    assert (last.handle, last.stored_as) == ("h", "filesystem")
    assert last.result_chars == len(records[3]["offloaded_content"])


def test_a_result_that_holds_a_marker_is_known(path: Path) -> None:
    text = "x" * 9000 + "\n[[OFFLOAD: handle=h, type=in_memory]]"
    index = indexed(path, large("a", text=text), large("b"))
    assert [entry.marked for entry in entries(index)] == [True, False]


def test_the_pass_of_an_offload_is_in_its_metadata(path: Path) -> None:
    line_ = stored("c", "h", metadata={"rule_compression_pass": "ttl"})
    assert entries(indexed(path, line_))[0].pass_name == "ttl"


def test_a_torn_line_still_says_whose_it_is(path: Path) -> None:
    whole = line(ruled("c"))
    torn = whole[: whole.index(b'"original_content"')]
    index = indexed(path, torn + line(stored("d", "h")))
    first, second = entries(index)
    assert (first.event, first.call_id, first.rule) == (RULED, "c", "LOG")
    assert (second.event, second.call_id, second.handle) == (OFFLOADED, "d", "h")
    assert [problem.offset for problem in index.problems] == [0]


def test_values_of_another_form_cost_only_themselves(path: Path) -> None:
    odd = {**large("c"), "content_tokens": "many", "message_metadata": ["no"], "place": None}
    index = indexed(path, odd, {**small("d"), "content_tokens": -5, "threshold_tokens": 10**30})
    [entry] = entries(index)
    assert (entry.call_id, entry.tokens, entry.message_id) == ("c", None, None)
    assert index.columns.total.view.tolist() == [NO_NUMBER, NO_NUMBER]
    assert index.pool.heads[-1].threshold is None


def test_lines_of_a_later_version_are_kept(path: Path) -> None:
    index = indexed(path, logged("of_tomorrow", "c", novelty=[1]))
    assert [entry.event for entry in entries(index)] == ["of_tomorrow"]


def test_other_records_in_the_file_are_none_of_it(path: Path) -> None:
    index = indexed(path, small("a"), check("D", 1, 5), small("b"))
    assert index.offloads.row.view.tolist() == [0, 2]
    assert index.columns.total.view.tolist() == [10, 5, 10]


def test_a_line_that_is_too_long_to_decode_is_known_by_its_beginning(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.sources.lines.single_line.LONG_LINE", 3_000)
    [entry] = entries(indexed(path, large("c", text="x" * 9_000)))
    assert (entry.call_id, entry.tokens) == ("c", 3_010)


def test_rows_can_be_forgotten(path: Path) -> None:
    rows = indexed(path, small("a"), large("b"), small("c"), tried("b")).offloads
    rows.truncate(2)
    assert rows.row.view.tolist() == [0, 1]
    assert list(rows.entries) == [1]


def test_a_result_is_named_by_its_id_or_by_its_call() -> None:
    assert message_key("m", "c", "s", "x") == message_key("m", None, None, None)
    assert message_key(None, "c", "s", "x") == message_key("", "c", "s", "x")
    assert message_key(None, "c", "s", "x") != message_key(None, "c", "s", "y")
    assert message_key(None, None, "s", "x") is None
    shown = [ShownMessage("c", MessageIds("m")), ShownMessage(), ShownMessage("d")]
    assert set(result_keys(shown, "s", "x")) == {
        message_key("m", None, None, None),
        message_key(None, "d", "s", "x"),
    }


def test_a_request_is_noted_where_it_first_shows_a_result(path: Path) -> None:
    def request(at: float, *calls: str) -> Record:
        messages = [
            {"role": "tool", "tool_call_id": c, "metadata": {"context_message_id": c}}
            for c in calls
        ]
        return {**check("llm_request", at, 0), "event": "pre_call", "messages": messages}

    index = indexed(path, request(0), request(1, "a"), request(2, "a", "b"))
    keys = [message_key(name, None, None, None) for name in "ab"]
    assert [index.shown[key] for key in keys if key] == [1, 2]
