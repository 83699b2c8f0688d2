"""Records that stand there twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.trace.evidence.copies import copied

Place = tuple[int, int, int, int]


def again(rows: list[Place], in_files: bool = True) -> list[bool]:
    """Mark copies among rows of (moment, file, row, rest)."""
    moment, file, row, rest = (np.array(column) for column in zip(*rows, strict=True))
    places = row.astype(np.int32) if in_files else None
    found = copied(moment.astype(float), file.astype(np.int32), places, [rest])
    return [bool(copy) for copy in found]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(1, 0, 0, 7), (2, 0, 1, 7)], [False, False]),
        ([(1, 0, 0, 7), (1, 1, 0, 7)], [False, True]),
        ([(1, 0, 0, 7), (1, 1, 0, 8)], [False, False]),
        ([(1, 0, 0, 7), (1, 0, 1, 7)], [False, False]),  # a pair
        ([(1, 0, 0, 7), (1, 0, 5, 7)], [False, True]),  # a file glued to itself
        ([(1, 0, 0, 7), (1, 0, 1, 7), (1, 1, 0, 7), (1, 1, 1, 7)], [False, False, True, True]),
        ([(1, 1, 0, 7), (1, 0, 0, 7)], [True, False]),
    ],
)
def test_copies(rows: list[Place], expected: list[bool]) -> None:
    assert again(rows) == expected


def test_only_other_files_may_count() -> None:
    rows = [(1, 0, 0, 7), (1, 0, 5, 7), (1, 1, 0, 7)]
    assert again(rows, in_files=False) == [False, False, True]


def test_records_without_a_moment_are_no_copies() -> None:
    moment = np.full(3, np.nan)
    file = np.array([0, 1, 2], np.int32)
    assert not copied(moment, file, file, [file]).any()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=30),
    st.integers(2, 4),
)
def test_a_file_and_its_copies_tell_as_much_as_the_file(
    records: list[tuple[int, int]], files: int
) -> None:
    rows = [(m, f, n, rest) for f in range(files) for n, (m, rest) in enumerate(sorted(records))]
    alone = again([row for row in rows if row[1] == 0])
    found = again(rows)
    assert found[: len(records)] == alone
    assert all(found[len(records) :])
