"""The offset index of a JSONL file with debug records.

A file is read once, in blocks, without keeping any line: `JsonlIndex.read` continues where it
stopped, so a growing file is read by calling it again. A block whose lines are all sound is decoded
in one go; otherwise each line is tried alone, then as the pieces of a torn or glued line (a record
starts with a fixed text that cannot stand unescaped inside a string). A line without its line end
is not in the columns yet; `take_remainder` adds it for a reader who will not wait for more. The
cost is linear in the bytes, the memory 40 bytes a record and one block.

Two kinds of records say more than the columns hold: the lines of the offloader's log go to
`offloads`, and of a model call the tool results and recalls that it is the first to show go to
`shown` and `recalls`.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from inspector.sources.columns import NO_NUMBER, RecordColumns
from inspector.sources.document import read_value
from inspector.sources.header import (
    FIRST_REPEATED,
    HEADER,
    Header,
    HeadPool,
    counted_tokens,
    lenient_header,
)
from inspector.sources.message_keys import result_keys
from inspector.sources.offload_log import (
    OFFLOADER,
    LogLine,
    OffloadRows,
    lenient_line,
    read_line,
)
from inspector.sources.prefix import read_prefix
from inspector.sources.problem import Problem
from inspector.sources.recall_calls import Recalled, recalls_in

BLOCK = 1 << 20
"""Bytes read at a time."""
LONG_LINE = 4 << 20
"""Bytes from which on a line is not decoded for the index."""
MOST_PROBLEMS = 10_000
"""Problems that are listed of one file."""
_REMEMBERED = 256
"""Bytes of the beginning and of the last reading by which a file is known again."""
_HEAD_BYTES = 64 << 10
_LARGEST = 1 << 62

RECORD_START = re.compile(
    rb'\{"timestamp": ?-?[0-9][-+0-9.eE]*, ?"event": ?"'
    rb'|\{"event": ?"[^"\\]{0,80}", ?"session_id": ?'
)
"""Where a record begins, also in the middle of a damaged line."""


class SpanSizes(NamedTuple):
    """Messages in the parts of a recorded span."""

    prefix: int
    compress: int
    tail: int


_Integers = Sequence[int] | NDArray[np.int64]


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


class _Found(NamedTuple):
    offset: int
    length: int
    header: Header
    torn: bool
    raw: bytes
    """The record, or its beginning."""


_EVENT = attrgetter("event")
_BREAKS_OFF = "is a record that breaks off or is damaged; what precedes the damage is used"
_OVERLAP = 256


def never() -> bool:
    """Be the cancel flag of a job that is never cancelled."""
    return False


class JsonlIndex:
    """What is known of each record of one file.

    Attributes:
        columns: One row per record.
        spans: Sizes of the parts, by row, of the records that hold a span.
        offloads: The lines of the offloader's log.
        shown: First row of a model call that shows a tool result, by the result's number.
        recalls: First row of a model call that shows a recall, by session, context and recall.
        passed_over: Lines without a record.
        problems: Damage found so far.
        lines: Complete lines read so far.
        codes: Codes of the heads that occur.
    """

    def __init__(self, path: str | Path, pool: HeadPool) -> None:
        self.path = str(path)
        self.pool = pool
        self.columns = RecordColumns()
        self.spans: dict[int, SpanSizes] = {}
        self.offloads = OffloadRows()
        self.shown: dict[int, int] = {}
        self.recalls: dict[Recalled, int] = {}
        self.passed_over: list[PassedOver] = []
        self.problems: list[Problem] = []
        self.lines = 0
        self.codes: set[int] = set()
        self._line_start = 0
        self._scanned = 0
        self._first = b""
        self._last = b""
        self._complete = 0

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

    def goes_on(self) -> bool:
        """Tell whether the file still holds what was read of it, by the ends of what was read.

        Raises:
            OSError: the file cannot be opened or read.
        """
        with open(self.path, "rb") as file:
            first = file.read(len(self._first))
            last = _read_at(file, self._scanned - len(self._last), self._scanned)
        return first == self._first and last == self._last

    def reopened(self) -> JsonlIndex:
        """Return a copy as it was before `take_remainder`, to read on where the last line began."""
        index = copy.copy(self)
        index.columns, index.offloads = copy.deepcopy((self.columns, self.offloads))
        index.columns.truncate(self._complete)
        index.offloads.truncate(self._complete)
        index.spans = {row: sizes for row, sizes in self.spans.items() if row < self._complete}
        index.shown = {key: row for key, row in self.shown.items() if row < self._complete}
        index.recalls = {call: row for call, row in self.recalls.items() if row < self._complete}
        index.passed_over = list(self.passed_over)
        index.problems, index.codes = list(self.problems), set(index.columns.head.view.tolist())
        return index

    def read(self, cancelled: Callable[[], bool] = never) -> Iterator[int]:
        """Index what the file holds beyond the last reading; yield the bytes read after each block.

        Raises:
            OSError: the file cannot be opened or read.
        """
        with open(self.path, "rb") as file:
            file.seek(self._scanned)
            while not cancelled() and (block := file.read(BLOCK)):
                self._add_block(file, block)
                yield len(block)
                file.seek(self._scanned)

    def take_remainder(self) -> None:
        """Add what stands after the last line end, as far as it can be read.

        It may still be completed, so damage there is no problem.

        Call this once, when nothing more is expected.

        Raises:
            OSError: the file cannot be opened or read.
        """
        self._complete = len(self.columns)
        if self.awaits_line_end:
            problems, passed_over = list(self.problems), list(self.passed_over)
            with open(self.path, "rb") as file:
                found = self._line(file, self._line_start, self._scanned - self._line_start)
            self._append(found)
            self.problems, self.passed_over = problems, passed_over

    def _add_block(self, file: BinaryIO, block: bytes) -> None:
        start, self._scanned = self._scanned, self._scanned + len(block)
        self._first += block[: _REMEMBERED - len(self._first)]
        self._last = (self._last + block[-_REMEMBERED:])[-_REMEMBERED:]
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10) + start
        if not len(ends):
            return
        first = 0
        if (
            self._line_start < start or start == 0
        ):  # begun in an earlier block, or perhaps after a BOM
            self._append(self._line(file, self._line_start, int(ends[0]) - self._line_start))
            self._line_start, first = int(ends[0]) + 1, 1
            self.lines += 1
        if first < len(ends):
            body = memoryview(block)[self._line_start - start : int(ends[-1]) + 1 - start]
            starts = np.concatenate(([self._line_start], ends[first:-1] + 1))
            self._add_lines(file, body, starts, ends[first:])
        self._line_start = int(ends[-1]) + 1

    def _add_lines(
        self,
        file: BinaryIO,
        body: memoryview,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> None:
        """Add complete lines with these offsets in the file and these bytes."""
        headers = _decode_sound(body, starts - starts[0])
        if headers is not None:
            bounds = starts - starts[0], ends - starts[0]
            self._append_columns(
                starts,
                ends - starts,
                headers,
                lambda at: body[int(bounds[0][at]) : int(bounds[1][at])],
            )
            self.lines += len(starts)
            return
        origin = int(starts[0])
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            raw = bytes(body[start - origin : end - origin])
            self._append(self._line(file, start, end - start, raw))
            self.lines += 1

    def _line(
        self, file: BinaryIO, offset: int, length: int, raw: bytes | None = None
    ) -> list[_Found]:
        """Read one line by all means, noting what is wrong with it."""
        if length > LONG_LINE:
            return self._long_line(file, offset, length)
        if raw is None:
            raw = _read_at(file, offset, offset + length)
        if offset == 0 and raw.startswith(b"\xef\xbb\xbf"):
            offset, raw = 3, raw[3:]
        if not raw.strip():
            return []
        found = self._record(offset, raw)
        return self._pieces(offset, raw) if found is None else [found]

    def _record(self, offset: int, raw: bytes) -> _Found | None:
        """Read `raw` as exactly one record; None where it is not."""
        try:
            header = HEADER.decode(raw)
            if header.event is None:
                return None
            if raw.isascii() or _is_utf8(raw):
                return _Found(offset, len(raw), header, False, raw)
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
        if unfit:
            self._note(offset, f"has an unexpected value in {', '.join(unfit)}")
        return _Found(offset, len(raw), header, False, raw)

    def _pieces(self, offset: int, raw: bytes) -> list[_Found]:
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

    def _pass_over(self, offset: int, length: int) -> None:
        """Note a line that holds no record; lines in a row are one piece of damage."""
        last = self.passed_over[-1] if self.passed_over else None
        if last is not None and last.line + last.lines == self.lines + 1:
            lines = last.lines + 1
            self.passed_over[-1] = last._replace(end=offset + length, lines=lines)
            if last.noted:
                reason = f"{lines} lines from here on are no records"
                self.problems[last.noted - 1] = Problem(self.path, last.start, last.line, reason)
            return
        self._note(offset, "is not a record")
        noted = len(self.problems) if len(self.problems) < MOST_PROBLEMS else 0
        self.passed_over.append(PassedOver(offset, offset + length, self.lines + 1, 1, noted))

    def _piece(self, offset: int, raw: bytes) -> _Found:
        found = self._record(offset, raw) or self._followed(offset, raw)
        if found is not None:
            return found
        known = read_prefix(raw.decode(errors="replace"))
        header, _unfit = lenient_header(known if isinstance(known, dict) else {})
        self._note(offset, _BREAKS_OFF)
        return _Found(offset, len(raw), header, True, raw)

    def _followed(self, offset: int, raw: bytes) -> _Found | None:
        """Read a record that something else follows; None where the record itself is damaged."""
        record, length = read_value(raw)
        if length is None or not isinstance(record, dict):
            return None
        header, unfit = lenient_header(record)
        self._note(offset + length, "is something that is not a record")
        if unfit:
            self._note(offset, f"has an unexpected value in {', '.join(unfit)}")
        return _Found(offset, length, header, False, raw[:length])

    def _long_line(self, file: BinaryIO, offset: int, length: int) -> list[_Found]:
        """Read the heads of the records in a line that is too long to decode."""
        starts = _find_starts(file, offset, offset + length)
        if not starts:
            self._note(offset, f"is a line of {length} bytes that holds no record")
            return []
        if starts[0] > offset:
            self._note(offset, "begins with something that is not a record")
        ends = [*starts[1:], offset + length]
        return [self._long_piece(file, a, b) for a, b in zip(starts, ends, strict=True)]

    def _long_piece(self, file: BinaryIO, start: int, end: int) -> _Found:
        if end - start <= LONG_LINE:
            return self._piece(start, _read_at(file, start, end).rstrip())
        raw = _read_at(file, start, start + _HEAD_BYTES)
        known = read_prefix(raw.decode(errors="replace"))
        header, _unfit = lenient_header(known if isinstance(known, dict) else {})
        header.preserved_prefix = header.messages_to_compress = header.protected_tail = None
        header.messages = None
        whole = _read_at(file, end - 64, end).rstrip().endswith(b"}")
        if not whole:
            self._note(start, _BREAKS_OFF)
        return _Found(start, end - start, header, not whole, raw)

    def _note(self, offset: int, reason: str) -> None:
        if len(self.problems) == MOST_PROBLEMS:
            reason = f"{reason}; damage after this is not listed"
        if len(self.problems) <= MOST_PROBLEMS:
            self.problems.append(Problem(self.path, offset, self.lines + 1, reason))

    def _append(self, found: Sequence[_Found]) -> None:
        if found:
            self._append_columns(
                [piece.offset for piece in found],
                [piece.length for piece in found],
                [piece.header for piece in found],
                lambda at: found[at].raw,
                [piece.torn for piece in found],
            )

    def _append_columns(
        self,
        offsets: _Integers,
        lengths: _Integers,
        headers: Sequence[Header],
        raw: Callable[[int], bytes | memoryview],
        torn: Sequence[bool] | None = None,
    ) -> None:
        columns, row = self.columns, len(self.columns)
        fields = list(zip(*map(astuple, headers), strict=True))
        if None in fields[0]:  # the offloader's log has no times
            self._add_offloads(row, headers, raw)
            fields = list(zip(*map(astuple, headers), strict=True))
        time, total, target, count, statistic, report, prefix, compress, tail, messages = fields[
            :FIRST_REPEATED
        ]
        repeated = zip(*fields[FIRST_REPEATED:], strict=True)
        heads = (
            repeated
            if torn is None
            else (
                (*values, flag) if flag else values
                for values, flag in zip(repeated, torn, strict=True)
            )
        )
        columns.offset.extend(offsets)
        columns.length.extend(np.minimum(lengths, 2**32 - 1))
        columns.time.extend(np.array(time, np.float64))
        codes = self.pool.codes(heads)
        self.codes.update(codes)
        columns.head.extend(codes)
        columns.total.extend(_numbers(total))
        columns.extra.extend(np.maximum(_numbers(target), _numbers(count)))
        if any(report) or any(statistic):
            counted = map(counted_tokens, statistic, report)
            columns.total.view[row:] = np.maximum(columns.total.view[row:], _numbers([*counted]))
        if compress.count(None) < len(compress):
            self._add_spans(row, prefix, compress, tail)
        if messages.count(None) < len(messages):
            self._add_shown(row, headers)

    def _add_spans(self, row: int, *parts: Sequence[list[Any] | None]) -> None:
        for at, (prefix, compress, tail) in enumerate(zip(*parts, strict=True), row):
            if compress is not None:
                self.spans[at] = SpanSizes(len(prefix or ()), len(compress), len(tail or ()))

    def _add_offloads(
        self, row: int, headers: Sequence[Header], raw: Callable[[int], bytes | memoryview]
    ) -> None:
        """Take in the offloader's lines; what repeats in them moves to the common columns."""
        for at, header in enumerate(headers):
            if header.timestamp is not None or header.processor not in (None, OFFLOADER):
                continue
            event = header.event or ""
            entry = self.offloads.take(
                row + at, event, _log_line(event, raw(at)), header.session_id, header.context_id
            )
            header.processor, header.phase = None, entry.pass_name
            header.threshold, header.total_tokens = entry.threshold, entry.tokens
            header.target_tokens = entry.place

    def _add_shown(self, row: int, headers: Sequence[Header]) -> None:
        for at, header in enumerate(headers, row):
            if header.messages:
                keys = result_keys(header.messages, header.session_id, header.context_id)
                for key in keys.tolist():
                    self.shown.setdefault(key, at)
                for call in recalls_in(header.messages):
                    self.recalls.setdefault((header.session_id, header.context_id, call), at)


