"""One line read by all means: whole, damaged, torn, glued to others, or too long to decode.

A record starts with a fixed text that cannot stand unescaped inside a string, so the records of a
damaged line are found by it. What is wrong is noted, and what can be read is used.
"""

from __future__ import annotations

import json
import re
from typing import BinaryIO, NamedTuple

import msgspec

from inspector.sources.document import read_value
from inspector.sources.lines.header import HEADER, Header, lenient_header
from inspector.sources.prefix import read_object
from inspector.sources.problem import Problem

LONG_LINE = 4 << 20
"""Bytes from which on a line is not decoded for the index."""
MOST_PROBLEMS = 10_000
"""Problems that are listed of one file."""
RECORD_START = re.compile(
    rb'\{"timestamp": ?-?[0-9][-+0-9.eE]*, ?"event": ?"'
    rb'|\{"event": ?"[^"\\]{0,80}", ?"session_id": ?'
)
"""Where a record begins, also in the middle of a damaged line."""

_HEAD_BYTES = 64 << 10
_SEARCHED = 1 << 20
"""Bytes that are searched for records at a time, and how far each time goes into the next."""
_OVERLAP = 256
_BREAKS_OFF = "is a record that breaks off or is damaged; what precedes the damage is used"


class FoundRecord(NamedTuple):
    """A record and its place."""

    offset: int
    length: int
    header: Header
    torn: bool
    raw: bytes
    """The record, or its beginning."""


class PassedOver(NamedTuple):
    """Lines without a record."""

    start: int
    """Byte offset of the first one; `end` is that after the last one."""
    end: int
    line: int
    """1-based number of the first one."""
    lines: int
    noted: int
    """Number of the problem that says so; 0 where it is not listed."""


