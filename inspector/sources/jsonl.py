"""The offset index of a JSONL file with debug records.

A file is read once, in blocks, without keeping any line: `JsonlIndex.read` continues where it
stopped, so a growing file is read by calling it again. Of the lines of a block those that are alike
are read together (`alike`) and the others decoded in one go; where that finds damage, each line is
read alone (`single_line`). A line without its line end is not in the columns yet; `take_remainder`
adds it for a reader who will not wait for more. The cost is linear in the bytes, the memory 40
bytes a record and one block.

Two kinds of records say more than the columns hold: the lines of the offloader's log go to
`offloads`, and of a model call the tool results and recalls that it is the first to show go to
`shown` and `recalls`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray
from pydantic import ValidationError

from engine.debug.records import Outcome, SpanCounts
from inspector.sources.alike import AlikeLines, Forms
from inspector.sources.columns import NO_NUMBER, RecordColumns
from inspector.sources.header import FIRST_REPEATED, HEADER, Header, HeadPool, counted_tokens
from inspector.sources.message_keys import result_keys
from inspector.sources.offload_log import (
    LOG_HEADER,
    OFFLOADER,
    LogHeader,
    OffloadRows,
    read_log_header,
)
from inspector.sources.prefix import read_object
from inspector.sources.problem import Problem
from inspector.sources.recall_calls import Recalled, recalls_in
from inspector.sources.single_line import FoundRecord, LineReader, PassedOver, read_at

BLOCK = 1 << 20
"""Bytes read at a time."""
_REMEMBERED = 256
"""Bytes of the beginning and of the last reading by which a file is known again."""
_LARGEST = 1 << 62
_BEYOND_ASCII = np.uint64(0x8080808080808080)
_LONG = 1024
"""Bytes of a line above which line ends are few."""
_EVENT, _TIME = attrgetter("event"), attrgetter("timestamp")
_FIELDS = len(Header.__struct_fields__)
_LOG_START = b'{"event"'


class SpanSizes(NamedTuple):
    """Messages in the parts of a recorded span."""

    prefix: int
    compress: int
    tail: int

    @classmethod
    def of(cls, counts: SpanCounts) -> SpanSizes:
        """Return the sizes of a final span."""
        return cls(
            counts.preserved_prefix_count,
            counts.messages_to_compress_count,
            counts.protected_tail_count,
        )


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
        self.lines = 0
        self.codes: set[int] = set()
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
        with open(self.path, "rb") as file:
            first = file.read(len(self._first))
            last = read_at(file, self._scanned - len(self._last), self._scanned)
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
        index._outcomes = {row: end for row, end in self._outcomes.items() if row < self._complete}
        index.codes = set(index.columns.head.view.tolist())
        index._reader = self._reader.copy()
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
            reader = LineReader(self.path)
            with open(self.path, "rb") as file:
                self._append(reader.read(file, self.lines + 1, self._line_start, self._scanned))

    def _add_block(self, file: BinaryIO, block: bytes) -> None:
        start, self._scanned = self._scanned, self._scanned + len(block)
        self._first += block[: _REMEMBERED - len(self._first)]
        self._last = (self._last + block[-_REMEMBERED:])[-_REMEMBERED:]
        ends = line_ends(block, self._line_start > _LONG * self.lines) + start
        if len(ends) and (self._line_start < start or start == 0):
            # begun in an earlier block, or perhaps after a BOM
            end, ends = int(ends[0]), ends[1:]
            self._append(self._reader.read(file, self.lines + 1, self._line_start, end))
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
        """Add complete lines with these offsets in the file and these bytes."""
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
        headers = _decode_sound(rest, len(at), ascii_only) if objects else None
        if headers is None:
            self._append(self._read_each(body, starts, lengths))
            return
        first = self.columns.extend(starts, lengths)
        self._fill(first + at, headers, line)
        for group in groups:
            self._fill_alike(first + group.at, group)

    def _read_each(
        self, body: memoryview, starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> list[FoundRecord]:
        """Read lines one by one."""
        origin, found = int(starts[0]), list[FoundRecord]()
        for at, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
            raw = bytes(body[start - origin : start - origin + length])
            found += self._reader.read_bytes(self.lines + 1 + at, start, raw)
        return found

    def _append(self, found: Sequence[FoundRecord]) -> None:
        """Add records that were read one by one."""
        if found:
            first = self.columns.extend(
                np.array([piece.offset for piece in found]),
                np.array([piece.length for piece in found]),
            )
            self._fill(
                first + np.arange(len(found)),
                [piece.header for piece in found],
                lambda at: found[at].raw,
                [piece.torn for piece in found],
            )

    def _fill_alike(self, rows: NDArray[np.intp], lines: AlikeLines) -> None:
        """Fill in what lines of one form say."""
        columns, header = self.columns, lines.header
        [code] = self.pool.codes([astuple(header)[FIRST_REPEATED:]])
        self.codes.add(code)
        total, target, count = (
            lines.numbers.get(name, _numbers([getattr(header, name)]))
            for name in ("total_tokens", "target_tokens", "message_count")
        )
        columns.head.view[rows] = code
        columns.time.view[rows] = lines.numbers["timestamp"]
        columns.total.view[rows] = total
        columns.extra.view[rows] = np.maximum(target, count)

    def _fill(
        self,
        rows: NDArray[np.intp],
        headers: Sequence[Header],
        raw: Callable[[int], bytes | memoryview],
        torn: Iterable[bool] = (),
    ) -> None:
        """Fill in what records of different forms say."""
        if not headers:
            return
        columns = self.columns
        if None in map(_TIME, headers):  # the offloader's log has no times
            headers = self._add_offloads(rows, headers, raw)
        # a line of that log has more fields, which come last
        fields = list(zip(*map(astuple, headers), strict=False))[:_FIELDS]
        time, total, target, count, statistic, report, prefix, compress, tail, messages = fields[
            :FIRST_REPEATED
        ]
        heads: Iterable[tuple[Any, ...]] = zip(*fields[FIRST_REPEATED:], strict=True)
        if any(torn):
            heads = (
                (*values, flag) if flag else values
                for values, flag in zip(heads, torn, strict=True)
            )
        codes = self.pool.codes(heads)
        self.codes.update(codes)
        totals = _numbers(total)
        if any(report) or any(statistic):
            counted = map(counted_tokens, statistic, report)
            totals = np.maximum(totals, _numbers([*counted]))
        columns.head.view[rows] = codes
        columns.time.view[rows] = np.array(time, np.float64)
        columns.total.view[rows] = totals
        columns.extra.view[rows] = np.maximum(_numbers(target), _numbers(count))
        if compress.count(None) < len(compress):
            self._add_spans(rows, prefix, compress, tail)
        if messages.count(None) < len(messages):
            self._add_shown(rows, headers)

    def _add_spans(self, rows: NDArray[np.intp], *parts: Sequence[list[Any] | None]) -> None:
        for row, prefix, compress, tail in zip(rows.tolist(), *parts, strict=True):
            if compress is not None:
                self.spans[row] = SpanSizes(len(prefix or ()), len(compress), len(tail or ()))

    def _add_offloads(
        self,
        rows: NDArray[np.intp],
        headers: Sequence[Header],
        raw: Callable[[int], bytes | memoryview],
    ) -> list[Header]:
        """Take in the offloader's lines among some records; return all headers."""
        found, lines = list(headers), list[LogHeader]()
        taken = []
        for at, (row, header) in enumerate(zip(rows.tolist(), headers, strict=True)):
            if header.timestamp is None and header.processor in (None, OFFLOADER):
                line = header if isinstance(header, LogHeader) else read_log_header(raw(at))
                found[at] = line
                lines.append(line)
                taken.append(row)
        self.offloads.take(taken, lines)
        return found

    def _add_shown(self, rows: NDArray[np.intp], headers: Sequence[Header]) -> None:
        for row, header in zip(rows.tolist(), headers, strict=True):
            if header.messages:
                for key in result_keys(header.messages, header.session_id, header.context_id):
                    self.shown.setdefault(key, row)
                for call in recalls_in(header.messages):
                    self.recalls.setdefault((header.session_id, header.context_id, call), row)


