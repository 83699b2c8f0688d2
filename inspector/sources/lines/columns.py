"""The columns of a record index, which grow while a file is read.

A column doubles its buffer when it is full, so appending is linear, and a view handed out earlier
stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from mmap import mmap
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

NO_NUMBER = -1
"""Stands for "the record has no such number" in integer columns."""

Scalar = TypeVar("Scalar", bound=np.generic)

_LARGE = 1 << 20
"""Bytes."""


def known_count(value: np.int64) -> int | None:
    """Return a value of an integer column; None where the record has none."""
    return None if value == NO_NUMBER else int(value)


def _room(length: int, dtype: np.dtype[Scalar]) -> NDArray[Scalar]:
    """Return an array to fill; of a large one all memory goes back to the system in the end.

    A heap would keep the holes that outgrown arrays leave.
    """
    bytes_ = length * dtype.itemsize
    return np.empty(length, dtype) if bytes_ < _LARGE else np.frombuffer(mmap(-1, bytes_), dtype)


class GrowingArray(Generic[Scalar]):
    """A one-dimensional array with room to grow."""

    def __init__(self, dtype: type[Scalar]) -> None:
        self._buffer: NDArray[Scalar] = np.empty(64, dtype)
        self._used = 0

    def extend(self, values: NDArray[Any] | Sequence[Any]) -> None:
        """Append `values`."""
        self.grow(len(values))
        self._buffer[self._used - len(values) : self._used] = values

    def grow(self, count: int) -> None:
        """Append so many values that are to be set through the view."""
        needed = self._used + count
        if needed > len(self._buffer):
            larger = _room(max(needed, 2 * len(self._buffer)), self._buffer.dtype)
            larger[: self._used] = self._buffer[: self._used]
            self._buffer = larger
        self._used = needed

    def truncate(self, length: int) -> None:
        """Forget what follows the first `length` values; views of it must not be used any more."""
        self._used = min(self._used, length)

    @property
    def view(self) -> NDArray[Scalar]:
        """The values so far, without a copy."""
        return self._buffer[: self._used]


@dataclass
class RecordColumns:
    """One row per record of a file, in the order of the file: 40 bytes each."""

    offset: GrowingArray[np.int64] = field(default_factory=lambda: GrowingArray(np.int64))
    """Byte offset of the record in its file."""
    length: GrowingArray[np.uint32] = field(default_factory=lambda: GrowingArray(np.uint32))
    """Bytes, without the line end."""
    time: GrowingArray[np.float64] = field(default_factory=lambda: GrowingArray(np.float64))
    """Epoch seconds, NaN where the record has none."""
    head: GrowingArray[np.int32] = field(default_factory=lambda: GrowingArray(np.int32))
    """Code in the `HeadPool`."""
    total: GrowingArray[np.int64] = field(default_factory=lambda: GrowingArray(np.int64))
    """Tokens of the window, of the tool result in the offloader's log, or NO_NUMBER."""
    extra: GrowingArray[np.int64] = field(default_factory=lambda: GrowingArray(np.int64))
    """A check's `target_tokens`, a model call's `message_count`, the `message_index` of a line of
    the offloader's log, or NO_NUMBER."""

    def __len__(self) -> int:
        return len(self.offset.view)

    def extend(self, offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> int:
        """Append rows that are to be filled in but for their places; return the first one."""
        first = len(self)
        self.offset.extend(offsets)
        self.length.extend(np.minimum(lengths, 2**32 - 1))
        for column in (self.time, self.head, self.total, self.extra):
            column.grow(len(offsets))
        return first

    def truncate(self, length: int) -> None:
        """Forget the rows after the first `length`."""
        for column in (self.offset, self.length, self.time, self.head, self.total, self.extra):
            column.truncate(length)
