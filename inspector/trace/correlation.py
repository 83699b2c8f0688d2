"""All decisions of one context, as columns, with what was concluded about its attempts.

The rows are the starts that `attempts` finds, the dumps that no record explains, and one row for
each of the three compressors that writes nothing while others do. Columns are filled from arrays;
Python's loop runs over attempts only, so a context costs O(n log n) in its records, whatever the
number of declines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inspector.sources.dump import DumpHead
from inspector.sources.header import Head
from inspector.trace.attempts import Attempt, DumpShelf, Starts, find_starts
from inspector.trace.context_trace import NO_NUMBER, NO_NUMBER_SAVED, DecisionColumns, StepColumns
from inspector.trace.decision import Outcome
from inspector.trace.give_ups import Candidate, Dumps, Verdict
from inspector.trace.records import CHECK, ContextKey, ContextRecords
from inspector.trace.steps import NO_STEP, Steps, find_steps
from inspector.trace.verdicts import Attempts, Judged, JudgedRow, largest_block

EXPECTED = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
"""The compressors whose absence from the files is said."""

_OUTCOMES: tuple[Outcome, ...] = ("declined", "compressed", "gave_up", "undecided", "running")
_ABSENT = Verdict(
    "undecided",
    None,
    "inferred",
    tuple(
        Candidate(reason, "nothing in the files speaks against it")
        for reason in ("no_model", "debug_off", "not_in_chain")
    ),
)


@dataclass(frozen=True)
class Correlated:
    """The decisions of one context.

    Attributes:
        at: Position of each row's first record; -1 where there is none.
        on_demand: Per row: it belongs to a compression on demand.
        judged: By row, what is not a plain decline.
        record_steps: Step of each record; `NO_STEP` before the first one.
        dumps: Whether compressions leave dumps here.
        min_targets: Least target in tokens by processor and capacity, where a decline recorded it.
    """

    key: ContextKey
    records: ContextRecords | None
    chain: tuple[str, ...]
    steps: StepColumns
    decisions: DecisionColumns
    at: NDArray[np.int64]
    on_demand: NDArray[np.bool_]
    judged: Mapping[int, Judged]
    record_steps: NDArray[np.int32]
    dumps: Dumps
    min_targets: Mapping[tuple[str, int | None], int]


def correlate(
    key: ContextKey,
    records: ContextRecords | None,
    dumps: Sequence[DumpHead],
    dumps_expected: bool,
    tailing: bool = False,
) -> Correlated:
    """Find the decisions of one context.

    Args:
        key: The ids of the context.
        records: Its records; None where only dumps name it.
        dumps: Its dumps.
        dumps_expected: A dump of this context would lie in the opened paths.
        tailing: More may follow, so an attempt without an end may be running.
    """
    shelf = DumpShelf(dumps)
    rows: list[JudgedRow] = []
    declined = np.empty(0, np.int64)
    steps, state = None, _dumps_state(dumps, dumps_expected)
    if records is not None:
        starts = find_starts(records)
        steps = find_steps(records, starts.forced, dumps)
        plain = _plain_declines(records, starts)
        declined = starts.at[plain]
        attempts = Attempts(records, starts, steps, shelf, state, tailing, largest_block(dumps))
        rows, state = attempts.judge(np.flatnonzero(~plain))
    rows += [_row_of_dump(dump, records, steps) for dump in shelf.close()]
    rows += _absent_rows(records, rows, declined)
    return _assemble(key, records, steps, declined, rows, state)


def _dumps_state(dumps: Sequence[DumpHead], expected: bool) -> Dumps:
    if dumps:
        return "on"
    return "presumed" if expected else "unknown"


def _plain_declines(records: ContextRecords, starts: Starts) -> NDArray[np.bool_]:
    """Mark the decisions that one record decides: a check not passed, with its reason."""
    stated = np.array(
        [head.hit is False and head.reason is not None for head in records.table.heads], np.bool_
    )
    plain: NDArray[np.bool_] = stated[records.head[starts.at]]
    plain &= records.event[starts.at] == CHECK
    return plain


def _row_of_dump(dump: DumpHead, records: ContextRecords | None, steps: Steps | None) -> JudgedRow:
    """Return the decision that only a dump tells of."""
    step = 0
    if records is not None and steps is not None and len(steps.step):
        before = int(np.searchsorted(records.time, dump.time, side="right")) - 1
        step = int(steps.step[before]) if before >= 0 else 0
    verdict = Verdict("compressed", None, "recorded")
    judged = Judged(Attempt(dump=dump), verdict, model_calls=1)
    return JudgedRow(dump.time, -1, step, dump.processor, judged)


def _absent_rows(
    records: ContextRecords | None, rows: Sequence[JudgedRow], declined: NDArray[np.int64]
) -> list[JudgedRow]:
    present = {row.processor for row in rows}
    if records is not None and len(declined):
        codes = np.unique(records.processor[declined]).tolist()
        present |= {records.table.processors[code] for code in codes}
    return [
        JudgedRow(math.inf, -1, 0, name, Judged(Attempt(), _ABSENT))
        for name in EXPECTED
        if name not in present
    ]


def _assemble(
    key: ContextKey,
    records: ContextRecords | None,
    steps: Steps | None,
    declined: NDArray[np.int64],
    rows: Sequence[JudgedRow],
    dumps: Dumps,
) -> Correlated:
    """Sort plain declines and the other rows by time, and fill the columns."""
    time = _joined(
        records.time[declined] if records else [], [row.time for row in rows], np.float64
    )
    at = _joined(declined, [row.at for row in rows], np.int64)
    order = np.lexsort((at, time))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    judged = {int(place[len(declined) + n]): row.judged for n, row in enumerate(rows)}
    on_demand = _joined(
        steps.on_demand[declined] if steps else [], [row.on_demand for row in rows], np.bool_
    )
    return Correlated(
        key=key,
        records=records,
        chain=steps.chain if steps else (),
        steps=_step_columns(records, steps, rows),
        decisions=_decision_columns(records, steps, declined, rows, order),
        at=at[order],
        on_demand=on_demand[order],
        judged=judged,
        record_steps=steps.step if steps else np.empty(0, np.int32),
        dumps=dumps,
        min_targets=_min_targets(records),
    )


def _joined(first: Any, second: Any, dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.asarray(first, dtype), np.array(second, dtype)])


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


def _decision_columns(
    records: ContextRecords | None,
    steps: Steps | None,
    declined: NDArray[np.int64],
    rows: Sequence[JudgedRow],
    order: NDArray[np.int64],
) -> DecisionColumns:
    heads: Sequence[Head] = records.table.heads if records else ()
    head = records.head[declined] if records else np.empty(0, np.int64)
    checks = [h if h.event == "threshold_check" else None for h in heads]
    processors, reasons = _Names(), _Names()
    judged = [row.judged for row in rows]
    count = len(declined)

    def column(first: Any, second: Any, dtype: type[np.generic]) -> NDArray[Any]:
        return _joined(first, second, dtype)[order]

    own_thresholds = [threshold_of(records, j) for j in judged]
    thresholds = np.array([_or_no_number(h.threshold if h else None) for h in checks], np.int64)
    time = column(records.time[declined] if records else [], [row.time for row in rows], np.float64)
    step = column(steps.step[declined] if steps else [], [row.step for row in rows], np.int64)
    return DecisionColumns(
        time=np.where(np.isfinite(time), time, np.nan),
        step=np.where(step == NO_STEP, NO_NUMBER, step),
        processor=column(
            processors.codes(h.processor if h else None for h in checks)[head],
            processors.codes(row.processor for row in rows),
            np.int16,
        ),
        processors=processors.names,
        outcome=column(
            np.zeros(count), [_OUTCOMES.index(j.verdict.outcome) for j in judged], np.int16
        ),
        outcomes=_OUTCOMES,
        reason=column(
            reasons.codes(h.reason if h else None for h in checks)[head],
            reasons.codes(_reason_shown(j.verdict) for j in judged),
            np.int16,
        ),
        reasons=reasons.names,
        total=column(
            records.total[declined] if records else [],
            [_or_no_number(total_of(records, j)) for j in judged],
            np.int64,
        ),
        threshold=column(thresholds[head], [_or_no_number(t) for t in own_thresholds], np.int64),
        saved=column(np.full(count, NO_NUMBER_SAVED), [_saved(j) for j in judged], np.int64),
        duration=column(
            np.full(count, np.nan), [_or_nan(duration_of(records, j)) for j in judged], np.float64
        ),
        inferred=column(np.zeros(count), [j.verdict.basis == "inferred" for j in judged], np.bool_),
    )


def _reason_shown(verdict: Verdict) -> str | None:
    if verdict.reason is None and verdict.candidates:
        return f"{verdict.candidates[0].reason}?"
    return verdict.reason


def total_of(records: ContextRecords | None, judged: Judged) -> int | None:
    """Return the tokens of the window that the attempt's check measured."""
    if records is None or judged.attempt.check is None:
        return None
    total = int(records.total[judged.attempt.check])
    return None if total == NO_NUMBER else total


