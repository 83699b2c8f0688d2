"""The columns of a context: one row per decision, one per window request.

Declines come as positions of records, so that no object is made for them; everything else comes as
rows. All are sorted by time together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from inspector.sources.header import Head
from inspector.sources.offload_log import OFFLOADER
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
    """The decisions before they are sorted."""

    records: ContextRecords | None
    steps: Steps | None
    declined: NDArray[np.int64]
    """Positions of the plain declines in the dated records."""
    offloads: OffloadRecords | None
    times: OffloadTimes | None
    small: NDArray[np.int64]
    """Positions of the plain declines in the offloader's log."""
    rows: Sequence[Row]


def joined(first: Any, second: Any, third: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """Return three pieces of a column as one."""
    return np.concatenate([np.asarray(part, dtype) for part in (first, second, third)])


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


def decision_columns(parts: Parts, order: NDArray[np.int64]) -> DecisionColumns:
    """Fill the columns, the rows in the given order."""
    records, steps, rows = parts.records, parts.steps, parts.rows
    small, verdicts = len(parts.small), [row.story.verdict for row in rows]
    processors, reasons = _Names(), _Names()
    heads: Sequence[Head] = records.table.heads if records is not None else ()
    head = records.head[parts.declined] if records is not None else np.empty(0, np.int64)
    log = parts.offloads
    log_heads: Sequence[Head] = log.table.heads if log is not None else ()
    log_head = log.head[parts.small] if log is not None else np.empty(0, np.int64)

    def column(first: Any, second: Any, third: Any, dtype: type[np.generic]) -> NDArray[Any]:
        return joined(first, second, third, dtype)[order]

    def thresholds(of: Sequence[Head]) -> NDArray[np.int64]:
        return np.array([_or_no_number(h.threshold) for h in of], np.int64)

    checks = [h if h.event == "threshold_check" else None for h in heads]
    step = column(
        steps.step[parts.declined] if steps is not None else [],
        parts.times.step[parts.small] if parts.times is not None else [],
        [row.step for row in rows],
        np.int64,
    )
    return DecisionColumns(
        time=column(
            records.time[parts.declined] if records is not None else [],
            np.full(small, np.nan),
            [row.time for row in rows],
            np.float64,
        ),
        step=np.where(step == NO_STEP, NO_NUMBER, step),
        processor=column(
            processors.codes(h.processor if h else None for h in checks)[head],
            processors.codes([OFFLOADER] if small else []).repeat(small),
            processors.codes(row.processor for row in rows),
            np.int16,
        ),
        processors=processors.names,
        outcome=column(
            np.zeros(len(head)),
            np.zeros(small),
            [_OUTCOMES.index(verdict.outcome) for verdict in verdicts],
            np.int16,
        ),
        outcomes=_OUTCOMES,
        reason=column(
            reasons.codes(h.reason if h else None for h in checks)[head],
            reasons.codes([SMALL] if small else []).repeat(small),
            reasons.codes(map(_reason_shown, verdicts)),
            np.int16,
        ),
        reasons=reasons.names,
        total=column(
            records.total[parts.declined] if records is not None else [],
            np.full(small, NO_NUMBER),
            [_or_no_number(row.figures.total) for row in rows],
            np.int64,
        ),
        size=column(
            np.full(len(head), NO_NUMBER),
            log.total[parts.small] if log is not None else [],
            [_or_no_number(row.figures.size) for row in rows],
            np.int64,
        ),
        threshold=column(
            thresholds(heads)[head],
            thresholds(log_heads)[log_head],
            [_or_no_number(row.figures.threshold) for row in rows],
            np.int64,
        ),
        saved=column(
            np.full(len(head), NO_NUMBER_SAVED),
            np.full(small, NO_NUMBER_SAVED),
            [_or_none_saved(row.figures.saved) for row in rows],
            np.int64,
        ),
        duration=column(
            np.full(len(head), np.nan),
            np.full(small, np.nan),
            [_or_nan(row.figures.duration) for row in rows],
            np.float64,
        ),
        inferred=column(
            np.zeros(len(head)),
            np.zeros(small),
            [verdict.basis == "inferred" for verdict in verdicts],
            np.bool_,
        ),
    )


def _reason_shown(verdict: Verdict) -> str | None:
    if verdict.reason is None and verdict.candidates:
        return f"{verdict.candidates[0].reason}?"
    return verdict.reason


def _or_no_number(value: int | None) -> int:
    return NO_NUMBER if value is None else value


def _or_none_saved(value: int | None) -> int:
    return NO_NUMBER_SAVED if value is None else value


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def step_columns(
    records: ContextRecords | None, steps: Steps | None, rows: Sequence[Row]
) -> StepColumns:
    """Measure each window request before the chain acted and after it."""
    if records is None or steps is None:
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
    for row in rows:
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
    return StepColumns(np.arange(1, len(first) + 1), records.time[first], begun, sent)


def _of_whole_windows(records: ContextRecords, checks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out session memory's checks, which do not count the tools, where others measured."""
    names = records.table.processors
    partial = np.array([name in MEMORY for name in names], np.bool_)[records.processor[checks]]
    return checks if partial.all() else checks[~partial]
