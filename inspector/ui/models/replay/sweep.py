"""Sweeps in the background: the case on the bench with many settings, and the bundled study.

Rows come as they are made. A sweep that is stopped keeps them; started again it runs only what is
missing. It has a thread of its own, which only waits: the work is done by processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.insight.prices import load_prices
from inspector.replay.case import CaseError
from inspector.replay.study import STRATEGIES, StudySweep, bundled_conversations
from inspector.replay.sweeps.grid import Axis, Grid, parse_axis
from inspector.replay.sweeps.job import SweptCase
from inspector.replay.sweeps.sweep import Progress, Sweep, SweepResult, SweepRow
from inspector.replay.sweeps.sweep import smallest as smallest_rows
from inspector.replay.sweeps.workers import LocalWorkers
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.settings.setup import FieldKey, Link, ReplaySetup, preset
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

_KEY = "sweep"
_INTERVAL = 0.2
"""Seconds between two looks at the rows."""
STUDY_NAMES = ("conversation", "strategy", "acts at")


@dataclass(frozen=True)
class SweptRow:
    """A combination with its figures."""

    labels: tuple[str, ...]
    """What was set, as it is written."""
    figures: SweepRow
    settings: dict[str, Any]
    """Values by `Processor.field`; empty in a study."""
    chain: tuple[Link, ...] | None = None
    """The whole chain, in a study."""
    cheapest: bool = False
    """None of the same case costs less and retains more."""
    smallest: bool = False
    """None has a lower peak and sends fewer tokens."""
    conversation: str = ""
    """Rows of one conversation are compared with each other."""


@dataclass(frozen=True)
class Swept:
    """What a sweep came to so far."""

    names: tuple[str, ...]
    """Of the labels."""
    rows: tuple[SweptRow, ...]
    axes: tuple[Axis, ...]
    failed: tuple[str, ...]
    """Why combinations have no figures."""
    currency: str
    rows_per_second: float | None
    result: SweepResult


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
        self._setup = ReplaySetup()
        """What the swept case was set to."""
        self.swept: Swept | None = None
        self.progress: Progress | None = None
        bench.state_changed.connect(self._forget)

    @property
    def running(self) -> bool:
        """Whether a sweep runs."""
        return self._worker.busy()

    def start(self, axes: Sequence[str]) -> None:
        """Sweep the case as it is set, over axes written as on the command line."""
        bench = self._bench
        case, base = bench.case, bench.base
        if case is None or base is None or self.running:
            return
        try:
            grid = Grid([parse_axis(text) for text in axes])
            prices = load_prices()
            known = self.swept.result if self.swept is not None else None
            cases = [SweptCase(base.id, case, prices, recorded=base)]
            sweep = Sweep(cases, grid, known=known)
        except ValueError as error:
            self.refused.emit(str(error).removeprefix("--vary "))
            return
        self._setup = bench.setup
        self._submit(lambda: sweep, lambda: _of_sweep(sweep))

    def study(self) -> None:
        """Run the bundled comparison of masking and summary."""
        if self.running:
            return
        made: list[StudySweep] = []

        def lay_out() -> Sweep:
            made.append(StudySweep(bundled_conversations(), load_prices()))
            return made[0]

        self._submit(lay_out, lambda: _of_study(made[0]))

    def stop(self) -> None:
        """Stop soon, and keep what is done."""
        self._stop.set()

    def load(self, row: SweptRow) -> None:
        """Put the settings of a row on the bench."""
        bench = self._bench
        if bench.state != "ready":
            return
        if row.chain is not None:
            bench.change_chain(row.chain)
            return
        values = {
            FieldKey(*name.partition(".")[::2]): value for name, value in row.settings.items()
        }
        bench.edit_all(values, self._setup)

    def close(self) -> None:
        """Give everything up."""
        self._stop.set()
        self._worker.close()

    def _forget(self) -> None:
        if self._bench.state == "preparing":
            self._stop.set()
            self.swept = None
            self.rows_changed.emit()

    def _submit(self, lay_out: Callable[[], Sweep], looked: Callable[[], Swept]) -> None:
        self._stop = stop = threading.Event()

        def work(ticket: Ticket) -> Swept:
            sweep, shown = lay_out(), 0.0
            with LocalWorkers(sweep.cases) as workers:
                for progress in sweep.run(workers, lambda: stop.is_set() or ticket.cancelled()):
                    if monotonic() - shown >= _INTERVAL:
                        shown = monotonic()
                        ticket.report(_News(progress, looked()))
            return looked()

        self._worker.submit(_KEY, work, self._finish, self._fail, self._take)
        self.progressed.emit()

    def _take(self, news: _News) -> None:
        self.progress, self.swept = news.progress, news.swept
        self.progressed.emit()
        self.rows_changed.emit()

    def _finish(self, swept: Swept) -> None:
        self.progress, self.swept = None, swept
        self.progressed.emit()
        self.rows_changed.emit()

    def _fail(self, error: Exception) -> None:
        self.progress = None
        self.progressed.emit()
        told = str(error) if isinstance(error, CaseError) else f"{type(error).__name__}: {error}"
        self.refused.emit(told)


def _of_sweep(sweep: Sweep) -> Swept:
    result = sweep.result()
    cheapest, smallest = set(result.pareto), set(result.pareto_size)
    names = tuple(axis.name for axis in sweep.grid.axes)
    rows = (
        SweptRow(
            tuple(_told(row.settings[name]) for name in names),
            row,
            row.settings,
            None,
            at in cheapest,
            at in smallest,
        )
        for at, row in enumerate(result.rows)
    )
    return _swept(names, tuple(rows), sweep.grid.axes, result)


def _of_study(sweep: StudySweep) -> Swept:
    study, result = sweep.study(), sweep.result()
    chains = {strategy.name: strategy.chain for strategy in STRATEGIES}
    told = (row.row.model_copy(update={"case": row.conversation}) for row in study.rows)
    smallest = set(smallest_rows(list(told)))
    rows = tuple(
        SweptRow(
            (row.conversation, row.strategy, "" if row.trigger is None else f"{row.trigger:g}"),
            row.row,
            {},
            preset(chains[row.strategy](row.trigger or 1)),
            at in set(study.best),
            at in smallest,
            row.conversation,
        )
        for at, row in enumerate(study.rows)
    )
    return _swept(STUDY_NAMES, rows, (), result)


def _swept(
    names: tuple[str, ...], rows: tuple[SweptRow, ...], axes: tuple[Axis, ...], result: SweepResult
) -> Swept:
    failed = tuple(
        f"{', '.join(f'{name} = {_told(value)}' for name, value in row.settings.items())}: "
        f"{row.reason}"
        for row in result.failed
    )
    return Swept(names, rows, axes, failed, result.currency, result.rows_per_second, result)


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
