"""The window requests of a context, found in its checks and model calls.

Within one request every compressor that has a model checks once, in the order of the chain, and the
agent's own model call follows. So a request begins where the chain does not go on: at a check of
the same or an earlier compressor, and after a model call. The order of the chain is in no file; it
is the one that fits best to checks with equal totals, which nearly always belong to one request.

A compression on demand asks only a compressor named Dialogue and forces the others, so a lone
Dialogue check beside a forced span is no request. Everything is linear in the records but the
choice of the order, which tries the permutations of at most six compressors.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from inspector.trace.records import CHECK, MODEL_CALL, ContextRecords

NO_STEP = 0
"""Step of a record that belongs to no window request."""

_ASKED_ON_DEMAND = "DialogueCompressor"
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
    """

    chain: tuple[str, ...]
    step: NDArray[np.int32]
    first: NDArray[np.int64]
    on_demand: NDArray[np.bool_]


def find_steps(records: ContextRecords, forced: NDArray[np.int64]) -> Steps:
    """Find the window requests; `forced` holds the positions of spans that no check preceded."""
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
    on_demand = _demanded(records, anchors, begins, forced, len(chain))
    begins &= ~on_demand[anchors]
    first = anchors[begins]
    step = np.zeros(len(event), np.int32)
    step[first] = 1
    return Steps(
        tuple(records.table.processors[code] for code in chain),
        np.cumsum(step, dtype=np.int32),
        first,
        on_demand,
    )


def _chain(records: ContextRecords, checks: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the codes of the checking processors in the order that their checks fit best."""
    processor = records.processor[checks]
    appeared = list(dict.fromkeys(processor.tolist()))
    equal = records.total[checks][1:] == records.total[checks][:-1]
    follows = Counter(
        zip(processor[:-1][equal].tolist(), processor[1:][equal].tolist(), strict=True)
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
    return second


def _demanded(
    records: ContextRecords,
    anchors: NDArray[np.int64],
    begins: NDArray[np.bool_],
    forced: NDArray[np.int64],
    chain_length: int,
) -> NDArray[np.bool_]:
    """Mark the checks that were made by compressions on demand."""
    marked = np.zeros(len(records.head), np.bool_)
    names = records.table.processors
    if chain_length < 2 or _ASKED_ON_DEMAND not in names or not len(forced):
        return marked
    asked = names.index(_ASKED_ON_DEMAND)
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(anchors))
    for at in forced.tolist():
        after = int(np.searchsorted(anchors[starts], at, side="right"))
        for group in (after - 1, after):
            if 0 <= group < len(starts) and ends[group] - starts[group] == 1:
                lone = int(anchors[starts[group]])
                if records.event[lone] == CHECK and records.processor[lone] == asked:
                    marked[lone] = True
                    break
    return marked
