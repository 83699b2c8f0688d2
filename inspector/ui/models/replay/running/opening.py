"""How a case comes onto the bench: made or read, run as it is, and held against its recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import CaseFile, load_case
from inspector.replay.comparisons.comparison import Comparison, compare
from inspector.replay.project import Project, open_project
from inspector.replay.recovery.export import export_case
from inspector.replay.session import ReplaySession
from inspector.replay.summaries.answers import Answers
from inspector.trace.recording import Recording
from inspector.ui.models.replay.running.candidate import Baseline, CandidateRun
from inspector.ui.tasks.worker import Worker

_CASE, _CHECK = "case", "check"


class OpenedCase(NamedTuple):
    """A case that is ready to be edited."""

    file: CaseFile
    session: ReplaySession
    baseline: Baseline
    check: Comparison | None
    """The recording (`a`) against the case's own run; None for a case from a file."""
    answers: Answers
    """What models answered before, where the case comes from a project."""


class CaseOpening:
    """One opening at a time, on the sources' thread and on the engine's.

    Attributes:
        checking: whether the case is being held against its recording.
    """

    def __init__(
        self,
        worker: Worker,
        running: CandidateRun,
        opened: Callable[[OpenedCase], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Take who works, and who waits.

        Args:
            worker: The sources' thread.
            running: Runs the case.
            opened: Gets the case.
            failed: Gets the reason why there is none.
        """
        self.checking = False
        self._worker = worker
        self._running = running
        self._opened = opened
        self._failed = failed

    def open_recording(self, recording: Recording) -> None:
        """Make a case of a recorded context."""
        self._worker.submit(
            _CASE,
            lambda _: export_case(recording),
            lambda file: self._run(file, Answers(), recording),
            self._failed,
        )

    def open_file(self, path: Path) -> None:
        """Read the case of a file."""
        self._worker.submit(
            _CASE, lambda _: load_case(path), lambda file: self._run(file, Answers()), self._failed
        )

    def open_project(self, path: Path, read: Callable[[Project], None]) -> None:
        """Read the case of a project; `read` gets the project before."""

        def take(project: Project) -> None:
            try:
                read(project)
            except CaseError as error:
                self._failed(error)
            else:
                self._run(CaseFile(case=project.case), Answers(project.answers))

        self._worker.submit(_CASE, lambda _: open_project(path), take, self._failed)

    def stop(self) -> None:
        """Give it up."""
        self.checking = False
        for key in (_CASE, _CHECK):
            self._worker.cancel(key)

    def _run(self, file: CaseFile, answers: Answers, recording: Recording | None = None) -> None:
        session = ReplaySession(file.case)

        def check(baseline: Baseline) -> None:
            def finish(check: Comparison | None) -> None:
                self.checking = False
                self._opened(OpenedCase(file, session, baseline, check, answers))

            if recording is None:
                finish(None)
                return
            self.checking = True  # a recording belongs to the thread of the sources
            self._worker.submit(
                _CHECK, lambda _: compare(recording, baseline.trace), finish, self._failed
            )

        self._running.start_baseline(session, check, self._failed)
