"""A case on the bench: its baseline is run once, then candidates with other settings.

The window and the command line do the same here: a candidate is `replay --set …`, its comparison is
`compare`. Only what the settings can change is run anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.summarizers.call import Summarizer
from engine.summarizers.extractive import NAME as EXTRACTIVE
from inspector.replay.cases.case import Case
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.restart import common_head
from inspector.replay.runs.run import Head, OnStep, Run, Step, SummarizerName
from inspector.replay.runs.runner import replay


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
        case: Case,
        on_step: OnStep | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        on_head: Callable[[Sequence[Step]], None] = lambda _: None,
        *,
        whole: bool = False,
        model: Summarizer | None = None,
    ) -> RunTrace:
        """Run the case with other settings.

        Args:
            case: the session's case, edited.
            on_step: called with each step that is run, as it ends.
            cancelled: asked between steps; a true answer ends the run with what there is.
            on_head: called with the steps that are taken over from the baseline.
            whole: run every step, even those that nothing can have changed.
            model: who answers what nobody recorded; the offline extract when None.

        Raises:
            CaseError: the case cannot be run.
        """
        baseline = await self.baseline(cancelled=cancelled)
        run = baseline.run
        if case != self.base or whole or model is not None:
            head = Head() if whole else common_head(run, case)
            if model is not None and _is_extracted(head):
                head = Head()
            on_head(head.steps)
            run = await replay(
                case,
                base=self.base,
                cassette=run.cassette,
                wording=self._wording,
                summarizer=self._summarizer,
                model=model,
                head=head,
                on_step=on_step,
                cancelled=cancelled,
            )
        return RunTrace(run)


def _is_extracted(head: Head) -> bool:
    """Return whether a head holds summaries that a model would have written otherwise."""
    answers = (sent.answer for step in head.steps for sent in step.calls)
    return any(answer is not None and answer.summarizer == EXTRACTIVE for answer in answers)
