"""The window requests of a context, found in its checks and model calls.

Within one request every compressor that has a model checks once, in the order of the chain, and the
agent's own model call follows. So a request begins where the chain does not go on: at a check of
the same or an earlier compressor, and after a model call. The order of the chain is in no file; it
is the one that fits best to checks with equal totals, which nearly always belong to one request.

A compression on demand asks only a compressor named Dialogue and forces the others. So a lone
Dialogue check is no request if it stands beside a forced span, or if the others, which check at
other times, were not asked although nothing stopped the request. Everything is linear in the
records but the choice of the order, which tries the permutations of at most six compressors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.dump import DumpHead
from inspector.trace.evidence.records import CHECK, MODEL_CALL, OUTCOME, ContextRecords

NO_STEP = 0
"""Step of a record that belongs to no window request."""

ASKED_ON_DEMAND = "DialogueCompressor"
"""The only compressor that a compression on demand asks before it is forced."""
_CHECKS_TWICE = "SessionMemoryCompressor"
"""Writes a second hit when its notes replace messages."""
_MOST_PERMUTED = 6


@dataclass(frozen=True)
class Steps:
    """Where each record belongs.

    Attributes:
        chain: Processors in the order of their checks.
        step: 1-based step per record; NO_STEP before the first request.
        first: Position of the first record of each step.
        on_demand: Per record: it is a check made by a compression on demand.
        time: Epoch seconds of each record.
    """

    chain: tuple[str, ...]
    step: NDArray[np.int32]
    first: NDArray[np.int64]
    on_demand: NDArray[np.bool_]
    time: NDArray[np.float64]

    @property
    def begun(self) -> NDArray[np.float64]:
        """Epoch seconds at which each window request began."""
        return self.time[self.first]

    def at_time(self, time: float) -> int:
        """Return the step of what happens at a time; NO_STEP where that cannot be told."""
        before = int(np.searchsorted(self.time, time, side="right")) - 1
        return int(self.step[before]) if before >= 0 and math.isfinite(time) else NO_STEP


NO_STEPS = Steps(
    (), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.bool_), np.empty(0)
)
"""Those of a context without dated records."""


def find_steps(
    records: ContextRecords, forced: NDArray[np.int64], dumps: Iterable[DumpHead] = ()
) -> Steps:
    """Find the window requests.

    Args:
        records: The records of one context.
        forced: Positions of the spans that no check preceded.
        dumps: The dumps of the context.
    """
    event, processor = records.event, records.processor
    checks = np.flatnonzero((event == CHECK) & records.table.in_window[records.head])
    chain = _chain(records, checks)
    rank = np.full(len(records.table.processors), -1, np.int32)
    rank[list(chain)] = np.arange(len(chain))
    anchors = np.sort(np.concatenate([checks, np.flatnonzero(event == MODEL_CALL)]))
    ranks = np.where(event[anchors] == CHECK, rank[processor[anchors]], len(chain))
    begins = np.ones(len(anchors), np.bool_)
    begins[1:] = ranks[1:] <= ranks[:-1]
    begins &= ~_second_hits(records, anchors)
    dumped = np.sort([dump.time for dump in dumps if dump.processor == ASKED_ON_DEMAND])
    on_demand = _demanded(records, anchors, begins, forced, dumped)
    begins &= ~on_demand[anchors]
    first = anchors[begins]
    step = np.zeros(len(event), np.int32)
    step[first] = 1
    return Steps(
        tuple(records.table.processors[code] for code in chain),
        np.cumsum(step, dtype=np.int32),
        first,
        on_demand,
        records.time,
    )


def _chain(records: ContextRecords, checks: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the codes of the checking processors in the order that their checks fit best."""
    processor = records.processor[checks].astype(np.int64)
    codes, first = np.unique(processor, return_index=True)
    appeared = codes[np.argsort(first)].tolist()
    equal = records.total[checks][1:] == records.total[checks][:-1]
    count = len(records.table.processors)
    pairs, times = np.unique((processor[:-1] * count + processor[1:])[equal], return_counts=True)
    follows = Counter(
        {divmod(pair, count): n for pair, n in zip(pairs.tolist(), times.tolist(), strict=True)}
    )
    if len(appeared) <= _MOST_PERMUTED:
        orders = list(permutations(appeared))
    else:
        lead = {a: sum(follows[a, b] - follows[b, a] for b in appeared) for a in appeared}
        orders = [tuple(sorted(appeared, key=lambda code: -lead[code]))]
    return max(orders, key=lambda order: sum(follows[pair] for pair in pairwise(order)))


def _second_hits(records: ContextRecords, anchors: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the second of two hits with one total by the processor that writes them in pairs."""
    names = records.table.processors
    twice = names.index(_CHECKS_TWICE) if _CHECKS_TWICE in names else -1
    mine = (records.processor[anchors] == twice) & records.table.hit[records.head[anchors]]
    second = np.zeros(len(anchors), np.bool_)
    total = records.total[anchors]
    second[1:] = mine[1:] & mine[:-1] & (total[1:] == total[:-1])
    ended = np.flatnonzero((records.event == OUTCOME) & (records.processor == twice))
    second[1:] &= ~_any_between(ended, anchors[:-1], anchors[1:])
    return second


def _demanded(
    records: ContextRecords,
    anchors: NDArray[np.int64],
    begins: NDArray[np.bool_],
    forced: NDArray[np.int64],
    dumped: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Mark the checks that were made by compressions on demand."""
    marked = np.zeros(len(records.head), np.bool_)
    names = records.table.processors
    asked = names.index(ASKED_ON_DEMAND) if ASKED_ON_DEMAND in names else -1
    is_check = records.event[anchors] == CHECK
    is_asked = is_check & (records.processor[anchors] == asked)
    others = anchors[is_check & ~is_asked]
    starts = np.append(anchors[begins], len(records.head))
    alone = np.diff(np.append(np.flatnonzero(begins), len(anchors))) == 1
    lone = np.flatnonzero(alone & is_asked[begins])
    if not len(lone) or not len(others):
        return marked
    at = starts[lone]
    near = _any_between(forced, starts[np.maximum(lone - 1, 0)], starts[lone + 1])
    passed_over = (at > others[0]) & (at < others[-1])
    hit = records.table.hit[records.head[at]]
    times = np.append(records.time, np.inf)
    following = np.append(anchors[is_asked], len(records.head))
    until = times[following[np.searchsorted(following, at, side="right")]]
    worked = _any_between(dumped, times[at], until)
    marked[at[near | (passed_over & (~hit | worked))]] = True
    return marked


def _any_between(
    values: NDArray[np.generic], low: NDArray[np.generic], high: NDArray[np.generic]
) -> NDArray[np.bool_]:
    """Tell for each pair of bounds whether one of the sorted values lies between them."""
    first = np.searchsorted(values, low, side="right")
    return first < np.searchsorted(values, high, side="left")
