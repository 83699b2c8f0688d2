"""What is known of each record of a file, as a table that grows.

Most of it are columns. Some kinds of records say more: the lines of the offloader's log go to
`offloads`, and of a model call the tool results and recalls that it is the first to show go to
`shown` and `recalls`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Self

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from inspector.sources.counts import SpanSizes
from inspector.sources.lines.alike import AlikeLines
from inspector.sources.lines.columns import NO_NUMBER, RecordColumns
from inspector.sources.lines.header import FIRST_REPEATED, Header, HeadPool, counted_tokens
from inspector.sources.lines.offload_log import (
    LogHeader,
    OffloadRows,
    is_logged,
    read_log_header,
    repeated_values,
)
from inspector.sources.lines.single_line import FoundRecord
from inspector.sources.message_keys import result_keys
from inspector.sources.recall_calls import Recalled, recalls_in

_LARGEST = 1 << 62


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
                {first + at for at, piece in enumerate(found) if piece.torn},
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
        headers: Sequence[Header | LogHeader],
        raw: Callable[[int], bytes | memoryview],
        torn: Collection[int] = (),
    ) -> None:
        """Fill in what records of different forms say.

        Args:
            rows: Their rows, in order.
            headers: What was decoded of each.
            raw: Returns the bytes of one of them by its position among these.
            torn: Rows of which only the beginning could be read.
        """
        dated, logged = dict[int, Header](), dict[int, LogHeader]()
        for at, (row, header) in enumerate(zip(rows.tolist(), headers, strict=True)):
            if isinstance(header, LogHeader):
                logged[row] = header
            elif is_logged(header):
                logged[row] = read_log_header(raw(at))
            else:
                dated[row] = header
        if dated:
            self._fill_dated([*dated], [*dated.values()], torn)
        if logged:
            self._fill_logged([*logged], [*logged.values()], torn)

    def _fill_dated(
        self, rows: list[int], headers: Sequence[Header], torn: Collection[int]
    ) -> None:
        columns = self.columns
        fields = list(zip(*map(astuple, headers), strict=True))
        time, total, target, count, statistic, report, prefix, compress, tail, messages = fields[
            :FIRST_REPEATED
        ]
        repeated = zip(*fields[FIRST_REPEATED:], strict=True)
        columns.head.view[rows] = self._codes(rows, repeated, torn)
        columns.time.view[rows] = np.array(time, np.float64)
        totals = _numbers(total)
        if any(report) or any(statistic):
            counted = map(counted_tokens, statistic, report)
            totals = np.maximum(totals, _numbers([*counted]))
        columns.total.view[rows] = totals
        columns.extra.view[rows] = np.maximum(_numbers(target), _numbers(count))
        if compress.count(None) < len(compress):
            self._add_spans(rows, prefix, compress, tail)
        if messages.count(None) < len(messages):
            self._add_shown(rows, headers)

    def _fill_logged(
        self, rows: list[int], lines: Sequence[LogHeader], torn: Collection[int]
    ) -> None:
        """Fill in what lines of the offloader's log say, which have no times."""
        self.offloads.take(rows, lines)
        columns = self.columns
        columns.head.view[rows] = self._codes(rows, map(repeated_values, lines), torn)
        columns.time.view[rows] = np.nan
        columns.total.view[rows] = _numbers([line.content_tokens for line in lines])
        columns.extra.view[rows] = _numbers([line.message_index for line in lines])

    def _codes(
        self, rows: list[int], repeated: Iterable[tuple[Any, ...]], torn: Collection[int]
    ) -> list[int]:
        if torn:
            pairs = zip(rows, repeated, strict=True)
            repeated = ((*values, True) if row in torn else values for row, values in pairs)
        codes = self.pool.codes(repeated)
        self.codes.update(codes)
        return codes

    def _add_spans(self, rows: list[int], *parts: Sequence[list[Any] | None]) -> None:
        for row, prefix, compress, tail in zip(rows, *parts, strict=True):
            if compress is not None:
                self.spans[row] = SpanSizes(len(prefix or ()), len(compress), len(tail or ()))

    def _add_shown(self, rows: list[int], headers: Sequence[Header]) -> None:
        for row, header in zip(rows, headers, strict=True):
            if header.messages:
                keys = result_keys(header.messages, header.session_id, header.context_id)
                self.shown.update(dict.fromkeys(keys.difference(self.shown), row))
                for call in recalls_in(header.messages):
                    self.recalls.setdefault((header.session_id, header.context_id, call), row)


def _numbers(values: Sequence[int | None]) -> NDArray[np.int64]:
    """Return the values as a column; what is missing, negative or too large becomes NO_NUMBER."""
    try:
        return np.maximum(np.array(values, np.int64), NO_NUMBER)
    except (TypeError, OverflowError):
        sound = [NO_NUMBER if v is None or not 0 <= v < _LARGEST else v for v in values]
        return np.array(sound, np.int64)
