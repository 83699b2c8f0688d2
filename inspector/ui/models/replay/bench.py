"""What is on the bench: a case with its settings, its baseline, and the last replay.

Fields, chart, tables and header change the settings and learn of all changes by the bench's
signals. Cases are made and read on the sources' thread, replays run on the engine's; whatever is
set is replayed at once, a newer edit supersedes a replay that still runs, and what was shown last
stays until the next one is done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from engine.summarizers.call import Summarizer
from inspector.insight.sent_requests import SentRequest
from inspector.replay.cases.case_file import CaseFile
from inspector.replay.comparisons.comparison import Comparison
from inspector.replay.project import Project
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.session import ReplaySession
from inspector.replay.summaries.answers import Answers
from inspector.replay.summaries.cost_of_asking import unanswered
from inspector.trace.recording import Recording
from inspector.ui.models.replay.running.candidate import Candidate, CandidateRun
from inspector.ui.models.replay.running.opening import CaseOpening, OpenedCase
from inspector.ui.models.replay.running.progress import ReplayProgress
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.replay.running.stepper import Goal
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

State = Literal["empty", "preparing", "refused", "ready"]

_CALLS = "calls"


class ReplayBench(QObject):
    """One case on the bench.

    Signals:
        state_changed: `state` is new.
        baseline_changed: `baseline` is another run.
        settings_changed: cards, capacity or errors are new.
        result_changed: `result` is new.
        progressed: `progress` is new; None when nothing runs.
    """

    state_changed = Signal()
    baseline_changed = Signal()
    settings_changed = Signal()
    result_changed = Signal()
    progressed = Signal()

    def __init__(self, worker: Worker, engine: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._running = CandidateRun(engine, self)
        self._running.progressed.connect(self.progressed)
        self._opening = CaseOpening(worker, self._running, self._take_case, self._refuse)
        self._session: ReplaySession | None = None
        self._unchanged: Result | None = None
        self._compared = ""
        """Name of the kept run that candidates are compared with."""
        self.settings = CaseSettings(self._take_settings)
        self.state: State = "empty"
        self.name = ""
        """What a person calls the case."""
        self.path = ""
        """The file of the case, if it comes from one."""
        self.refusal = ""
        """Why there is nothing to replay."""
        self.recording: Recording | None = None
        """What the case was made from; None for a case from a file."""
        self.check: Comparison | None = None
        """The recording (`a`) against its replay with the settings it was recorded with."""
        self.case_file: CaseFile | None = None
        self.oddities: list[str] = []
        """What is odd about the conversation."""
        self.answers = Answers()
        """What models answered when they were asked for summaries."""
        self.own: RunTrace | None = None
        """The case's own run."""
        self.baseline: RunTrace | None = None
        """What the candidate is compared with: the case's own run, or one that was kept."""
        self.result: Result | None = None

    @property
    def progress(self) -> ReplayProgress | None:
        """How far the replay is that runs."""
        return self._running.progress

    @property
    def checking(self) -> bool:
        """Whether the case is being held against its recording, before it is ready."""
        return self._opening.checking

    @property
    def failure(self) -> str:
        """Why the last replay came to nothing; the one before it is still shown."""
        return self._running.failure

    @property
    def faithful(self) -> bool:
        """Whether the baseline is what was recorded."""
        return self.check is not None and not self.check.decisions

    @property
    def baseline_name(self) -> str:
        """What the left side is called: `recorded` where the baseline is what was recorded."""
        return self._compared or ("recorded" if self.faithful else "baseline")

    @property
    def stale(self) -> bool:
        """Whether the result belongs to other settings than those that are set."""
        result = self.result
        if result is None:
            return False
        model = result.setup.summary_model
        return result.case != self.settings.case or model != self.settings.setup.summary_model

    # What is on it

    def take_recording(self, recording: Recording, name: str) -> None:
        """Make a case of a recorded context and put it on the bench."""
        self._clear(name, recording)
        self._opening.open_recording(recording)

    def take_file(self, path: Path) -> None:
        """Put the case of a file on the bench."""
        self._clear(path.name, None)
        self.path = str(path)
        self._opening.open_file(path)

    def take_project(self, path: Path, read: Callable[[Project], None]) -> None:
        """Put the case of a project on the bench; `read` gets the project before."""
        self._clear(path.name, None)
        self._opening.open_project(path, read)

    def compare_with(self, trace: RunTrace | None, name: str) -> None:
        """Compare with a kept run; with the case's own where there is none."""
        baseline = trace or self.own
        if baseline is None:
            return
        self.baseline, self._compared = baseline, name if trace is not None else ""
        if self._unchanged is not None:
            self._unchanged = self._unchanged.beside(baseline)
        if self.result is not None:
            self.result = self.result.beside(baseline)
        self.baseline_changed.emit()
        self.result_changed.emit()

    # What runs

    def run(self) -> None:
        """Replay with the settings as they stand."""
        if not self._can_run():
            return
        if self.settings.edits:
            self._running.start(self._candidate(), self._show, self._fail)
        else:
            self._running.stop()
            self._show(self._unchanged)

    def go(self, goal: Goal) -> None:
        """Replay from the start, or go on where the replay is held, up to a goal."""
        if self.progress is not None and self.state == "ready":
            self._running.go(goal)
        elif self._can_run():
            self._running.start(self._candidate(), self._show, self._fail, goal=goal, whole=True)

    def pause(self) -> None:
        """Hold the replay behind the step that it is at."""
        self._running.pause()

    def stop(self) -> None:
        """Give up what runs; what was shown last stays."""
        self._cancel_all()
        if self.state == "preparing":
            self.state = "empty"
            self.recording = None
            self.state_changed.emit()
        self.settings_changed.emit()

    def count_calls(self, done: Callable[[tuple[SentRequest, ...]], None]) -> None:
        """Hand over the summary calls that a model would be asked, as far as the result shows."""
        result = self.result

        async def work(_: Ticket) -> tuple[SentRequest, ...]:
            return unanswered(result.trace.run) if result is not None else ()

        self._engine.submit(_CALLS, work, done, self._fail)

    def stop_counting(self) -> None:
        """Give up counting calls."""
        self._engine.cancel(_CALLS)

    def ask(self, name: str, model: Summarizer) -> None:
        """Replay, and ask a model for the summaries that nobody recorded; keep what it answers."""
        if self._can_run():
            self.settings.edit_summary_model(name)
            self._running.start(self._candidate(), self._show, self._fail_asking, model=model)

    def _can_run(self) -> bool:
        return self.state == "ready" and not self.settings.errors

    def _candidate(self) -> Candidate:
        session, case, baseline = self._session, self.settings.case, self.baseline
        assert session is not None
        assert case is not None
        assert baseline is not None
        return Candidate(session, self.settings.setup, case, baseline, self.answers)

    def _take_settings(self) -> None:
        """Show what was set, and replay it where it is valid."""
        self.settings_changed.emit()
        if self.settings.errors:
            self._running.stop()
        else:
            self.run()

    def _show(self, result: Result | None) -> None:
        if result is not None and self.baseline is not None:
            result = result.beside(self.baseline)  # it may be another one than at the start
        if result is not self.result:
            self.result = result
            self.result_changed.emit()

    def _fail(self, error: Exception) -> None:
        self._running.tell_failure(f"not replayed: {_told(error)}")

    def _fail_asking(self, error: Exception) -> None:
        """Go on with what the model answered before it failed."""
        self.run()
        asked = self.settings.setup.summary_model
        self._running.tell_failure(f"{asked} was asked in vain: {_told(error)}")

    def _clear(self, name: str, recording: Recording | None) -> None:
        self._cancel_all()
        self.name, self.recording, self.path = name, recording, ""
        self.refusal, self._compared = "", ""
        self.case_file = self.own = self.baseline = self.check = None
        self._session = self._unchanged = self.result = None
        self.answers = Answers()
        self.settings.clear()
        self.state = "preparing"
        self.state_changed.emit()

    def _cancel_all(self) -> None:
        self._opening.stop()
        self._running.stop()

    def _take_case(self, opened: OpenedCase) -> None:
        self.case_file, self._session = opened.file, opened.session
        self.own, self._unchanged, scale, self.oddities = opened.baseline
        self.check, self.answers = opened.check, opened.answers
        self.settings.take_case(self.own, scale, from_recording=self.recording is not None)
        self.baseline, self.result = self.own, self._unchanged
        self.state = "ready"
        for signal in (self.state_changed, self.settings_changed, self.result_changed):
            signal.emit()
        self.progressed.emit()

    def _refuse(self, error: Exception) -> None:
        self.refusal = _told(error)
        self.state = "refused"
        self.state_changed.emit()


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