def threshold_of(records: ContextRecords | None, judged: Judged) -> int | None:
    """Return the threshold in tokens of the attempt's check."""
    if records is None or judged.attempt.check is None:
        return None
    return records.head_at(judged.attempt.check).threshold


def before_and_after(judged: Judged) -> tuple[int | None, int | None]:
    """Return the tokens of the context messages before the attempt and after it."""
    dump, stated = judged.attempt.dump, judged.stated
    if dump is not None and dump.before is not None:
        return dump.before, dump.after
    return (stated.before_tokens, stated.after_tokens) if stated else (None, None)


def duration_of(records: ContextRecords | None, judged: Judged) -> float | None:
    """Return the seconds from the attempt's first record to the one or the dump that decided it."""
    attempt = judged.attempt
    if records is None or not attempt.positions or judged.verdict.basis == "inferred":
        return None
    positions = attempt.positions
    end = float(records.time[positions[-1]])
    if attempt.dump is not None and attempt.outcome is None:
        end = attempt.dump.time
    seconds = end - float(records.time[positions[0]])
    return seconds if seconds >= 0 else None


def _saved(judged: Judged) -> int:
    before, after = before_and_after(judged)
    if judged.verdict.outcome != "compressed" or before is None or after is None:
        return NO_NUMBER_SAVED
    return before - after


