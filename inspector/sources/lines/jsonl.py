"""The offset index of a JSONL file with debug records.

A file is read once, in blocks, without keeping any line: `JsonlIndex.read` continues where it
stopped, so a growing file is read by calling it again. Of the lines of a block those that are alike
are read together (`alike`) and the others decoded in one go (`sound_lines`); where that finds
damage, each line is read alone (`single_line`). What is found goes to a table (`record_table`). A
line without its line end is not in there yet; `take_remainder` adds it for a reader who will not
wait for more. The cost is linear in the bytes, the memory 40 bytes a record and one block.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from engine.debug.records import Outcome
from inspector.sources.lines.alike import Forms
from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.record_table import RecordTable
from inspector.sources.lines.single_line import FoundRecord, LineReader, PassedOver, read_at
from inspector.sources.lines.sound_lines import decode_sound, line_ends
from inspector.sources.prefix import read_object
from inspector.sources.problem import Problem
from inspector.sources.regular_file import open_regular

BLOCK = 1 << 20
"""Bytes read at a time."""
_REMEMBERED = 256
"""Bytes of the beginning and of the last reading by which a file is known again."""
_LONG = 1024
"""Bytes of a line above which line ends are few."""


def never() -> bool:
    """Be the cancel flag of a job that is never cancelled."""
    return False


class JsonlIndex(RecordTable):
    """The records of one file, and how far it is read.

    Attributes:
        path: The file.
        lines: Complete lines read so far.
    """

    def __init__(self, path: str | Path, pool: HeadPool) -> None:
        super().__init__(pool)
        self.path = str(path)
        self.lines = 0
        self._outcomes: dict[int, Outcome | None] = {}
        self._reader = LineReader(self.path)
        self._forms = Forms()
        self._line_start = 0
        self._scanned = 0
        self._first = b""
        self._last = b""
        self._complete = 0

    @property
    def problems(self) -> list[Problem]:
        """Damage found so far."""
        return self._reader.problems

    @property
    def passed_over(self) -> list[PassedOver]:
        """Lines without a record."""
        return self._reader.passed_over

    @property
    def scanned(self) -> int:
        """Bytes of the file that were read."""
        return self._scanned

    @property
    def last_line(self) -> int:
        """Byte offset of what stands after the last line end."""
        return self._line_start

    @property
    def awaits_line_end(self) -> bool:
        """Whether something stands after the last line end."""
        return self._scanned > self._line_start

    def outcome(self, row: int) -> Outcome | None:
        """Return the end that a record states, which is read once; None where it is damaged.

        Of the messages that it holds only those are kept that stand for offloaded ones.

        Raises:
            OSError: the file cannot be read.
        """
        if row not in self._outcomes:
            columns = self.columns
            offset, length = int(columns.offset.view[row]), int(columns.length.view[row])
            self._outcomes[row] = _outcome(read_record(self.path, offset, length))
        return self._outcomes[row]

    def goes_on(self) -> bool:
        """Tell whether the file still holds what was read of it, by the ends of what was read.

        Raises:
            OSError: the file cannot be opened or read.
        """
        with open_regular(self.path) as file:
            first = file.read(len(self._first))
            last = read_at(file, self._scanned - len(self._last), self._scanned)
        return first == self._first and last == self._last

    def reopened(self) -> JsonlIndex:
        """Return a copy as it was before `take_remainder`, to read on where the last line began."""
        index = self.shortened(self._complete)
        index._outcomes = {row: end for row, end in self._outcomes.items() if row < self._complete}
        index._reader = self._reader.copy()
        return index

    def read(self, cancelled: Callable[[], bool] = never) -> Iterator[int]:
        """Index what the file holds beyond the last reading; yield the bytes read after each block.

        Raises:
            OSError: the file cannot be opened or read.
        """
        with open_regular(self.path) as file:
            size = os.fstat(file.fileno()).st_size
            while self._scanned < size and not cancelled():
                start = self._resume()
                block = read_at(file, start, min(start + BLOCK, size))
                new = start + len(block) - self._scanned
                if new <= 0:  # it has become shorter
                    return
                self._add_block(file, start, block)
                yield new

    def take_remainder(self) -> None:
        """Add what stands after the last line end, as far as it can be read.

        It may still be completed, so damage there is no problem.

        Call this once, when nothing more is expected.

        Raises:
            OSError: the file cannot be opened or read.
        """
        self._complete = len(self.columns)
        if self.awaits_line_end:
            reader = LineReader(self.path)
            with open_regular(self.path) as file:
                self.add_found(reader.read(file, self.lines + 1, self._line_start, self._scanned))

    def _resume(self) -> int:
        """Return where to read on: at the line that has begun, unless that is a long one."""
        begun = self._scanned - self._line_start
        return self._line_start if begun <= BLOCK // 8 else self._scanned

    def _add_block(self, file: BinaryIO, start: int, block: bytes) -> None:
        new = memoryview(block)[self._scanned - start :]
        self._scanned = start + len(block)
        self._first += new[: _REMEMBERED - len(self._first)]
        self._last = (self._last + bytes(new[-_REMEMBERED:]))[-_REMEMBERED:]
        ends = line_ends(block, self._line_start > _LONG * self.lines) + start
        if len(ends) and (self._line_start < start or start == 0):
            # begun in an earlier block, or perhaps after a BOM
            end, ends = int(ends[0]), ends[1:]
            self.add_found(self._reader.read(file, self.lines + 1, self._line_start, end))
            self._line_start = end + 1
            self.lines += 1
        if len(ends):
            body = memoryview(block)[self._line_start - start : int(ends[-1]) + 1 - start]
            starts = np.concatenate(([self._line_start], ends[:-1] + 1))
            self._add_lines(body, starts, ends - starts, block.isascii())
            self._line_start = int(ends[-1]) + 1
            self.lines += len(ends)

    def _add_lines(
        self,
        body: memoryview,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        ascii_only: bool,
    ) -> None:
        """Add complete lines with these bytes, these offsets in the file and these lengths."""
        places = starts - starts[0]
        groups = list(self._forms.alike(body, places, lengths))
        others = np.ones(len(starts), np.bool_)
        for group in groups:
            others[group.at] = False
        at = np.flatnonzero(others)
        bounds = places[at], (places + lengths)[at]

        def line(number: int) -> memoryview:
            return body[int(bounds[0][number]) : int(bounds[1][number])]

        rest = memoryview(b"\n".join(map(line, range(len(at))))) if groups else body
        objects = (np.frombuffer(body, np.uint8)[places] == ord("{")).all()
        headers = decode_sound(rest, len(at), ascii_only) if objects else None
        if headers is None:
            self.add_found(self._read_each(body, starts, lengths))
            return
        first = self.columns.extend(starts, lengths)
        self.fill(first + at, headers, line)
        for group in groups:
            self.fill_alike(first + group.at, group)

    def _read_each(
        self, body: memoryview, starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> list[FoundRecord]:
        """Read lines one by one."""
        origin, found = int(starts[0]), list[FoundRecord]()
        for at, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
            raw = bytes(body[start - origin : start - origin + length])
            found += self._reader.read_bytes(self.lines + 1 + at, start, raw)
        return found


def _outcome(record: dict[str, Any]) -> Outcome | None:
    record.pop("replaced", None)
    if record.get("outcome") != "offloaded":
        record.pop("replacement", None)
    try:
        return Outcome.model_validate(record)
    except ValidationError:
        return None


def read_bytes(path: str, offset: int, length: int) -> bytes:
    """Read a piece of a file.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(path) as file:
        file.seek(offset)
        return file.read(length)


def read_record(path: str, offset: int, length: int) -> dict[str, Any]:
    """Read the record at `offset`, or as much of it as is sound; empty where nothing is.

    Raises:
        OSError: the file cannot be opened or read.
    """
    return read_object(read_bytes(path, offset, length).decode(errors="replace"))
