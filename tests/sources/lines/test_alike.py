"""Lines that are read together say what each of them says by itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.sources.lines.alike import FEWEST, Forms
from inspector.sources.lines.header import HEADER, HeadPool
from inspector.sources.lines.jsonl import JsonlIndex
from tests.debug_files import START, check, line

SECONDS = st.floats(1 << 30, (1 << 31) - 1)
COUNTS = st.integers(0, 10**15 - 1)


def grouped(lines: list[bytes]) -> dict[int, dict[str, float]]:
    """Return the numbers of the lines that were read together, by position."""
    body = b"".join(lines)
    ends = np.flatnonzero(np.frombuffer(body, np.uint8) == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1))
    found = {}
    for group in Forms().alike(memoryview(body), starts, ends - starts):
        for n, at in enumerate(group.at.tolist()):
            found[at] = {name: float(values[n]) for name, values in group.numbers.items()}
    return found


@given(st.lists(st.tuples(SECONDS, COUNTS), min_size=1, max_size=3))
@example([(1795987424.9695983, 0), (1795987424.0, 7)])
def test_numbers_are_those_that_a_decoder_reads(drawn: list[tuple[float, int]]) -> None:
    lines = [line({**check("D", 0, total), "timestamp": time}) for time, total in drawn] * FEWEST
    read = grouped(lines)
    for at, found in read.items():
        header = HEADER.decode(lines[at])
        assert found["timestamp"] == header.timestamp
        assert found["total_tokens"] == header.total_tokens


def test_of_two_sessions_in_turn_both_are_read_together() -> None:
    lines = [line({**check("D", n, n % 10), "session_id": f"s{n % 2}"}) for n in range(200)]
    assert len(grouped(lines)) > 150


ODD: dict[str, Any] = {
    "nested": {"x": {"total_tokens": 1}},
    "a list": {"x": [1]},
    "escapes": {"x": '"total_tokens": 1'},
    "fraction": {"total_tokens": 1.5},
    "long ago": {"timestamp": 12.5},
    "no event": {"event": None},
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_what_takes_more_than_a_glance_is_left_to_the_decoder(odd: dict[str, Any]) -> None:
    assert not grouped([line({**check("D", n % 10, 7), **odd}) for n in range(2 * FEWEST)][:-1])


DAMAGED = {
    "leading zero": (b'"total_tokens": 5', b'"total_tokens": 05'),
    "letter": (b'"total_tokens": 5', b'"total_tokens": x'),
    "sign": (b'"total_tokens": 50', b'"total_tokens": -5'),
    "name": (b'"threshold_check"', b'"threshold_chec?"'),
    "two points": (b".25", b"..5"),
}


@pytest.mark.parametrize(("sound", "damaged"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_line_is_not_taken_for_its_neighbours(sound: bytes, damaged: bytes) -> None:
    lines = [line({**check("D", 0, 50), "timestamp": START + n + 0.25}) for n in range(99)]
    lines[50] = lines[50].replace(sound, damaged)
    assert sorted({*range(98)} - grouped(lines).keys()) == [50]


def test_the_index_holds_the_same_either_way(tmp_path: Path) -> None:
    made = [check("D", n, n * 97 % 12_000) for n in range(500)]
    path = tmp_path / "D.jsonl"
    path.write_bytes(b"".join(map(line, made)))
    index = JsonlIndex(path, HeadPool())
    list(index.read())
    assert index.columns.total.view.tolist() == [record["total_tokens"] for record in made]
    assert index.columns.time.view.tolist() == [record["timestamp"] for record in made]
    assert {*index.columns.extra.view.tolist()} == {-1}