def _log_line(event: str, raw: bytes | memoryview) -> LogLine:
    line = read_line(event, raw)
    if line is None:
        text = bytes(raw).decode(errors="replace")
        try:
            known = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            known = read_prefix(text)
        line = lenient_line(event, known if isinstance(known, dict) else {})
    return line


def _read_at(file: BinaryIO, start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)


def _find_starts(file: BinaryIO, start: int, end: int) -> list[int]:
    """Return the offsets of record starts between two offsets, holding one block at a time."""
    found: list[int] = []
    for at in range(start, end, BLOCK):
        block = _read_at(file, at, min(at + BLOCK + _OVERLAP, end))
        matches = (at + match.start() for match in RECORD_START.finditer(block))
        found += [position for position in matches if not found or position > found[-1]]
    return found


def _numbers(values: Sequence[int | None]) -> NDArray[np.int64]:
    """Return the values as a column; what is missing, negative or too large becomes NO_NUMBER."""
    try:
        return np.maximum(np.array(values, np.int64), NO_NUMBER)
    except (TypeError, OverflowError):
        sound = [NO_NUMBER if v is None or not 0 <= v < _LARGEST else v for v in values]
        return np.array(sound, np.int64)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decode_sound(body: memoryview, starts: NDArray[np.int64]) -> list[Header] | None:
    """Decode all lines at once; None where any of them needs a closer look."""
    if not (np.frombuffer(body, np.uint8)[starts] == ord("{")).all():
        return None
    try:
        headers = HEADER.decode_lines(body)
        str(body, "utf-8")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    sound = len(headers) == len(starts) and None not in map(_EVENT, headers)
    return headers if sound else None


def read_bytes(path: str, offset: int, length: int) -> bytes:
    """Read a piece of a file.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def read_record(path: str, offset: int, length: int) -> dict[str, Any]:
    """Read the record at `offset`, or as much of it as is sound; empty where nothing is.

    Raises:
        OSError: the file cannot be opened or read.
    """
    text = read_bytes(path, offset, length).decode(errors="replace")
    try:
        record = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        record = read_prefix(text)
    return record if isinstance(record, dict) else {}
