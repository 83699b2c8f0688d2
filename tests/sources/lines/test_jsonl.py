"""Records found in lines of every quality."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.sources.lines import jsonl, single_line
from inspector.sources.lines.header import Head, HeadPool
from inspector.sources.lines.jsonl import JsonlIndex, read_record
from tests.debug_files import check, hit, line, retry, span

TEXT = st.text(max_size=20)
PAYLOADS = st.dictionaries(
    TEXT, st.one_of(TEXT, st.integers(), st.booleans(), st.none(), st.lists(TEXT)), max_size=3
)


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    made = []
    for at in range(draw(st.integers(1, 8))):
        total = draw(st.integers(0, 10_000))
        record = draw(
            st.sampled_from(
                [
                    check("DialogueCompressor", at, total),
                    hit("CurrentRoundCompressor", at, total),
                    span("CurrentRoundCompressor", at),
                    retry(
                        "CurrentRoundCompressor", at, 1, "budget_ratio_shrink", budget_ratio=0.85
                    ),
                ]
            )
        )
        made.append({**record, "extra": draw(PAYLOADS)})
    return made


def indexed(path: Path, content: bytes | None = None) -> JsonlIndex:
    if content is not None:
        path.write_bytes(content)
    index = JsonlIndex(path, HeadPool())
    list(index.read())
    return index


def rows(index: JsonlIndex) -> list[tuple[int, int, float, Head, int, int]]:
    columns = index.columns
    return [
        (int(offset), int(length), float(time), index.pool.heads[head], int(total), int(extra))
        for offset, length, time, head, total, extra in zip(
            columns.offset.view,
            columns.length.view,
            columns.time.view,
            columns.head.view,
            columns.total.view,
            columns.extra.view,
            strict=True,
        )
    ]


def texts(index: JsonlIndex) -> list[dict[str, Any]]:
    """Return the records as they are read back from their places."""
    return [read_record(index.path, row[0], row[1]) for row in rows(index)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "DialogueCompressor.jsonl"


@given(made=records(), block=st.integers(1, 300))
def test_every_record_is_found_whatever_the_block_size(
    made: list[dict[str, Any]], block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("index") / "a.jsonl"
    path.write_bytes(b"".join(map(line, made)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", block)
        index = indexed(path)
    assert texts(index) == made
    assert rows(index) == rows(indexed(path))
    assert not index.problems


@given(made=records(), cuts=st.lists(st.floats(0, 1), max_size=5))
def test_a_growing_file_is_read_once(
    made: list[dict[str, Any]], cuts: Sequence[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("index") / "a.jsonl"
    content = b"".join(map(line, made))
    index = JsonlIndex(path, HeadPool())
    for cut in sorted(cuts):
        path.write_bytes(content[: int(cut * len(content))])
        list(index.read())
    path.write_bytes(content)
    list(index.read())
    assert rows(index) == rows(indexed(path))
    assert not index.problems


@given(made=records(), data=st.data())
def test_damage_costs_only_the_record_it_is_in(
    made: list[dict[str, Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = list(map(line, made))
    victim = data.draw(st.integers(0, len(lines) - 1))
    start = data.draw(st.integers(0, len(lines[victim]) - 2))
    end = data.draw(st.integers(start + 1, len(lines[victim])))
    lines[victim] = lines[victim][:start] + lines[victim][end:]
    path = tmp_path_factory.mktemp("index") / "a.jsonl"
    index = indexed(path, b"".join(lines))
    index.take_remainder()
    found = texts(index)
    for at, record in enumerate(made):
        if at != victim:
            assert record in found


def test_what_repeats_is_kept_once(path: Path) -> None:
    index = indexed(path, b"".join(line(check("D", at, 100 + at)) for at in range(50)))
    assert len(index.pool.heads) == 1
    assert index.columns.total.view.tolist() == list(range(100, 150))
    head = index.pool.heads[0]
    assert (head.processor, head.session_id, head.context_id) == ("D", "sess", "main")
    assert (head.threshold, head.capacity, head.hit) == (8_000, 10_000, False)


def test_a_span_is_counted_and_a_model_call_measured(path: Path) -> None:
    call = {
        **check("llm_request", 2, 0),
        "event": "pre_call",
        "message_count": 7,
        "usage_report": {"context_window": {"input_tokens": 321}},
    }
    del call["total_tokens"]
    items = [{"role": "user", "tokens": 1, "preview": "x"}]
    index = indexed(path, line(span("D", 1, items, items * 3, items * 2)) + line(call))
    assert index.spans == {0: (1, 3, 2)}
    assert index.columns.total.view[1] == 321
    assert index.columns.extra.view[1] == 7


def test_records_that_were_glued_are_taken_apart(path: Path) -> None:
    whole = [check("D", at, at) for at in range(4)]
    torn = line(whole[0])[:-20]
    index = indexed(path, torn + line(whole[1]) + line(whole[2]).rstrip() + line(whole[3]))
    assert texts(index)[1:] == whole[1:]
    assert [row[3].torn for row in rows(index)] == [True, False, False, False]
    assert rows(index)[0][3].session_id == "sess"
    assert [problem.offset for problem in index.problems] == [0, len(torn + line(whole[1]))]
    assert [problem.line for problem in index.problems] == [1, 2]


def test_a_torn_span_is_still_evidence(path: Path) -> None:
    torn = line(span("D", 1))[:200]
    index = indexed(path, torn + b"\n" + line(check("D", 2, 5)))
    head = rows(index)[0][3]
    assert (head.event, head.processor, head.context_id, head.torn) == (
        "span_built",
        "D",
        "main",
        True,
    )
    assert len(index.problems) == 1


def test_an_unfinished_last_line_is_no_problem(path: Path) -> None:
    content = line(check("D", 1, 5)) + line(hit("D", 2))[:150]
    index = indexed(path, content)
    assert len(index.columns) == 1
    index.take_remainder()
    assert [row[3].event for row in rows(index)] == ["threshold_check"] * 2
    assert rows(index)[1][3].torn
    assert not index.problems


def test_a_last_line_that_lacks_only_its_end_counts(path: Path) -> None:
    index = indexed(path, line(check("D", 1, 5)).rstrip())
    index.take_remainder()
    assert [row[3].torn for row in rows(index)] == [False]


def escaped(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


@pytest.mark.parametrize(
    ("odd", "problems"),
    [
        pytest.param(b"\n\r\n   \n", 0, id="blank lines"),
        pytest.param(line({**check("D", 1, 5), "x": "\u2028\u2029\x85"}), 0, id="U+2028"),
        pytest.param(line({**check("D", 1, 5), "x": float("nan")}), 0, id="NaN"),
        pytest.param(escaped({**check("D", 1, 5), "x": "\ud800"}), 0, id="lone surrogate"),
        pytest.param(
            escaped({**check("D", 1, 5), "session_id": "\udfff"}), 0, id="surrogate in an id"
        ),
        pytest.param(line(check("D", 1, 5)).replace(b"\n", b"\r\n"), 0, id="CRLF"),
        pytest.param(
            line({**check("D", 1, 5), "x": "Z"}).replace(b"Z", b"\xff"), 1, id="bad UTF-8"
        ),
        pytest.param(line({**check("D", 1, 5), "total_tokens": "many"}), 1, id="text for a number"),
        pytest.param(line({**check("D", 1, 5), "hit": None}), 0, id="null"),
        pytest.param(line({**check("D", 1, 10**30)}), 0, id="a number beyond all bounds"),
        pytest.param(b"not JSON at all\n", 1, id="text"),
        pytest.param(b"[1, 2]\n", 1, id="a list"),
        pytest.param(b"\x00" * 500 + b"\n", 1, id="zero bytes"),
        pytest.param(b'{"a": ' + b"[" * 100_000 + b"\n", 1, id="deep and torn"),
    ],
)
def test_odd_lines_leave_their_neighbours_alone(path: Path, odd: bytes, problems: int) -> None:
    before, after = check("D", 0, 1), check("D", 9, 2)
    index = indexed(path, line(before) + odd + line(after))
    found = texts(index)
    assert found[0] == before
    assert found[-1] == after
    assert len(index.problems) == problems


def test_a_deep_record_keeps_its_head(path: Path) -> None:
    deep = line(check("D", 1, 5))[:-2] + b', "x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"
    index = indexed(path, deep + line(check("D", 2, 6)))
    assert index.columns.total.view.tolist() == [5, 6]


def test_a_byte_order_mark_is_skipped(path: Path) -> None:
    index = indexed(path, b"\xef\xbb\xbf" + line(check("D", 1, 5)))
    assert index.columns.total.view.tolist() == [5]
    assert index.columns.offset.view.tolist() == [3]


def test_a_long_line_is_not_decoded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_line, "LONG_LINE", 3_000)
    monkeypatch.setattr(jsonl, "BLOCK", 1_000)
    monkeypatch.setattr(single_line, "_HEAD_BYTES", 800)
    long = {**check("D", 1, 5), "messages": ["x" * 100] * 100}
    torn = line({**check("D", 2, 6), "messages": ["y" * 100] * 100})[:-300]
    index = indexed(path, line(long) + torn + line(check("D", 3, 7)))
    assert index.columns.total.view.tolist() == [5, 6, 7]
    assert [row[3].torn for row in rows(index)] == [False, True, False]
    assert texts(index)[0] == long
    assert len(index.problems) == 1


def test_endless_damage_is_summed_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_line, "MOST_PROBLEMS", 3)
    index = indexed(path, (b"x\n" + line(check("D", 3, 7))) * 50)
    assert len(index.problems) == 4
    assert index.columns.total.view.tolist() == [7] * 50


def test_lines_of_damage_in_a_row_are_one_problem(path: Path) -> None:
    index = indexed(path, line(check("D", 1, 5)) + b"x\n" * 50 + line(check("D", 3, 7)))
    [problem] = index.problems
    assert (problem.line, problem.reason) == (2, "50 lines from here on are no records")
    assert index.columns.total.view.tolist() == [5, 7]


def test_what_follows_a_record_does_not_damage_it(path: Path) -> None:
    whole = line(check("Dé", 1, 5)).rstrip()
    index = indexed(path, whole + b'\xff"}{"\n')
    assert index.columns.total.view.tolist() == [5]
    assert index.columns.length.view.tolist() == [len(whole)]
    assert not index.pool.heads[int(index.columns.head.view[0])].torn
    assert [problem.offset for problem in index.problems] == [len(whole)]


def test_cancelling_stops_between_blocks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "BLOCK", 500)
    path.write_bytes(line(check("D", 1, 5)) * 20)
    index = JsonlIndex(path, HeadPool())
    answers = iter([False, False])
    list(index.read(lambda: next(answers, True)))
    assert 0 < len(index.columns) < 20
    list(index.read())
    assert len(index.columns) == 20
