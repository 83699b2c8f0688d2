"""A case on the bench: its baseline is run once, then candidates with edited settings.

The window and the command line do the same here: a candidate is `replay --set …`, its comparison is
`compare`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.replay.case import Case
from inspector.replay.comparison import Comparison, compare
from inspector.replay.report import Report
from inspector.replay.restart import common_head
from inspector.replay.run_trace import RunTrace
from inspector.replay.runner import OnStep, Run, SummarizerName, replay
from inspector.replay.settings import Edit, edited


@dataclass(frozen=True)
class Candidate:
    """A replay beside its baseline."""

    case: Case
    report: Report
    trace: RunTrace
    comparison: Comparison
    """`a` is the baseline, `b` this run."""
    cancelled: bool


class ReplaySession:
    """One case, its baseline, and its candidates.

    Attributes:
        base: the case as it was recorded or loaded; nothing ever changes it.
    """

    def __init__(
        self,
        base: Case,
        *,
        wording: dict[str, Any] | None = None,
        summarizer: SummarizerName | None = None,
    ) -> None:
        """Take the case; nothing runs yet."""
        self.base = base
        self._wording = wording
        self._summarizer = summarizer
        self._baseline: Run | None = None
        self._trace: RunTrace | None = None

    async def baseline(
        self,
        on_step: OnStep | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> RunTrace:
        """Return the case's own run, made at the first call."""
        if self._trace is None or self._baseline is None or self._baseline.cancelled:
            self._baseline = await replay(
                self.base,
                wording=self._wording,
                summarizer=self._summarizer,
                on_step=on_step,
                cancelled=cancelled,
            )
            self._trace = RunTrace(self._baseline)
        return self._trace

    async def candidate(
        self,
        edits: Sequence[Edit],
        capacity: int | None = None,
        on_step: OnStep | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Candidate:
        """Run the case with edited settings and compare it with the baseline.

        Raises:
            CaseError: a setting does not exist or its value is invalid.
        """
        case = edited(self.base, edits, capacity)
        baseline = await self.baseline(cancelled=cancelled)
        assert self._baseline is not None
        run = self._baseline
        if case != self.base:
            run = await replay(
                case,
                base=self.base,
                cassette=self._baseline.cassette,
                wording=self._wording,
                summarizer=self._summarizer,
                head=common_head(run, case),
                on_step=on_step,
                cancelled=cancelled,
            )
        trace = RunTrace(run)
        return Candidate(case, trace.report, trace, compare(baseline, trace), run.cancelled)
