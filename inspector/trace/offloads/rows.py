"""The offloaders' passes as rows of decisions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from inspector.trace.evidence.sightings import Sightings
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.offloads.times import OffloadTimes, first_shown_step, step_after
from inspector.trace.rows import Figures, Row


def pass_rows(
    passes: Sequence[OffloadPass], times: OffloadTimes, begun: NDArray[np.float64]
) -> Iterable[Row]:
    """Yield a row for each pass that the log tells of.

    Args:
        passes: The passes of one context.
        times: When its lines were written.
        begun: Epoch seconds at which each window request began.
    """
    for told in passes:
        first, last = told.positions[0], told.positions[-1]
        told.after, told.before = float(times.after[last]), float(times.before[first])
        time = told.time
        yield Row(
            when=float(times.when[first]) if told.stated is None else time,
            order=first,
            step=_step(told, int(times.step[first]), begun),
            processor=told.processor,
            story=told,
            figures=_figures(told),
            time=time,
        )


def loose_rows(
    passes: Sequence[OffloadPass], sightings: Sightings, begun: NDArray[np.float64]
) -> Iterable[Row]:
    """Yield a row for each pass that only files tell of."""
    for told in passes:
        time = told.time
        told.after, told.before, step = first_shown_step(told.message, sightings, begun)
        dated = not math.isnan(time)
        yield Row(
            when=time if dated else min(told.before, math.inf),
            order=-1,
            step=_step(told, step, begun),
            processor=told.processor,
            story=told,
            figures=_figures(told),
            time=time,
        )


def _step(told: OffloadPass, shown: int, begun: NDArray[np.float64]) -> int:
    """Return the step of a pass; `shown` is the one that first shows what came of it."""
    if told.stated is not None:
        return told.stated.step
    return shown if math.isnan(told.time) else step_after(told.time, begun)


def _figures(told: OffloadPass) -> Figures:
    before, after = told.before_tokens, told.after_tokens
    return Figures(
        size=before,
        threshold=told.told("threshold"),
        saved=None if before is None or after is None else before - after,
    )
