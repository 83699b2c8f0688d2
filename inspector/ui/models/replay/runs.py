"""The runs that were kept: each with its setup and figures, and the run that it comes from.

What is on the bench stands on the run that was loaded or kept last; keeping it makes that one its
parent. Runs are what a project file holds; a run that came from a file is replayed when it is
loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.replay.cases.case import Case
from inspector.replay.cases.turn import Turn
from inspector.replay.project import Project, ProjectRun
from inspector.replay.settings.edits import effective
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.judge import ReplayJudge
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.replay.settings.setup import ENGINE, FieldKey, ReplaySetup, preset


@dataclass(frozen=True)
class KeptRun:
    """A run with what it came to."""

    id: str
    parent: str | None
    setup: ReplaySetup
    case: Case
    result: Result | None
    """None for a run that came from a file and was not replayed yet."""
    figures: Mapping[str, int | float | None]


class ReplayRuns(QObject):
    """All kept runs of what is on the bench.

    Signals:
        changed: `runs` or `current` are new.
    """

    changed = Signal()

    def __init__(
        self, bench: ReplayBench, judge: ReplayJudge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._judge = judge
        self.runs: list[KeptRun] = []
        self.current: KeptRun | None = None
        """The run that the bench stands on; None: the case itself."""
        self.unsaved = False
        """Whether a run was kept since the project was saved."""
        self._waiting: list[KeptRun] = []
        self._branch: ReplaySetup | None = None
        """What is kept as a branch as soon as it was replayed."""
        self.case_figures: Mapping[str, int | float | None] = {}
        """Those of the case itself."""
        bench.state_changed.connect(self._take_state)
        bench.result_changed.connect(self._keep_branch)
        judge.judged.connect(self._take_figures)

    def keep(self) -> KeptRun | None:
        """Keep the candidate as it is shown; None where it is already kept, or is not of now."""
        result, bench = self._bench.result, self._bench
        if result is None or bench.stale or not len(result.setup):
            return None
        if any(_is_of(result, run) for run in self.runs):
            return None
        parent = self.current.id if self.current is not None else None
        name = f"run {len(self.runs) + 1}"
        run = KeptRun(name, parent, result.setup, result.case, result, self._figures(result))
        self.runs.append(run)
        self.current, self.unsaved = run, True
        self.changed.emit()
        return run

    def branch(self, turn: Turn, setup: ReplaySetup) -> None:
        """Take a turn at a step, over a setup; what comes of it is kept as a run of its own."""
        self.keep()
        self._branch = replace(setup, turns=(*setup.turns, turn))
        self._bench.settings.take_setup(self._branch)

    def load(self, run: KeptRun | None) -> None:
        """Put a run on the bench, or the case itself."""
        self.current = run
        self._bench.settings.take_setup(run.setup if run is not None else ReplaySetup())
        self.changed.emit()

    def compare_with(self, run: KeptRun | None) -> bool:
        """Compare candidates with a run from now on, or with the case itself.

        Returns:
            Whether it is compared: a run from a file is not until it was replayed.
        """
        if run is not None and run.result is None:
            return False
        trace = run.result.trace if run is not None and run.result is not None else None
        self._bench.compare_with(trace, run.id if run is not None else "")
        self.changed.emit()
        return True

    def is_compared(self, run: KeptRun | None) -> bool:
        """Whether candidates are compared with a run, or with the case itself."""
        if run is None:
            return self._bench.baseline is self._bench.own
        return run.result is not None and run.result.trace is self._bench.baseline

    def project(self) -> Project | None:
        """Return the case and its runs, to be saved."""
        base = self._bench.settings.base
        if base is None:
            return None
        runs = [
            ProjectRun.of(
                run.case,
                run.id,
                run.parent,
                figures=dict(run.figures),
                summary_model=run.setup.summary_model,
                canaries=run.setup.canaries,
            )
            for run in self.runs
        ]
        return Project(case=base, runs=runs, answers=self._bench.answers.all())

    def tell_saved(self, project: Project) -> None:
        """Take note that a project was written."""
        self.unsaved = len(project.runs) < len(self.runs)

    def take_project(self, project: Project) -> None:
        """List the runs of a project when its case is ready."""
        self._waiting = [_kept(project.case, run) for run in project.runs]

    def _take_state(self) -> None:
        if self._bench.state == "ready":
            self.runs, self._waiting, self.unsaved = self._waiting, [], False
            self.current, self.case_figures, self._branch = None, {}, None
            self.changed.emit()

    def _keep_branch(self) -> None:
        result = self._bench.result
        if result is not None and result.setup == self._branch:
            self._branch = None
            self.keep()

    def _take_figures(self) -> None:
        result, judged = self._bench.result, self._judge.result
        if result is not None and judged is not None and self._bench.baseline is self._bench.own:
            counted = {metric.name: metric.a for metric in result.comparison.metrics}
            self.case_figures = counted | judged.baseline.figures
            self.changed.emit()
        for at, run in enumerate(self.runs):
            known = run.result is None and result is not None and run.setup == result.setup
            if result is not None and (known or _is_of(result, run)):
                told = self.runs[at] = replace(run, result=result, figures=self._figures(result))
                self.current = told if self.current is run else self.current
                self.changed.emit()

    def _figures(self, result: Result) -> dict[str, int | float | None]:
        counted = {metric.name: metric.b for metric in result.comparison.metrics}
        judged = self._judge.result
        return counted | (judged.candidate.figures if judged is not None else {})


def _is_of(result: Result, run: KeptRun) -> bool:
    """Whether a result is that of a run, whatever it is compared with."""
    return run.result is not None and run.result.trace is result.trace


def _kept(base: Case, run: ProjectRun) -> KeptRun:
    case = run.applied(base)
    setup = replace(setup_of(base, case), summary_model=run.summary_model, canaries=run.canaries)
    return KeptRun(run.id, run.parent, setup, case, None, run.figures)


def setup_of(base: Case, case: Case) -> ReplaySetup:
    """Return what leads from a case to the same with other settings."""
    edits: dict[FieldKey, Any] = {}
    names = [name for name, _ in case.processors]
    same = names == [name for name, _ in base.processors] and len(set(names)) == len(names)
    if same:
        for (name, old), (_, new) in zip(base.processors, case.processors, strict=True):
            changed = _differing(effective(name, old), effective(name, new))
            edits |= {FieldKey(name, field): value for field, value in changed.items()}
    changed = _differing(base.engine_config().model_dump(), case.engine_config().model_dump())
    capacity, model = changed.pop("context_window_tokens", None), changed.pop("model_name", None)
    edits |= {FieldKey(ENGINE, name): value for name, value in changed.items()}
    counter = case.token_counter if case.token_counter != base.token_counter else None
    links = None if same else preset(case.processors)
    return ReplaySetup(links, edits, capacity, counter, model, tuple(case.turns))


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in after.items() if value != before.get(name)}
