"""The records of one context, gathered from all files, as columns in the order of time.

Contexts share files and a context's records lie in several, so rows are grouped by the ids inside
them, never by where they lie; the offloader's log, which has no times, is kept apart. Strings and
limits stay in the pool of heads; `HeadTable` turns what correlation asks of them into arrays, so
that no object is made per record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.debug.offload_records import OFFLOAD_RECORDS
from inspector.sources.counts import SpanSizes
from inspector.sources.lines.header import Head, HeadPool
from inspector.sources.lines.jsonl import JsonlIndex, read_record
from inspector.sources.lines.offload_log import OffloadEntry
from inspector.trace.evidence.copies import copied

UNKNOWN_SESSION = "unknown_session"
UNKNOWN_CONTEXT = "unknown_context"
"""What the engine writes where it has no id."""

OTHER, CHECK, SPAN, RETRY, OUTCOME, MODEL_CALL = range(6)
_EVENTS = {
    "threshold_check": CHECK,
    "span_built": SPAN,
    "compression_retry": RETRY,
    "outcome": OUTCOME,
    "pre_call": MODEL_CALL,
}
WINDOW_PHASE = "get_context_window"
MESSAGE_CHECK, ADD_TRIGGER, TTL_TRIGGER, RULE_TRIED, RULE_DONE, STORED, OTHER_LINE = range(7)
_OFFLOAD_EVENTS = {event: code for code, event in enumerate(OFFLOAD_RECORDS)}


class ContextKey(NamedTuple):
    """What names a context."""

    session_id: str
    context_id: str


def context_key(session_id: str | None, context_id: str | None) -> ContextKey:
    """Return the key of these ids, with the engine's words for missing ones."""
    return ContextKey(session_id or UNKNOWN_SESSION, context_id or UNKNOWN_CONTEXT)


class HeadTable:
    """What correlation asks of heads, one value per head code."""

    def __init__(self, heads: Sequence[Head]) -> None:
        self.heads = heads
        self.event = np.array([_EVENTS.get(head.event, OTHER) for head in heads], np.int8)
        self.offload_event = np.array(
            [_OFFLOAD_EVENTS.get(head.event, OTHER_LINE) for head in heads], np.int8
        )
        self.processors: list[str] = sorted({head.processor for head in heads})
        code = {name: at for at, name in enumerate(self.processors)}
        self.processor = np.array([code[head.processor] for head in heads], np.int16)
        self.hit = np.array([head.hit is not False for head in heads], np.bool_)
        self.in_window = np.array([head.phase in (None, WINDOW_PHASE) for head in heads], np.bool_)
        keys = [context_key(head.session_id, head.context_id) for head in heads]
        self.keys = list(dict.fromkeys(keys))
        codes = {key: at for at, key in enumerate(self.keys)}
        self.key = np.array([codes[key] for key in keys], np.int32)


@dataclass(frozen=True)
class ContextRecords:
    """The dated records of one context; all arrays have one value per record."""

    key: ContextKey
    table: HeadTable
    files: Sequence[JsonlIndex]
    file: NDArray[np.int32]
    """Index into `files`."""
    row: NDArray[np.int32]
    """Row in that file's columns."""
    time: NDArray[np.float64]
    """Epoch seconds, in order; a record without a time has its predecessor's."""
    head: NDArray[np.int32]
    total: NDArray[np.int64]
    extra: NDArray[np.int64]
    damaged: bool
    """Something is damaged in the files."""

    @cached_property
    def event(self) -> NDArray[np.int8]:
        """Kind of each record: CHECK, SPAN and so on."""
        return self.table.event[self.head]

    @cached_property
    def processor(self) -> NDArray[np.int16]:
        """Code of each record's processor in `table.processors`."""
        return self.table.processor[self.head]

    @cached_property
    def _unknown(self) -> Mapping[int, list[int]]:
        """The records of kinds that are not known, by the known one that they follow.

        Those of a processor follow its last known record, or stand before its first.
        """
        found: dict[int, list[int]] = {}
        unknown = np.flatnonzero(self.event == OTHER)
        for code in np.unique(self.processor[unknown]).tolist():
            mine = self.processor == code
            known = np.flatnonzero(mine & (self.event != OTHER))
            if len(known):
                for at in unknown[self.processor[unknown] == code].tolist():
                    before = int(np.searchsorted(known, at)) - 1
                    found.setdefault(int(known[max(before, 0)]), []).append(at)
        return found

    def with_unknown(self, positions: Iterable[int]) -> list[int]:
        """Return positions, each followed by those of unknown records that follow it."""
        return [a for at in positions for a in (at, *self._unknown.get(at, ()))]

    def head_at(self, at: int) -> Head:
        """Return the repeated values of a record."""
        return self.table.heads[int(self.head[at])]

    def place(self, at: int) -> tuple[JsonlIndex, int]:
        """Return the file of a record and its row there."""
        return self.files[int(self.file[at])], int(self.row[at])


