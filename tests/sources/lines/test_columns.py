"""Columns that grow while others look at them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.sources.lines.columns import GrowingArray


@given(st.lists(st.lists(st.integers(0, 9), max_size=70), max_size=6))
def test_what_was_appended_is_there_in_order(parts: list[list[int]]) -> None:
    array = GrowingArray(np.int64)
    for part in parts:
        array.extend(part)
    assert array.view.tolist() == [value for part in parts for value in part]


@pytest.mark.parametrize("length", [100, 300_000], ids=["in the heap", "beyond it"])
def test_a_view_stays_as_it_was_when_its_array_is_outgrown(length: int) -> None:
    array = GrowingArray(np.int64)
    array.extend(np.arange(length))
    before = array.view
    array.extend(np.arange(length, 3 * length))
    array.view[:length] = -1
    assert np.array_equal(before, np.arange(length))
    assert np.array_equal(array.view[length:], np.arange(length, 3 * length))


def test_what_was_truncated_is_written_over() -> None:
    array = GrowingArray(np.int32)
    array.extend([1, 2, 3])
    array.truncate(1)
    array.truncate(2)
    array.extend([7])
    assert array.view.tolist() == [1, 7]
