"""The records of one context, gathered from all files, as columns in the order of time.

Contexts share files and a context's records lie in several, so rows are grouped by the ids inside
them, never by where they lie. Strings and limits stay in the pool of heads; `HeadTable` turns what
correlation asks of them into arrays, so that no object is made per record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inspector.sources.header import Head, HeadPool
from inspector.sources.jsonl import JsonlIndex

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


class ContextKey(NamedTuple):
    """What names a context."""

    session_id: str
    context_id: str


def context_key(session_id: str | None, context_id: str | None) -> ContextKey:
    """Return the key of these ids, with the engine's words for missing ones."""
    return ContextKey(session_id or UNKNOWN_SESSION, context_id or UNKNOWN_CONTEXT)


class HeadTable:
    """What correlation asks of heads, one value per head code."""

    def __init__(self, pool: HeadPool) -> None:
        heads = pool.heads
        self.heads: Sequence[Head] = heads
        self.event = np.array([_EVENTS.get(head.event, OTHER) for head in heads], np.int8)
        self.processors: list[str] = sorted({head.processor for head in heads})
        code = {name: at for at, name in enumerate(self.processors)}
        self.processor = np.array([code[head.processor] for head in heads], np.int16)
        self.hit = np.array([head.hit is not False for head in heads], np.bool_)
        self.in_window = np.array([head.phase in (None, WINDOW_PHASE) for head in heads], np.bool_)
        self.keys: list[ContextKey] = []
        codes: dict[ContextKey, int] = {}
        for head in heads:
            key = context_key(head.session_id, head.context_id)
            if key not in codes:
                codes[key] = len(self.keys)
                self.keys.append(key)
        self.key = np.array(
            [codes[context_key(head.session_id, head.context_id)] for head in heads], np.int32
        )


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
    undated: int = 0
    """Records of this context without a processor and time: the offloader's log."""

    @cached_property
    def event(self) -> NDArray[np.int8]:
        """Kind of each record: CHECK, SPAN and so on."""
        return self.table.event[self.head]

    @cached_property
    def processor(self) -> NDArray[np.int16]:
        """Code of each record's processor in `table.processors`."""
        return self.table.processor[self.head]

    def head_at(self, at: int) -> Head:
        """Return the repeated values of a record."""
        return self.table.heads[int(self.head[at])]

    def place(self, at: int) -> tuple[JsonlIndex, int]:
        """Return the file of a record and its row there."""
        return self.files[int(self.file[at])], int(self.row[at])


def group_by_context(files: Sequence[JsonlIndex], pool: HeadPool) -> list[ContextRecords]:
    """Return the records of each context in the files, in order of first appearance.

    Sorting makes this O(n log n) in the records.
    """
    table = HeadTable(pool)
    if not files or not pool.heads:
        return []
    file = np.concatenate([np.full(len(f.columns), at, np.int32) for at, f in enumerate(files)])
    row = np.concatenate([np.arange(len(f.columns), dtype=np.int32) for f in files])
    time = np.concatenate([_filled(f.columns.time.view) for f in files])
    head = np.concatenate([f.columns.head.view for f in files])
    total = np.concatenate([f.columns.total.view for f in files])
    extra = np.concatenate([f.columns.extra.view for f in files])
    key = table.key[head]
    dated = np.array([bool(head.processor) for head in pool.heads], np.bool_)[head]
    order = np.lexsort((row, file, time, ~dated, key))
    bounds = np.searchsorted(key[order], np.arange(len(table.keys) + 1))
    contexts = []
    for code, context in enumerate(table.keys):
        rows = order[bounds[code] : bounds[code + 1]]
        kept = rows[: int(dated[rows].sum())]
        if len(rows):
            contexts.append(
                ContextRecords(
                    context,
                    table,
                    files,
                    file[kept],
                    row[kept],
                    time[kept],
                    head[kept],
                    total[kept],
                    extra[kept],
                    undated=len(rows) - len(kept),
                )
            )
    return contexts


def _filled(time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a record without a time that of its predecessor, or of its successor at the start."""
    known = np.flatnonzero(np.isfinite(time))
    if len(known) == len(time) or not len(known):
        return time
    before = np.searchsorted(known, np.arange(len(time)), side="right") - 1
    return time[known[np.maximum(before, 0)]]
