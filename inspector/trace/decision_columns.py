"""The columns of a context: one row per decision, one per window request.

Declines come as positions of records, so that no object is made for them; everything else comes as
rows. All are sorted by time together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines.header import Head
from inspector.sources.lines.offload_log import OFFLOADER
from inspector.trace.compressions.story import SHRANK, Judged, before_and_after
from inspector.trace.context_trace import NO_NUMBER, NO_NUMBER_SAVED, DecisionColumns, StepColumns
from inspector.trace.decision import Outcome
from inspector.trace.evidence.records import CHECK, ContextRecords, OffloadRecords
from inspector.trace.evidence.steps import NO_STEP, Steps
from inspector.trace.offloads.times import OffloadTimes
from inspector.trace.offloads.verdicts import SMALL
from inspector.trace.rows import Row, Verdict
from inspector.trace.session_memory.story import MEMORY

_OUTCOMES: tuple[Outcome, ...] = ("declined", *(o for o in get_args(Outcome) if o != "declined"))


@dataclass(frozen=True)
class Parts:
    """The decisions before they are sorted: the plain declines of both kinds, then the others."""

    records: ContextRecords | None
    steps: Steps
    declined: NDArray[np.int64]
    """Positions of the plain declines in the dated records."""
    offloads: OffloadRecords | None
    times: OffloadTimes
    small: NDArray[np.int64]
    """Positions of the plain declines in the offloader's log."""
    rows: Sequence[Row]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many decisions of each kind there are."""
        return len(self.declined), len(self.small), len(self.rows)

    @property
    def at(self) -> NDArray[np.int64]:
        """Position of each one's first record; -1 where there is none."""
        return np.concatenate(
            [self.declined, self.small, np.array([row.order for row in self.rows], np.int64)]
        )

    @property
    def on_demand(self) -> NDArray[np.bool_]:
        """Mark those that belong to a compression on demand."""
        rows = np.array([row.on_demand for row in self.rows], np.bool_)
        return np.concatenate(
            [self.steps.on_demand[self.declined], np.zeros(len(self.small), np.bool_), rows]
        )

    @property
    def order(self) -> NDArray[np.int64]:
        """Return them sorted by time, and those of one time by their first records."""
        when = [
            self.steps.time[self.declined],
            self.times.when[self.small],
            np.array([row.when for row in self.rows], np.float64),
        ]
        return np.lexsort((self.at, np.concatenate(when)))


class _Names:
    """Gives each name a code."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def codes(self, names: Iterable[str | None]) -> NDArray[np.int16]:
        """Return the code of each name, -1 for None."""
        codes = self._codes
        return np.array(
            [-1 if name is None else codes.setdefault(name, len(codes)) for name in names], np.int16
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._codes)


_UNKNOWN: Mapping[str, tuple[type[np.generic], float]] = {
    "time": (np.float64, math.nan),
    "step": (np.int64, NO_STEP),
    "processor": (np.int16, -1),
    "outcome": (np.int16, _OUTCOMES.index("declined")),
    "reason": (np.int16, -1),
    "total": (np.int64, NO_NUMBER),
    "size": (np.int64, NO_NUMBER),
    "threshold": (np.int64, NO_NUMBER),
    "saved": (np.int64, NO_NUMBER_SAVED),
    "duration": (np.float64, math.nan),
    "inferred": (np.bool_, False),
}
"""Type of each column, and what stands in it where nothing is known."""

_Piece = Mapping[str, NDArray[Any]]


def decision_columns(parts: Parts, order: NDArray[np.int64]) -> DecisionColumns:
    """Fill the columns, the rows in the given order."""
    processors, reasons = _Names(), _Names()
    pieces = (
        _declined(parts, processors, reasons),
        _small(parts, processors, reasons),
        _told(parts.rows, processors, reasons),
    )
    columns = {name: np.concatenate([piece[name] for piece in pieces])[order] for name in _UNKNOWN}
    columns["step"][columns["step"] == NO_STEP] = NO_NUMBER
    return DecisionColumns(
        **columns, processors=processors.names, outcomes=_OUTCOMES, reasons=reasons.names
    )


def _piece(count: int, **known: Any) -> _Piece:
    """Return some rows of all columns, of which these are known."""
    return {
        name: np.asarray(known[name], dtype) if name in known else np.full(count, missing, dtype)
        for name, (dtype, missing) in _UNKNOWN.items()
    }


def _declined(parts: Parts, processors: _Names, reasons: _Names) -> _Piece:
    """Return the plain declines of the dated records."""
    records, at = parts.records, parts.declined
    if records is None:
        return _piece(0)
    heads, head = records.table.heads, records.head[at]
    checks = [h if h.event == "threshold_check" else None for h in heads]
    return _piece(
        len(at),
        time=records.time[at],
        step=parts.steps.step[at],
        processor=processors.codes(h.processor if h else None for h in checks)[head],
        reason=reasons.codes(h.reason if h else None for h in checks)[head],
        total=records.total[at],
        threshold=_thresholds(heads)[head],
    )


def _small(parts: Parts, processors: _Names, reasons: _Names) -> _Piece:
    """Return the plain declines of the offloader's log."""
    log, at = parts.offloads, parts.small
    if log is None or not len(at):
        return _piece(0)
    return _piece(
        len(at),
        step=parts.times.step[at],
        processor=processors.codes([OFFLOADER]).repeat(len(at)),
        reason=reasons.codes([SMALL]).repeat(len(at)),
        size=log.total[at],
        threshold=_thresholds(log.table.heads)[log.head[at]],
    )