def _or_no_number(value: int | None) -> int:
    return NO_NUMBER if value is None else min(value, np.iinfo(np.int64).max)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _step_columns(
    records: ContextRecords | None, steps: Steps | None, rows: Sequence[JudgedRow]
) -> StepColumns:
    if records is None or steps is None:
        none = np.empty(0, np.int64)
        return StepColumns(none, np.empty(0), none, none)
    first, total = steps.first, records.total
    checks = np.flatnonzero(
        (records.event == CHECK) & records.table.in_window[records.head] & ~steps.on_demand
    )
    sent = total[first].copy()
    at_check = steps.step[checks] - 1
    sent[at_check] = total[checks]  # the last check of a step wins
    last = np.full(len(first), -1, np.int64)
    last[at_check] = checks
    for row in rows:
        before, after = before_and_after(row.judged)
        measured = total_of(records, row.judged)
        closes = row.at >= 0 and row.step != NO_STEP and last[row.step - 1] == row.at
        if closes and row.judged.verdict.outcome == "compressed" and after is not None:
            fixed = max((measured or 0) - (before or 0), 0)  # system messages and tools
            sent[row.step - 1] = after + fixed
    return StepColumns(np.arange(1, len(first) + 1), records.time[first], total[first], sent)


def _min_targets(records: ContextRecords | None) -> dict[tuple[str, int | None], int]:
    if records is None:
        return {}
    used = (records.table.heads[code] for code in np.unique(records.head).tolist())
    return {
        (head.processor, head.capacity): head.min_target
        for head in used
        if head.min_target is not None
    }
