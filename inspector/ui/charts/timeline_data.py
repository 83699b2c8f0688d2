"""What the timeline draws of a trace, as plain arrays.

The window grows until the chain shrinks it, so a step has two points: what the first processor saw,
and what was sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.trace.context_trace import NO_NUMBER, ContextTrace, StepColumns
from inspector.ui.models.marks import OUTCOMES, RECALL_MARK, Mark, outcome_mark


@dataclass(frozen=True)
class MarkerGroup:
    """Decisions, or recalls, that look alike, in ascending order of steps."""

    mark: Mark
    near_limit: bool
    """It fired, or the window was full and something else spoke against it."""
    steps: NDArray[np.int64]
    levels: NDArray[np.float64]
    """Tokens of the window by the number of the step, NaN where unknown."""

    @property
    def declined(self) -> bool:
        """Nothing was done; such marks stand along the foot."""
        return self.mark.shape == "ring"


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
    def highest(self) -> float:
        """The largest window, in tokens."""
        known = self.tokens[np.isfinite(self.tokens)]
        return float(known.max(initial=1.0))

    @property
    def top(self) -> float:
        """The largest number of tokens that is drawn."""
        return max(self.capacity or 0, *(tokens for _, tokens in self.limits), self.highest)


def timeline_data(trace: ContextTrace, recalls: bool = False) -> TimelineData:
    """Return what there is to draw of a trace, and if wished when something was recalled."""
    steps, tokens = sawtooth(trace.steps)
    numbers = trace.steps.number
    first, last = (int(numbers[0]), int(numbers[-1])) if len(numbers) else (1, 1)
    return TimelineData(
        steps,
        tokens,
        (*_groups(trace), *(_recalled(trace) if recalls else ())),
        told_limits(trace.thresholds, trace.capacity),
        trace.capacity,
        first,
        last,
    )


def sawtooth(columns: StepColumns) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the line through the totals, falling to what was sent where the chain changed it."""
    total, sent = _known(columns.total), _known(columns.sent)
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


def _groups(trace: ContextTrace) -> Iterator[MarkerGroup]:
    columns, levels = trace.decisions, _levels(trace)
    placed = (columns.step > 0) & (columns.step < len(levels))
    near_by_code = np.array([*("below_threshold" not in each for each in columns.reasons), True])
    near = near_by_code[columns.reason]
    ordered = (np.diff(columns.step[placed]) >= 0).all()
    looks = columns.outcome * 4 + columns.inferred * 2 + near
    for look in np.flatnonzero(np.bincount(looks[placed])).tolist():
        outcome = columns.outcomes[look // 4]
        if outcome in OUTCOMES:
            steps = columns.step[placed & (looks == look)]
            mark = outcome_mark(outcome, bool(look // 2 % 2))
            yield MarkerGroup(mark, bool(look % 2), steps if ordered else np.sort(steps), levels)


def _recalled(trace: ContextTrace) -> Iterator[MarkerGroup]:
    levels = _levels(trace)
    steps = np.unique([recall.step for recall in trace.recalls if recall.step])
    steps = steps[steps < len(levels)].astype(np.int64)
    if len(steps):
        yield MarkerGroup(RECALL_MARK, True, steps, levels)


def _levels(trace: ContextTrace) -> NDArray[np.float64]:
    """Return the tokens of the window by the number of the step."""
    levels = np.full(int(trace.steps.number.max(initial=0)) + 2, np.nan)
    levels[trace.steps.number] = _known(trace.steps.total)
    return levels


def _known(tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(tokens == NO_NUMBER, np.nan, tokens)