def span_sizes(records: ContextRecords, at: int) -> SpanSizes | None:
    """Return the sizes recorded with a span; None where the record breaks off before them."""
    index, row = records.place(at)
    sizes = index.spans.get(row)
    return None if sizes is None or records.head_at(at).torn else sizes


def record_offset(records: ContextRecords, at: int) -> tuple[str, int, int]:
    """Return path, byte offset and length of a record."""
    index, row = records.place(at)
    return index.path, int(index.columns.offset.view[row]), int(index.columns.length.view[row])


def read_at(records: ContextRecords, at: int) -> dict[str, Any]:
    """Read a record, or as much of it as is sound; empty where nothing is.

    Raises:
        OSError: its file cannot be read.
    """
    return read_record(*record_offset(records, at))


def objects(value: object) -> list[dict[str, Any]]:
    """Return the JSON objects in a list; nothing where there is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@dataclass(frozen=True)
class OffloadRecords(ContextRecords):
    """The offloader's log of one context, in the order of its files; its times are all NaN."""

    message: NDArray[np.int64]
    """Number of the tool result that each record is about (`message_keys`); 0: not known."""

    @cached_property
    def event(self) -> NDArray[np.int8]:
        """Kind of each record: MESSAGE_CHECK, ADD_TRIGGER and so on."""
        return self.table.offload_event[self.head]

    def entry_at(self, at: int) -> OffloadEntry | None:
        """Return what is known of a record; None for a plain check."""
        index, row = self.place(at)
        return index.offloads.entries.get(row)


@dataclass(frozen=True)
class GroupedRecords:
    """All records of one context."""

    key: ContextKey
    dated: ContextRecords | None
    offloads: OffloadRecords | None


@dataclass(frozen=True)
class _Rows:
    """The rows of all files below each other, or some of them."""

    file: NDArray[np.int32]
    row: NDArray[np.int32]
    time: NDArray[np.float64]
    head: NDArray[np.int32]
    total: NDArray[np.int64]
    extra: NDArray[np.int64]
    length: NDArray[np.uint32]
    message: NDArray[np.int64]
    logged: NDArray[np.bool_]
    """The row is a line of the offloader's log."""

    def taken(self, rows: NDArray[np.intp]) -> _Rows:
        return _Rows(*(getattr(self, column.name)[rows] for column in fields(self)))

    def without_copies(self) -> _Rows:
        """Leave out what repeats another record; rows of one context.

        A message that is added again is tested again in the same words, so lines of the offloader's
        log are compared with those of other files only.
        """
        others = self.head, self.total, self.extra, self.length
        if self.logged.any():
            again = copied(self.message, self.file, None, others)
        else:
            again = copied(self.time, self.file, self.row, others)
        return self.taken(np.flatnonzero(~again)) if again.any() else self


