"""What the timeline draws of a trace, as plain arrays.

The window grows until the chain shrinks it, so a step has two points: what the first processor saw,
and what was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.trace.context_trace import NO_NUMBER, ContextTrace, StepColumns
from inspector.ui.models.marks import OUTCOMES


@dataclass(frozen=True)
class MarkerGroup:
    """Decisions that look alike, in ascending order of steps."""

    outcome: str
    inferred: bool
    near_limit: bool
    """It fired, or the window was full and something else spoke against it."""
    steps: NDArray[np.int64]
    levels: NDArray[np.float64]
    """Tokens of the window at that step, NaN where unknown."""


@dataclass(frozen=True)
class TimelineData:
    """Curve, markers and limits of one context."""

    steps: NDArray[np.float64]
    tokens: NDArray[np.float64]
    """The sawtooth; NaN parts it where nothing is known."""
    groups: tuple[MarkerGroup, ...]
    limits: tuple[tuple[str, int], ...]
    """Label and tokens of each different threshold."""
    capacity: int | None
    first: int
    last: int

    @property
    def top(self) -> float:
        """The largest number of tokens that is drawn."""
        limits = [self.capacity or 0, *(tokens for _, tokens in self.limits)]
        known = self.tokens[np.isfinite(self.tokens)]
        return float(max([*limits, known.max() if len(known) else 0, 1]))


def timeline_data(trace: ContextTrace) -> TimelineData:
    """Return what there is to draw of a trace."""
    steps, tokens = sawtooth(trace.steps)
    numbers = trace.steps.number
    first, last = (int(numbers[0]), int(numbers[-1])) if len(numbers) else (1, 1)
    return TimelineData(
        steps,
        tokens,
        _groups(trace),
        told_limits(trace.thresholds, trace.capacity),
        trace.capacity,
        first,
        last,
    )


def sawtooth(columns: StepColumns) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the line through the totals, falling to what was sent where the chain changed it."""
    total = np.where(columns.total == NO_NUMBER, np.nan, columns.total)
    sent = np.where(columns.sent == NO_NUMBER, np.nan, columns.sent)
    falls = np.isfinite(sent) & (sent != total)
    x = np.repeat(columns.number.astype(np.float64), 1 + falls)
    y = np.repeat(total, 1 + falls)
    y[np.cumsum(1 + falls)[falls] - 1] = sent[falls]
    return x, y


def told_limits(thresholds: Mapping[str, int], capacity: int | None) -> tuple[tuple[str, int], ...]:
    """Return each threshold once, with the processors that share it and its ratio."""
    shared: dict[int, list[str]] = {}
    for processor, tokens in thresholds.items():
        shared.setdefault(tokens, []).append(processor.removesuffix("Compressor"))
    labels = []
    for tokens, names in shared.items():
        ratio = f" {tokens / capacity:.3g}" if capacity else ""
        labels.append((", ".join(names) + ratio, tokens))
    return tuple(labels)


def _groups(trace: ContextTrace) -> tuple[MarkerGroup, ...]:
    columns = trace.decisions
    level_of = np.full(int(trace.steps.number.max(initial=0)) + 2, np.nan)
    level_of[trace.steps.number] = np.where(
        trace.steps.total == NO_NUMBER, np.nan, trace.steps.total
    )
    placed = np.flatnonzero((columns.step > 0) & (columns.step < len(level_of)))
    if (np.diff(columns.step[placed]) < 0).any():
        placed = placed[np.argsort(columns.step[placed], kind="stable")]
    below = [code for code, reason in enumerate(columns.reasons) if "below_threshold" in reason]
    near = ~np.isin(columns.reason, below)
    looks = (columns.outcome * 4 + columns.inferred * 2 + near)[placed]
    groups = []
    for look in np.flatnonzero(np.bincount(looks)):
        outcome = columns.outcomes[look // 4]
        if outcome in OUTCOMES:
            steps = columns.step[placed[looks == look]]
            inferred, near_limit = bool(look // 2 % 2), bool(look % 2)
            groups.append(MarkerGroup(outcome, inferred, near_limit, steps, level_of[steps]))
    return tuple(groups)
