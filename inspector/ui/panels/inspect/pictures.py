"""Which decisions are tried when `shots` wants one that fills a tab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from inspector.trace.context_trace import ContextTrace
from inspector.ui.models.selection import fired
from inspector.ui.panels.detail.tab import DetailTab

_TRIED = 200
"""Decisions after which a tab counts as empty on the whole input."""


class Place(NamedTuple):
    """A decision of a context."""

    trace: ContextTrace
    row: int


def places(tab: DetailTab[Any], first: Place, traces: Sequence[ContextTrace]) -> Iterator[Place]:
    """Yield decisions that have a tab: `first`, one of every kind in each context, the others."""
    kinds = (Place(trace, row) for trace in traces for row in _kinds(trace))
    others = (Place(trace, row) for trace in traces for row in _fired_rows(trace))
    for place in islice(chain([first], kinds, others), _TRIED):
        if tab.applies(place.trace.decision(place.row)):
            yield place


def _kinds(trace: ContextTrace) -> list[int]:
    """Return for each processor and outcome the first decision that did something."""
    rows, columns = np.array(_fired_rows(trace), np.int64), trace.decisions
    kinds = np.stack((columns.processor[rows], columns.outcome[rows]))
    _, at = np.unique(kinds, axis=1, return_index=True)
    found: list[int] = rows[np.sort(at)].tolist()
    return found


def _fired_rows(trace: ContextTrace) -> list[int]:
    rows: list[int] = np.flatnonzero(fired(trace.decisions)).tolist()
    return rows
