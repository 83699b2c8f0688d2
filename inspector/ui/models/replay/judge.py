"""Cost and retention of baseline and candidate, found out while nothing else is to be done.

Judging takes as long as a replay, so it waits until the replay has been shown for a moment, and is
given up between two steps as soon as another one is wanted.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.insight.canaries import Canary, followed
from inspector.insight.items import ItemKind
from inspector.insight.retention import Loss
from inspector.replay.cases.planted import canaries_of
from inspector.replay.comparisons.insights import Insights, Judgement
from inspector.replay.runs.run import Run
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.running.result import Result
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Cancelled, Ticket

_KEY = "judgement"
_IDLE = 250
"""Milliseconds without a replay after which judging begins."""
_LOOKS = 2
"""How often each step of a run is passed while it is judged: for cost, and for retention."""


class Judged(NamedTuple):
    """What both sides are worth."""

    baseline: Judgement
    candidate: Judgement
    prices: str
    """Date of the price table."""
    canaries: tuple[tuple[Canary, Loss | None], ...] = ()
    """Those that are planted, each with its loss; None for one that the last window holds."""

    @property
    def planted(self) -> frozenset[tuple[ItemKind, str]]:
        """The items of the canaries."""
        return frozenset((canary.item.kind, canary.item.key) for canary, _ in self.canaries)


class _Known(NamedTuple):
    run: Run
    last_step: int
    judgement: Judgement


class ReplayJudge(QObject):
    """Judges what is on the bench.

    Signals:
        judged: `result` is new; None while it is not known.
        progressed: `share` is new.
    """

    judged = Signal()
    progressed = Signal()

    def __init__(
        self, bench: ReplayBench, engine: EngineHost, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._engine = engine
        self._insights: Insights | None = None
        self._known: _Known | None = None
        self.result: Judged | None = None
        self.failure = ""
        """Why there is no judgement."""
        self.share = 0.0
        """How much was looked at, from 0 to 1."""
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(_IDLE)
        self._idle.timeout.connect(self._begin)
        bench.result_changed.connect(self._forget)
        bench.state_changed.connect(self._forget)
        bench.progressed.connect(self._make_way)

    def _forget(self) -> None:
        if self._bench.state != "ready":
            self._known = self._insights = None
        self.result, self.failure, self.share = None, "", 0.0
        self.judged.emit()
        self._make_way()

    def _make_way(self) -> None:
        """Let a replay go first."""
        bench = self._bench
        wanted = bench.state == "ready" and self.result is None and not self.failure
        if wanted and bench.progress is None:
            self._idle.start()
        else:
            self._idle.stop()
        if bench.progress is not None:
            self._engine.cancel(_KEY)

    def _begin(self) -> None:
        result, baseline, base = self._bench.result, self._bench.baseline, self._bench.settings.base
        if result is None or baseline is None or base is None:
            return
        run = baseline.run

        async def work(ticket: Ticket) -> Judged:
            judged = self._judge(run, result, ticket)
            canaries = canaries_of(base, result.setup.canaries)
            return judged._replace(canaries=tuple(followed(canaries, judged.candidate.retention)))

        self._engine.submit(_KEY, work, self._take, self._fail, self._take_share)

    def _judge(self, baseline: Run, result: Result, ticket: Ticket) -> Judged:
        """Judge both sides over the steps that were compared; on the engine's thread."""
        insights = self._insights = self._insights or Insights()
        last, run, known = result.comparison.steps.compared, result.trace.run, self._known
        if known is not None and (known.run is not baseline or known.last_step != last):
            known = None
        runs = [*([baseline] if known is None else ()), *([run] if run is not baseline else ())]
        looks = _LOOKS * sum(len(each.steps) for each in runs)
        done = count(1)

        def pause() -> None:
            if ticket.cancelled():
                raise Cancelled
            ticket.report(min(next(done) / looks, 1.0))

        if known is None:
            known = self._known = _Known(baseline, last, insights.judge(baseline, last, pause))
        judgement = known.judgement if run is baseline else insights.judge(run, last, pause)
        return Judged(known.judgement, judgement, insights.prices.date)

    def _take_share(self, share: float) -> None:
        self.share = share
        self.progressed.emit()

    def _take(self, judged: Judged) -> None:
        self.result = judged
        self.judged.emit()

    def _fail(self, error: Exception) -> None:
        self.failure = str(error) or type(error).__name__
        self.judged.emit()