def group_by_context(files: Sequence[JsonlIndex], pool: HeadPool) -> list[GroupedRecords]:
    """Return the records of each context in the files, in order of first appearance.

    Sorting makes this O(n log n) in the records, whatever else the pool holds.
    """
    used = np.array(sorted(set[int]().union(*(file.codes for file in files))), np.int64)
    if not len(used):
        return []
    table = HeadTable([pool.heads[code] for code in used.tolist()])
    rows = _recoded(_all_rows(files), used)
    key = table.key[rows.head]
    dated = np.array([bool(head.processor) for head in table.heads], np.bool_)[rows.head]
    order = np.lexsort((rows.row, rows.file, rows.time, ~dated, key))
    bounds = np.searchsorted(key[order], np.arange(len(table.keys) + 1))
    damaged = any(file.problems for file in files)
    contexts = []
    for code, context in enumerate(table.keys):
        mine = order[bounds[code] : bounds[code + 1]]
        if len(mine):
            kept = rows.taken(mine[: int(dated[mine].sum())]).without_copies()
            logged = rows.taken(mine[rows.logged[mine]]).without_copies()
            contexts.append(
                GroupedRecords(
                    context,
                    _dated(context, table, files, kept, damaged) if len(kept.row) else None,
                    _offloads(context, table, files, logged, damaged) if len(logged.row) else None,
                )
            )
    return contexts


def _recoded(rows: _Rows, used: NDArray[np.int64]) -> _Rows:
    """Number the heads anew, in the order of the codes that are used."""
    codes = np.empty(int(used[-1]) + 1, np.int32)
    codes[used] = np.arange(len(used))
    return replace(rows, head=codes[rows.head])


def _own_heads(table: HeadTable, rows: _Rows) -> tuple[HeadTable, _Rows]:
    """Leave the heads of other contexts out, as correlation looks at each head."""
    used = np.flatnonzero(np.bincount(rows.head, minlength=len(table.heads)))
    if len(used) == len(table.heads):
        return table, rows
    return HeadTable([table.heads[code] for code in used.tolist()]), _recoded(rows, used)


def _dated(
    key: ContextKey, table: HeadTable, files: Sequence[JsonlIndex], rows: _Rows, damaged: bool
) -> ContextRecords:
    table, rows = _own_heads(table, rows)
    return ContextRecords(
        key,
        table,
        files,
        rows.file,
        rows.row,
        rows.time,
        rows.head,
        rows.total,
        rows.extra,
        damaged,
    )


def _offloads(
    key: ContextKey, table: HeadTable, files: Sequence[JsonlIndex], rows: _Rows, damaged: bool
) -> OffloadRecords:
    common = vars(_dated(key, table, files, rows, damaged))
    return OffloadRecords(**common, message=rows.message)


def _all_rows(files: Sequence[JsonlIndex]) -> _Rows:
    counts = [len(f.columns) for f in files]
    message = np.zeros(sum(counts), np.int64)
    logged = np.zeros(sum(counts), np.bool_)
    for start, f in zip(np.cumsum([0, *counts[:-1]]).tolist(), files, strict=True):
        message[start + f.offloads.row.view] = f.offloads.key.view
        logged[start + f.offloads.row.view] = True
    return _Rows(
        file=np.repeat(np.arange(len(files), dtype=np.int32), counts),
        row=np.concatenate([np.arange(count, dtype=np.int32) for count in counts]),
        time=np.concatenate([_filled(f.columns.time.view) for f in files]),
        head=np.concatenate([f.columns.head.view for f in files]),
        total=np.concatenate([f.columns.total.view for f in files]),
        extra=np.concatenate([f.columns.extra.view for f in files]),
        length=np.concatenate([f.columns.length.view for f in files]),
        message=message,
        logged=logged,
    )


def _filled(time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a record without a time that of its predecessor, or of its successor at the start."""
    known = np.flatnonzero(np.isfinite(time))
    if len(known) == len(time) or not len(known):
        return time
    before = np.searchsorted(known, np.arange(len(time)), side="right") - 1
    return time[known[np.maximum(before, 0)]]
