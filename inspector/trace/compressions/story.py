"""What is known of the attempts of a context's compressors, once each is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines.columns import known_count
from inspector.trace.compressions.attempts import Attempt
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.evidence.records import ContextRecords
from inspector.trace.rows import Figures, Verdict

SHRANK = ("compressed", "cut")
"""Outcomes of an attempt after which the context is shorter."""


@dataclass(frozen=True)
class Judged:
    """One attempt, or a check that does not say its end, and what was concluded."""

    attempt: Attempt
    verdict: Verdict
    model_calls: int = 0
    forced: bool = False
    stated: StatedEnd | None = None
    """The writer's own statement, where it makes one."""


@dataclass(frozen=True)
class Compressions:
    """The attempts of one context, and what building and showing them needs besides."""

    records: ContextRecords | None
    record_steps: NDArray[np.int32]
    """Step of each dated record."""
    judged: Mapping[int, Judged]
    """By row of the decisions."""
    rewritten: NDArray[np.int64]
    """Steps at which the context was compressed."""
    min_targets: Mapping[tuple[str, int | None], int]
    """Least target in tokens by processor and capacity, where a decline recorded it."""
    writer: str | None
    """The version that wrote the files, where that can be told."""


def total_of(records: ContextRecords | None, judged: Judged) -> int | None:
    """Return the tokens of the window that the attempt's check measured."""
    if records is None or judged.attempt.check is None:
        return None
    return known_count(records.total[judged.attempt.check])


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
    if stated is None:
        return None, None
    return stated.before, stated.after


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


def figures_of(records: ContextRecords | None, judged: Judged) -> Figures:
    """Return the figures of an attempt's row."""
    before, after = before_and_after(judged)
    worked = judged.verdict.outcome in SHRANK
    return Figures(
        total=total_of(records, judged),
        threshold=threshold_of(records, judged),
        saved=before - after if worked and before is not None and after is not None else None,
        duration=duration_of(records, judged),
    )
