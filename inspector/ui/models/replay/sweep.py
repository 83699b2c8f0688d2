"""Sweeps in the background: the case on the bench with many settings, and the bundled study.

Rows come as they are made. A sweep that is stopped keeps them; started again it runs only what is
missing. It has a thread of its own, which only waits: the work is done by processes, on this
machine or on a cluster.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.insight.prices import PriceTable, load_prices
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.case_file import load_case
from inspector.replay.sweeps.cluster import ClusterWorkers
from inspector.replay.sweeps.grid import Grid, parse_axis
from inspector.replay.sweeps.job import SweptCase
from inspector.replay.sweeps.study import StudySweep, bundled_conversations
from inspector.replay.sweeps.sweep import Progress, Sweep, SweepResult
from inspector.replay.sweeps.workers import LocalWorkers
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.settings.setup import FieldKey, ReplaySetup
from inspector.ui.models.replay.swept import Swept, SweptRow, rows_of_study, rows_of_sweep
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

SweepT = TypeVar("SweepT", bound=Sweep)

_KEY = "sweep"
_INTERVAL = 0.2
"""Seconds between two looks at the rows."""


class OtherCase(NamedTuple):
    """A case to be swept along with the one on the bench."""

    name: str
    case: Case | None = None
    """None: the one of the file of that name."""


@dataclass(frozen=True)
class SweepPlan:
    """What to sweep, and where."""

    axes: tuple[str, ...]
    """As on the command line: `Processor.field=VALUES`."""
    cases: tuple[OtherCase, ...] = ()
    """Cases besides the one on the bench, with the same settings edited."""
    sample: int | None = None
    """How many combinations to run; all when None."""
    scheduler: str = ""
    """Address of a Dask scheduler; this machine when empty."""


@dataclass(frozen=True)
class _News:
    progress: Progress
    swept: Swept


class ReplaySweep(QObject):
    """One sweep at a time.

    Signals:
        rows_changed: `swept` is new.
        progressed: `progress` is new; None when nothing runs.
        refused: it could not be started; carries the reason.
    """

    rows_changed = Signal()
    progressed = Signal()
    refused = Signal(str)

    def __init__(self, bench: ReplayBench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._worker = Worker("sweep", self)
        self._stop = threading.Event()
        self._setup: ReplaySetup | None = None
        """What the swept case was set to; None for the study, which is of no case."""
        self.scheduler = ""
        """Where the last sweep runs; this machine when empty."""
        self.swept: Swept | None = None
        self.progress: Progress | None = None
        bench.state_changed.connect(self._forget)

    @property
    def running(self) -> bool:
        """Whether a sweep runs."""
        return self._worker.busy()

    def start(self, plan: SweepPlan) -> None:
        """Sweep the case as it is set, and others along with it."""
        bench = self._bench
        settings = bench.settings
        case, base, setup = settings.case, settings.base, settings.setup
        if case is None or base is None or self.running:
            return
        try:
            grid = Grid([parse_axis(text) for text in plan.axes])
            prices = load_prices()
        except ValueError as error:
            self.refused.emit(str(error).removeprefix("--vary "))
            return
        answers = tuple(bench.answers.all()) if setup.summary_model is not None else ()
        own = SweptCase(
            base.id,
            case,
            prices,
            recorded=base,
            summary_model=setup.summary_model,
            answers=answers,
        )
        known = self._known()

        def lay_out() -> Sweep:
            others = (_swept_along(other, setup, prices) for other in plan.cases)
            return Sweep([own, *others], grid, plan.sample, known)

        self._setup = setup
        self._submit(lay_out, rows_of_sweep, plan.scheduler)

    def study(self, scheduler: str = "") -> None:
        """Run the bundled comparison of masking and summary."""
        if not self.running:
            self._setup, known = None, self._known()
            self._submit(
                lambda: StudySweep(bundled_conversations(), load_prices(), known=known),
                rows_of_study,
                scheduler,
            )

    def stop(self) -> None:
        """Stop soon, and keep what is done."""
        self._stop.set()

    def load(self, row: SweptRow) -> None:
        """Put the settings of a row on the bench."""
        settings = self._bench.settings
        if row.chain is not None:
            settings.take_chain(row.chain)
            return
        values = {
            FieldKey(*name.partition(".")[::2]): value for name, value in row.settings.items()
        }
        settings.edit_all(values, self._setup)

    def close(self) -> None:
        """Give everything up."""
        self._stop.set()
        self._worker.close()

    def _known(self) -> SweepResult | None:
        """Return the rows that need not run again."""
        return self.swept.result if self.swept is not None else None

    def _forget(self) -> None:
        if self._bench.state == "preparing" and self._setup is not None:
            self._stop.set()
            self.swept = None
            self.rows_changed.emit()

    def _submit(
        self, lay_out: Callable[[], SweepT], look: Callable[[SweepT], Swept], scheduler: str
    ) -> None:
        self._stop = stop = threading.Event()
        self.scheduler = scheduler

        def work(ticket: Ticket) -> Swept:
            sweep, shown = lay_out(), 0.0
            with _workers(sweep, scheduler) as workers:
                for progress in sweep.run(workers, lambda: stop.is_set() or ticket.cancelled()):
                    if monotonic() - shown >= _INTERVAL:
                        shown = monotonic()
                        ticket.report(_News(progress, look(sweep)))
            return look(sweep)

        self._worker.submit(_KEY, work, self._finish, self._fail, self._take)
        self.progressed.emit()

    def _take(self, news: _News) -> None:
        self._show(news.progress, news.swept)

    def _finish(self, swept: Swept) -> None:
        self._show(None, swept)

    def _show(self, progress: Progress | None, swept: Swept) -> None:
        self.progress, self.swept = progress, swept
        self.progressed.emit()
        self.rows_changed.emit()

    def _fail(self, error: Exception) -> None:
        self.progress = None
        self.progressed.emit()
        told = str(error) if isinstance(error, CaseError) else f"{type(error).__name__}: {error}"
        self.refused.emit(told)


def _workers(sweep: Sweep, scheduler: str) -> ClusterWorkers | LocalWorkers:
    return ClusterWorkers(sweep.cases, scheduler) if scheduler else LocalWorkers(sweep.cases)


def _swept_along(other: OtherCase, setup: ReplaySetup, prices: PriceTable) -> SweptCase:
    """Return another case with the same settings; what was changed by hand stays behind.

    Raises:
        CaseError: it cannot be read, or a setting does not go with it.
    """
    base = other.case or load_case(Path(other.name)).case
    try:
        case = replace(setup, turns=()).case(base)
    except CaseError as error:
        raise CaseError(f"{other.name}: {error}") from error
    return SweptCase(other.name, case, prices, recorded=base)
