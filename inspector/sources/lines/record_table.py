"""What is known of each record of a file, as a table that grows.

Most of it are columns. Some kinds of records say more: the lines of the offloader's log go to
`offloads`, and of a model call the tool results and recalls that it is the first to show go to
`shown` and `recalls`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Self

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from inspector.sources.counts import SpanSizes
from inspector.sources.lines.alike import AlikeLines
from inspector.sources.lines.columns import NO_NUMBER, RecordColumns
from inspector.sources.lines.header import FIRST_REPEATED, Header, HeadPool, counted_tokens
from inspector.sources.lines.offload_log import OFFLOADER, LogHeader, OffloadRows, read_log_header
from inspector.sources.lines.single_line import FoundRecord
from inspector.sources.message_keys import result_keys
from inspector.sources.recall_calls import Recalled, recalls_in

_FIELDS = len(Header.__struct_fields__)
_LARGEST = 1 << 62
_TIME = attrgetter("timestamp")


class RecordTable:
    """One row per record.

    Attributes:
        columns: What all records have.
        spans: Sizes of the parts, by row, of the records that hold a span.
        offloads: The lines of the offloader's log.
        shown: First row of a model call that shows a tool result, by the result's number.
        recalls: First row of a model call that shows a recall, by session, context and recall.
        codes: Codes of the heads that occur.
    """

    def __init__(self, pool: HeadPool) -> None:
        self.pool = pool
        self.columns = RecordColumns()
        self.spans: dict[int, SpanSizes] = {}
        self.offloads = OffloadRows()
        self.shown: dict[int, int] = {}
        self.recalls: dict[Recalled, int] = {}
        self.codes: set[int] = set()

    def shortened(self, length: int) -> Self:
        """Return a copy of the first rows."""
        table = copy.copy(self)
        table.columns, table.offloads = copy.deepcopy((self.columns, self.offloads))
        table.columns.truncate(length)
        table.offloads.truncate(length)
        table.spans = {row: sizes for row, sizes in self.spans.items() if row < length}
        table.shown = {key: row for key, row in self.shown.items() if row < length}
        table.recalls = {call: row for call, row in self.recalls.items() if row < length}
        table.codes = set(table.columns.head.view.tolist())
        return table

    def add_found(self, found: Sequence[FoundRecord]) -> None:
        """Add records that were read one by one."""
        if found:
            first = self.columns.extend(
                np.array([piece.offset for piece in found]),
                np.array([piece.length for piece in found]),
            )
            self.fill(
                first + np.arange(len(found)),
                [piece.header for piece in found],
                lambda at: found[at].raw,
                [piece.torn for piece in found],
            )

    def fill_alike(self, rows: NDArray[np.intp], lines: AlikeLines) -> None:
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

    def fill(
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
