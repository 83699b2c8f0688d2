"""Between steps and pixels: a pure struct, so that it can be tested without a chart.

Everything that is drawn per pixel and not per step comes from here; so a chart of a million steps
costs as much as its width, not as its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Line = NDArray[np.float64]


@dataclass(frozen=True)
class StepScale:
    """The steps that are in sight, laid over a width."""

    first: float
    """Step at the left edge."""
    last: float
    """Step at the right edge."""
    width: float
    """Pixels."""

    def x_of(self, step: float) -> float:
        """Return the pixel of a step."""
        extent = self.last - self.first
        return (step - self.first) / extent * self.width if extent else self.width / 2

    def step_at(self, x: float) -> int:
        """Return the whole step nearest to a pixel, within the range."""
        step = (
            round(self.first + x / self.width * (self.last - self.first))
            if self.width
            else round(self.first)
        )
        return int(
            min(max(step, np.ceil(self.first)), max(np.floor(self.last), np.ceil(self.first)))
        )

    def steps_between(self, x1: float, x2: float) -> tuple[int, int]:
        """Return the first and the last step of a stretch of pixels, whichever way it was drawn."""
        one, other = self.step_at(x1), self.step_at(x2)
        return min(one, other), max(one, other)

    def thinned(self, steps: NDArray[np.int64], spacing: float) -> NDArray[np.int64]:
        """Return indices of steps in sight, about `spacing` pixels apart where they are crowded.

        Steps are taken in groups that depend on the zoom only, the first of each group stays; so
        moving the view does not make marks come and go. Steps must ascend.
        """
        if not self.width:
            return np.empty(0, np.int64)
        low, high = np.floor(self.first), np.ceil(self.last)
        group = max(np.ceil(spacing * (self.last - self.first) / self.width), 1)
        heads = np.arange(low // group, high // group + 1) * group
        at = np.unique(np.searchsorted(steps, np.maximum(heads, low)))
        return at[: np.searchsorted(at, np.searchsorted(steps, high, "right"))]

    def seen(self, steps: Line, values: Line) -> tuple[Line, Line]:
        """Return the part of a line that is in sight, with a point beyond either edge."""
        start, stop = np.searchsorted(steps, [self.first, self.last])
        part = slice(max(int(start) - 1, 0), int(stop) + 1)
        return steps[part], values[part]

    def envelope(self, steps: Line, values: Line) -> tuple[Line, Line]:
        """Return the first, smallest, largest and last value of each pixel as a line.

        A pixel without a known value parts the line. Steps must ascend.
        """
        extent = self.last - self.first or 1
        pixels = np.floor((steps - self.first) / extent * self.width)
        starts = np.flatnonzero(np.diff(pixels, prepend=-np.inf))
        ends = np.append(starts[1:], len(steps)) - 1
        line = np.column_stack(
            (
                values[starts],
                np.fmin.reduceat(values, starts),
                np.fmax.reduceat(values, starts),
                values[ends],
            )
        )
        return np.repeat(steps[starts], line.shape[1]), line.ravel()


def ticks(low: float, high: float, most: float) -> tuple[int, list[float]]:
    """Return the spacing of an axis and its figures: whole numbers, in steps of 1, 2 or 5.

    Args:
        low: Smallest number in sight.
        high: Largest number in sight.
        most: How many figures there is room for.
    """
    least = max((high - low) / max(most, 1), 1)
    size = 10 ** int(np.floor(np.log10(least)))
    spacing = next(size * times for times in (1, 2, 5, 10) if size * times >= least)
    first = int(np.ceil(low / spacing))
    return spacing, [float(at * spacing) for at in range(first, int(high // spacing) + 1)]
