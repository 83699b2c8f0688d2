"""Which records of the prefix compressors make up one decision, and which dump belongs to it.

A decision starts with a check, or with a span that no passed check precedes (a compression on
demand, or a check lost to damage). The records of the same compressor up to its next start belong
to it. Declines, which are nearly all of the decisions, stay in columns; only attempts are looked at
one by one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.dump import DumpHead
from inspector.trace.evidence.records import (
    CHECK,
    MODEL_CALL,
    OTHER,
    OUTCOME,
    RETRY,
    SPAN,
    ContextRecords,
)

NOT_PREFIX = frozenset(
    {
        "",
        "ContextEngine",
        "MessageOffloader",
        "MessageSummaryOffloader",
        "ReasoningToolLoopCompactProcessor",
        "SessionMemory",
        "SessionMemoryCompressor",
        "llm_request",
    }
)
"""Writers of records that are no prefix compressors."""

_NAME_ROUNDING = 0.001
"""Seconds by which a time taken from a dump's name may be too early."""


@dataclass(frozen=True)
class Starts:
    """The decisions that records show, in order of time.

    Attributes:
        at: Position of the first record of each decision.
        begin: Where its records begin in `ordered`; `end` likewise.
        ordered: Positions by processor, then time.
        forced: Positions of the spans that no check preceded and no damage explains.
    """

    at: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    ordered: NDArray[np.int64]
    forced: NDArray[np.int64]

    def members(self, decision: int) -> NDArray[np.int64]:
        """Return the positions of the records of a decision."""
        return self.ordered[self.begin[decision] : self.end[decision]]


def find_starts(records: ContextRecords) -> Starts:
    """Group the records of the prefix compressors into decisions; O(n log n)."""
    prefix = np.array([name not in NOT_PREFIX for name in records.table.processors], np.bool_)
    event, processor = records.event, records.processor
    mine = np.flatnonzero(prefix[processor] & (event != OTHER) & (event != MODEL_CALL))
    ordered = mine[np.argsort(processor[mine], kind="stable")]
    kind, hit = event[ordered], records.table.hit[records.head[ordered]]
    follows = np.zeros(len(ordered), np.bool_)
    follows[1:] = processor[ordered][1:] == processor[ordered][:-1]
    after_hit = np.zeros(len(ordered), np.bool_)
    after_hit[1:] = follows[1:] & (kind[:-1] == CHECK) & hit[:-1]
    after_miss = np.zeros(len(ordered), np.bool_)
    after_miss[1:] = follows[1:] & (kind[:-1] == CHECK) & ~hit[:-1]
    after_end = np.zeros(len(ordered), np.bool_)
    after_end[1:] = follows[1:] & (kind[:-1] == OUTCOME)
    loose = (kind == SPAN) & ~after_hit
    starts = (kind == CHECK) | loose | ~follows
    starts |= (np.isin(kind, (RETRY, OUTCOME)) & after_miss) | ((kind == OUTCOME) & after_end)
    begin = np.flatnonzero(starts)
    end = np.append(begin[1:], len(ordered))
    by_time = np.argsort(ordered[begin])
    begin, end = begin[by_time], end[by_time]
    forced = [at for at in ordered[loose].tolist() if not _after_damage(records, at)]
    return Starts(ordered[begin], begin, end, ordered, np.array(sorted(forced), np.int64))


def _after_damage(records: ContextRecords, at: int) -> bool:
    """Tell whether something unreadable stands between this record and the one before."""
    index, row = records.place(at)
    if not index.problems:
        return False
    offsets, heads = index.columns.offset.view, index.columns.head.view
    before = row - 1
    while before >= 0 and not index.pool.heads[int(heads[before])].processor:
        before -= 1
    end = int(offsets[before] + index.columns.length.view[before]) if before >= 0 else 0
    damage = [problem.offset for problem in index.problems]
    found = bisect_left(damage, end)
    return found < len(damage) and damage[found] < int(offsets[row])


@dataclass(frozen=True)
class Attempt:
    """The records and the dump of one attempt, by position in `ContextRecords`."""

    check: int | None = None
    span: int | None = None
    retries: tuple[int, ...] = ()
    outcome: int | None = None
    dump: DumpHead | None = None

    @property
    def asked(self) -> bool:
        """The model was asked, or was about to be."""
        return self.span is not None or self.dump is not None

    @property
    def positions(self) -> list[int]:
        """All records of the attempt, in the order of the engine's writing."""
        places = (self.check, self.span, *self.retries, self.outcome)
        return [at for at in places if at is not None]


def read_attempt(records: ContextRecords, members: Sequence[int]) -> Attempt:
    """Sort the records of one decision by what they are."""
    event = records.event
    by_event: dict[int, list[int]] = {}
    for at in members:
        by_event.setdefault(int(event[at]), []).append(at)
    return Attempt(
        check=next(iter(by_event.get(CHECK, ())), None),
        span=next(iter(by_event.get(SPAN, ())), None),
        retries=tuple(by_event.get(RETRY, ())),
        outcome=next(iter(by_event.get(OUTCOME, ())), None),
    )


class DumpShelf:
    """The dumps of one context, each to be joined to one attempt."""

    def __init__(self, dumps: Iterable[DumpHead]) -> None:
        self._waiting: dict[str, deque[DumpHead]] = {}
        self.rest: list[DumpHead] = []
        """Dumps that belong to no attempt asked for so far."""
        for dump in sorted(dumps, key=lambda dump: dump.time):
            if math.isnan(dump.time):
                self.rest.append(dump)
            else:
                self._waiting.setdefault(dump.processor, deque()).append(dump)

    def take(self, processor: str, after: float, before: float) -> DumpHead | None:
        """Return the first dump of `processor` from this time (epoch seconds).

        Ask in order of time for each processor: earlier dumps are put into `rest`.
        """
        waiting = self._waiting.get(processor)
        while waiting and waiting[0].time + _NAME_ROUNDING < after:
            self.rest.append(waiting.popleft())
        return waiting.popleft() if waiting and waiting[0].time < before else None

    def close(self) -> list[DumpHead]:
        """Return the dumps that no attempt took, in order of time."""
        for waiting in self._waiting.values():
            self.rest += waiting
        self._waiting.clear()
        return sorted(self.rest, key=lambda dump: dump.time)