def _told(rows: Sequence[Row], processors: _Names, reasons: _Names) -> _Piece:
    """Return the decisions that have a story."""
    figures, verdicts = [row.figures for row in rows], [row.story.verdict for row in rows]
    return _piece(
        len(rows),
        time=[row.time for row in rows],
        step=[row.step for row in rows],
        processor=processors.codes(row.processor for row in rows),
        outcome=[_OUTCOMES.index(verdict.outcome) for verdict in verdicts],
        reason=reasons.codes(map(_reason_shown, verdicts)),
        total=[_or(f.total, NO_NUMBER) for f in figures],
        size=[_or(f.size, NO_NUMBER) for f in figures],
        threshold=[_or(f.threshold, NO_NUMBER) for f in figures],
        saved=[_or(f.saved, NO_NUMBER_SAVED) for f in figures],
        duration=[_or(f.duration, math.nan) for f in figures],
        inferred=[verdict.basis == "inferred" for verdict in verdicts],
    )


def _thresholds(heads: Sequence[Head]) -> NDArray[np.int64]:
    return np.array([_or(head.threshold, NO_NUMBER) for head in heads], np.int64)


def _reason_shown(verdict: Verdict) -> str | None:
    if verdict.reason is None and verdict.candidates:
        return f"{verdict.candidates[0].reason}?"
    return verdict.reason


def _or(value: float | None, missing: float) -> float:
    return missing if value is None else value


def step_columns(parts: Parts) -> StepColumns:
    """Measure each window request before the chain acted and after it."""
    records, steps = parts.records, parts.steps
    if records is None:
        none = np.empty(0, np.int64)
        return StepColumns(none, np.empty(0), none, none)
    first, total = steps.first, records.total
    checks = np.flatnonzero(
        (records.event == CHECK) & records.table.in_window[records.head] & ~steps.on_demand
    )
    checks = _of_whole_windows(records, checks)
    begun = total[first].copy()
    at_check = steps.step[checks] - 1
    begun[at_check[::-1]] = total[checks[::-1]]  # the first check of a step wins
    sent = begun.copy()
    sent[at_check] = total[checks]  # the last check of a step wins
    last = np.full(len(first), -1, np.int64)
    last[at_check] = checks
    for row in parts.rows:
        measured = row.figures.total
        used = row.story.verdict.outcome == "materialised" and row.step != NO_STEP
        if used and measured is not None:
            begun[row.step - 1] = measured  # the others measure what was left
        if not isinstance(row.story, Judged) or row.story.verdict.outcome not in SHRANK:
            continue
        before, after = before_and_after(row.story)
        closes = row.order >= 0 and row.step != NO_STEP and last[row.step - 1] == row.order
        if closes and after is not None:
            fixed = max((measured or 0) - (before or 0), 0)  # system messages and tools
            sent[row.step - 1] = after + fixed
    return StepColumns(np.arange(1, len(first) + 1), steps.begun, begun, sent)


def _of_whole_windows(records: ContextRecords, checks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out session memory's checks, which do not count the tools, where others measured."""
    names = records.table.processors
    partial = np.array([name in MEMORY for name in names], np.bool_)[records.processor[checks]]
    return checks if partial.all() else checks[~partial]
