"""Running candidates on the engine's thread, one at a time; a newer one supersedes the older.

A candidate whose setup names a model plays what that model answered before. It is asked only when
somebody says so, for it costs money.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from engine.summarizers.call import Summarizer
from inspector.replay.cases.case import Case
from inspector.replay.cases.oddities import oddities
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import Step
from inspector.replay.session import ReplaySession
from inspector.replay.summaries.answers import Answers
from inspector.replay.summaries.kept_summarizer import KeptSummarizer
from inspector.ui.models.replay.running.progress import ReplayProgress, StepWatch
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.replay.running.stepper import Goal, Stepper
from inspector.ui.models.replay.settings.setup import ReplaySetup
from inspector.ui.models.replay.settings.thresholds import EstimateScale
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Ticket

_BASELINE, _CANDIDATE = "baseline", "candidate"


class Candidate(NamedTuple):
    """What is to be run."""

    session: ReplaySession
    setup: ReplaySetup
    case: Case
    reference: RunTrace
    """What it is compared with."""
    answers: Answers
    """What models answered before, and what they answer now."""


class Baseline(NamedTuple):
    """The case's own run, with what all candidates are held against."""

    trace: RunTrace
    unchanged: Result
    """The same as a candidate without edits."""
    scale: EstimateScale
    oddities: list[str]
    """What is odd about the conversation."""


class CandidateRun(QObject):
    """The run of a candidate, or of the case itself before there are any.

    Signals:
        progressed: `progress` is new; None when nothing runs.
    """

    progressed = Signal()

    def __init__(self, engine: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._stepper = Stepper()
        self.progress: ReplayProgress | None = None
        self.failure = ""
        """Why the last run came to nothing."""

    def start_baseline(
        self,
        session: ReplaySession,
        done: Callable[[Baseline], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run the case of a session as it is."""

        async def work(ticket: Ticket) -> Baseline:
            watch = StepWatch(session.base, ticket)
            baseline = await session.baseline(watch, ticket.cancelled)
            candidate = await session.candidate(session.base, cancelled=ticket.cancelled)
            unchanged = Result.of(ReplaySetup(), baseline, candidate)
            case = session.base
            return Baseline(baseline, unchanged, EstimateScale(case), oddities(case))

        self._start(_BASELINE, work, done, failed)

    def start(
        self,
        candidate: Candidate,
        done: Callable[[Result], None],
        failed: Callable[[Exception], None],
        *,
        goal: Goal = "end",
        whole: bool = False,
        model: Summarizer | None = None,
    ) -> None:
        """Run a candidate up to a goal.

        Args:
            candidate: What to run.
            done: Gets the result.
            failed: Gets the reason why there is none.
            goal: Where it is held.
            whole: Run every step, even those that nothing can have changed.
            model: Who is asked for summaries; nobody when None.
        """
        stepper, setup = self._stepper, candidate.setup
        stepper.go(goal)

        async def work(ticket: Ticket) -> Result:
            watch = StepWatch(candidate.session.base, ticket)
            kept = None
            if setup.summary_model is not None:
                kept = KeptSummarizer(setup.summary_model, candidate.answers, model, watch.ask)

            def cancelled() -> bool:
                return ticket.cancelled() or (kept is not None and kept.failure is not None)

            def on_step(step: Step) -> None:
                watch(step)
                stepper.pass_step(step, cancelled, watch.hold)

            trace = await candidate.session.candidate(
                candidate.case, on_step, cancelled, watch.take_over, whole=whole, model=kept
            )
            if kept is not None and kept.failure is not None:
                raise kept.failure
            return Result.of(setup, candidate.reference, trace)

        self._start(_CANDIDATE, work, done, failed)

    def go(self, goal: Goal) -> None:
        """Go on where the run is held, up to a goal."""
        if self.progress is not None:
            self._stepper.go(goal)
            self._tell(replace(self.progress, held=False))

    def pause(self) -> None:
        """Hold the run behind the step that it is at."""
        self._stepper.go("step")

    def stop(self) -> None:
        """Give up what runs."""
        for key in (_BASELINE, _CANDIDATE):
            self._engine.cancel(key)
        self._tell(None)

    def tell_failure(self, told: str) -> None:
        """Say why the last run came to nothing, beside what runs now."""
        self.failure = told
        self.progressed.emit()

    def _start(
        self,
        key: str,
        work: Callable[[Ticket], Coroutine[Any, Any, Any]],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        def finish(result: Any) -> None:
            self._tell(None)
            done(result)

        def fail(error: Exception) -> None:
            self._tell(None)
            failed(error)

        self.failure = ""
        self._engine.submit(key, work, finish, fail, self._tell)
        self._tell(ReplayProgress(0, 0, None))

    def _tell(self, progress: ReplayProgress | None) -> None:
        self.progress = progress
        self.progressed.emit()