class LineReader:
    """Reads single lines of a file.

    Attributes:
        problems: What was wrong with the lines so far.
        passed_over: Those without a record.
    """

    def __init__(self, path: str) -> None:
        self.problems: list[Problem] = []
        self.passed_over: list[PassedOver] = []
        self._path = path
        self._line = 0

    def copy(self) -> LineReader:
        """Return one that knows of the same damage."""
        reader = LineReader(self._path)
        reader.problems, reader.passed_over = list(self.problems), list(self.passed_over)
        return reader

    def read(self, file: BinaryIO, line: int, start: int, end: int) -> list[FoundRecord]:
        """Read the records of a line.

        Args:
            file: It stands in it.
            line: Its 1-based number.
            start: Byte offset of the line.
            end: Byte offset of its end.
        """
        if end - start <= LONG_LINE:
            return self.read_bytes(line, start, read_at(file, start, end))
        self._line = line
        return self._long_line(file, start, end)

    def read_bytes(self, line: int, offset: int, raw: bytes) -> list[FoundRecord]:
        """Read the records of a line with these bytes."""
        self._line = line
        if offset == 0 and raw.startswith(b"\xef\xbb\xbf"):
            offset, raw = 3, raw[3:]
        if not raw.strip():
            return []
        found = self._record(offset, raw)
        return self._pieces(offset, raw) if found is None else [found]

    def _record(self, offset: int, raw: bytes) -> FoundRecord | None:
        """Read `raw` as exactly one record; None where it is not."""
        try:
            header = HEADER.decode(raw)
            if header.event is None:
                return None
            if _is_utf8(raw):
                return FoundRecord(offset, len(raw), header, False, raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        try:
            record = json.loads(raw.decode(errors="replace"), strict=False)
        except (ValueError, RecursionError):
            return None
        if not isinstance(record, dict):
            return None
        header, unfit = lenient_header(record)
        if header.event is None:
            return None
        if not _is_utf8(raw):
            self._note(offset, "holds bytes that are not UTF-8")
        self._note_unfit(offset, unfit)
        return FoundRecord(offset, len(raw), header, False, raw)

    def _pieces(self, offset: int, raw: bytes) -> list[FoundRecord]:
        """Read the records of a damaged line."""
        starts = [match.start() for match in RECORD_START.finditer(raw)]
        if not starts:
            self._pass_over(offset, len(raw))
            return []
        if raw[: starts[0]].strip():
            self._note(offset, "begins with something that is not a record")
        found = [
            self._piece(offset + start, raw[start:end].rstrip())
            for start, end in zip(starts, [*starts[1:], len(raw)], strict=True)
        ]
        if len(found) > 1 and not any(piece.torn for piece in found):
            self._note(offset, f"{len(found)} records stand on one line")
        return found

    def _piece(self, offset: int, raw: bytes) -> FoundRecord:
        found = self._record(offset, raw) or self._followed(offset, raw)
        return found or self._torn(offset, raw)

    def _followed(self, offset: int, raw: bytes) -> FoundRecord | None:
        """Read a record that something else follows; None where the record itself is damaged."""
        record, length = read_value(raw)
        if length is None or not isinstance(record, dict):
            return None
        header, unfit = lenient_header(record)
        self._note(offset + length, "is something that is not a record")
        self._note_unfit(offset, unfit)
        return FoundRecord(offset, length, header, False, raw[:length])

    def _torn(self, offset: int, raw: bytes) -> FoundRecord:
        self._note(offset, _BREAKS_OFF)
        return FoundRecord(offset, len(raw), _header_before_damage(raw), True, raw)

    def _pass_over(self, offset: int, length: int) -> None:
        """Note a line that holds no record; lines in a row are one piece of damage."""
        last = self.passed_over[-1] if self.passed_over else None
        if last is not None and last.line + last.lines == self._line:
            lines = last.lines + 1
            self.passed_over[-1] = last._replace(end=offset + length, lines=lines)
            if last.noted:
                reason = f"{lines} lines from here on are no records"
                self.problems[last.noted - 1] = Problem(self._path, last.start, last.line, reason)
            return
        self._note(offset, "is not a record")
        noted = len(self.problems) if len(self.problems) < MOST_PROBLEMS else 0
        self.passed_over.append(PassedOver(offset, offset + length, self._line, 1, noted))

    def _long_line(self, file: BinaryIO, start: int, end: int) -> list[FoundRecord]:
        """Read the heads of the records in a line that is too long to decode."""
        starts = _find_starts(file, start, end)
        if not starts:
            self._note(start, f"is a line of {end - start} bytes that holds no record")
            return []
        if starts[0] > start:
            self._note(start, "begins with something that is not a record")
        return [
            self._long_piece(file, a, b) for a, b in zip(starts, [*starts[1:], end], strict=True)
        ]

    def _long_piece(self, file: BinaryIO, start: int, end: int) -> FoundRecord:
        if end - start <= LONG_LINE:
            return self._piece(start, read_at(file, start, end).rstrip())
        raw = read_at(file, start, start + _HEAD_BYTES)
        header = _header_before_damage(raw)
        header.preserved_prefix = header.messages_to_compress = header.protected_tail = None
        header.messages = None
        whole = read_at(file, end - 64, end).rstrip().endswith(b"}")
        if not whole:
            self._note(start, _BREAKS_OFF)
        return FoundRecord(start, end - start, header, not whole, raw)

    def _note_unfit(self, offset: int, keys: list[str]) -> None:
        if keys:
            self._note(offset, f"has an unexpected value in {', '.join(keys)}")

    def _note(self, offset: int, reason: str) -> None:
        if len(self.problems) == MOST_PROBLEMS:
            reason = f"{reason}; damage after this is not listed"
        if len(self.problems) <= MOST_PROBLEMS:
            self.problems.append(Problem(self._path, offset, self._line, reason))


def read_at(file: BinaryIO, start: int, end: int) -> bytes:
    """Return the bytes between two offsets."""
    file.seek(start)
    return file.read(end - start)


def _header_before_damage(raw: bytes) -> Header:
    return lenient_header(read_object(raw.decode(errors="replace")))[0]


def _find_starts(file: BinaryIO, start: int, end: int) -> list[int]:
    """Return the offsets of record starts between two offsets, holding one block at a time."""
    found: list[int] = []
    for at in range(start, end, _SEARCHED):
        block = read_at(file, at, min(at + _SEARCHED + _OVERLAP, end))
        matches = (at + match.start() for match in RECORD_START.finditer(block))
        found += [position for position in matches if not found or position > found[-1]]
    return found


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