def _numbers(values: Sequence[int | None]) -> NDArray[np.int64]:
    """Return the values as a column; what is missing, negative or too large becomes NO_NUMBER."""
    try:
        return np.maximum(np.array(values, np.int64), NO_NUMBER)
    except (TypeError, OverflowError):
        sound = [NO_NUMBER if v is None or not 0 <= v < _LARGEST else v for v in values]
        return np.array(sound, np.int64)


def line_ends(block: bytes, few: bool = False) -> NDArray[np.intp]:
    """Return where lines end; where those are few, it is quicker to go from one to the next."""
    if few:
        found, at = list[int](), block.find(b"\n")
        while at >= 0:
            found.append(at)
            at = block.find(b"\n", at + 1)
        return np.array(found, np.intp)
    return np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))


def _decode_sound(body: memoryview, lines: int, ascii_only: bool) -> list[Header] | None:
    """Decode so many lines; None where any of them needs a closer look."""
    of_the_log = body[: len(_LOG_START)] == _LOG_START
    decoder: msgspec.json.Decoder[Any] = LOG_HEADER if of_the_log else HEADER
    try:
        headers: list[Header] = decoder.decode_lines(body)
        if not ascii_only:
            _check_utf8(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    sound = len(headers) == lines and None not in map(_EVENT, headers)
    return headers if sound else None


def _outcome(record: dict[str, Any]) -> Outcome | None:
    record.pop("replaced", None)
    if record.get("outcome") != "offloaded":
        record.pop("replacement", None)
    try:
        return Outcome.model_validate(record)
    except ValidationError:
        return None


def _check_utf8(body: memoryview) -> None:
    """Decode what lies beyond ASCII: eight bytes wherever some of it does, and the next eight.

    A letter's bytes stand together, so they are all among these, and nothing new is beside them.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    whole = len(body) // 8 * 8
    words = np.frombuffer(body[:whole], np.uint64)
    beyond = words & _BEYOND_ASCII != 0
    kept = beyond.copy()
    kept[1:] |= beyond[:-1]
    (words[kept].tobytes() + bytes(body[whole:])).decode()


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
    return read_object(read_bytes(path, offset, length).decode(errors="replace"))
