"""A replay with all that is shown of it, made off the UI thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.replay.cases.case import Case
from inspector.replay.comparisons.alignment import AlignedDecision, align
from inspector.replay.comparisons.comparison import Comparison, compare
from inspector.replay.reports.run_trace import RunTrace
from inspector.ui.models.replay.settings.setup import ReplaySetup


@dataclass(frozen=True)
class Result:
    """A run beside the baseline."""

    setup: ReplaySetup
    baseline: RunTrace
    trace: RunTrace
    comparison: Comparison
    """The baseline (`a`) against this run (`b`)."""
    aligned: tuple[AlignedDecision, ...]
    """Decisions of baseline and candidate, by step."""
    differing: NDArray[np.bool_]
    """One per aligned decision: whether the outcomes differ."""

    @property
    def case(self) -> Case:
        """What was run."""
        return self.trace.run.case

    @classmethod
    def of(cls, setup: ReplaySetup, baseline: RunTrace, trace: RunTrace) -> Result:
        """Compare a run with a baseline."""
        aligned = tuple(align(baseline, trace))
        differing = np.array(
            [_outcome(baseline, pair.a) != _outcome(trace, pair.b) for pair in aligned], np.bool_
        )
        return cls(setup, baseline, trace, compare(baseline, trace), aligned, differing)

    def beside(self, baseline: RunTrace) -> Result:
        """Return the same run, compared with another baseline."""
        if baseline is self.baseline:
            return self
        return Result.of(self.setup, baseline, self.trace)


def _outcome(trace: RunTrace, row: int) -> str | None:
    return trace.decisions.outcomes[trace.decisions.outcome[row]] if row >= 0 else None
