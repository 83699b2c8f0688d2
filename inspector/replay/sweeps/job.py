"""What a worker of a sweep does: replays a case with one combination of settings and measures it.

A worker may be a process here or a thread of a cluster's worker elsewhere. It keeps what the
combinations of a case share: the recorded answers that the unedited case found, and what was read
in its messages. Jobs come case by case, so it keeps that of two cases and forgets the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from inspector import __version__
from inspector.insight.prices import PriceTable
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.comparisons.insights import Insights
from inspector.replay.comparisons.metrics import Figure, measure
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import edited
from inspector.replay.summaries.answers import Answers, KeptAnswer
from inspector.replay.summaries.kept_summarizer import KeptSummarizer
from inspector.replay.sweeps.grid import Combination

OfflineSummarizer = Literal["recorded", "extractive"]
"""Who may write a sweep's summaries: it asks no model."""

_BENCHES_KEPT: Final = 2


@dataclass(frozen=True)
class SweptCase:
    """A case to be run with many settings."""

    name: str
    case: Case
    prices: PriceTable = field(repr=False)
    wording: dict[str, Any] | None = None
    summarizer: OfflineSummarizer | None = None
    recorded: Case | None = None
    """The case as it was recorded, where `case` has other settings than its replies belong to."""
    summary_model: str | None = None
    """The model whose kept answers stand where nothing is recorded."""
    answers: tuple[KeptAnswer, ...] = field(default=(), repr=False)
    """What models answered; nobody is asked in a sweep."""

    @cached_property
    def digest(self) -> str:
        """16 hex digits over all that a row depends on besides its settings, but not the name."""
        parts = [
            __version__,
            self.case.model_dump(mode="json"),
            self.recorded and self.recorded.model_dump(mode="json"),
            self.prices.model_dump(mode="json"),
            self.wording,
            self.summarizer,
            self.summary_model,
            [answer.model_dump(mode="json") for answer in self.answers],
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Answer:
    """What came of a combination: its figures, or why there are none."""

    figures: dict[str, Figure] = field(default_factory=dict)
    reason: str | None = None
    cancelled: bool = False
    """Given up in the middle; it is to be run another time."""


def run_job(
    swept: SweptCase, edits: Combination, cancelled: Callable[[], bool] = lambda: False
) -> Answer:
    """Run a case with a combination of settings and return its figures.

    Whatever goes wrong is the reason of an answer: one combination never ends a sweep.
    """
    try:
        return asyncio.run(_bench(swept).run(edits, cancelled))
    except CaseError as error:
        return Answer(reason=str(error))
    except Exception as error:
        return Answer(reason=f"{type(error).__name__}: {error}")


class _Bench:
    """A case with what its combinations share."""

    def __init__(self, swept: SweptCase) -> None:
        self._swept = swept
        self._base = swept.recorded or swept.case
        self._insights = Insights(swept.prices)
        self._baseline: Run | None = None
        name = swept.summary_model
        self._model = KeptSummarizer(name, Answers(swept.answers)) if name is not None else None

    async def run(self, edits: Combination, cancelled: Callable[[], bool]) -> Answer:
        case = edited(self._swept.case, edits)
        if self._needs_baseline(case):
            self._baseline = await self._replay(self._base, cancelled)
            if self._baseline.cancelled:
                self._baseline = None
                return Answer(cancelled=True)
        run = await self._replay(case, cancelled)
        if run.cancelled:
            return Answer(cancelled=True)
        return Answer(measure(RunTrace(run), insights=self._insights))

    def _needs_baseline(self, case: Case) -> bool:
        """Return whether the unedited case must run first, to tell whose answer is whose."""
        recorded = case.replies is not None and self._swept.summarizer != "extractive"
        return recorded and self._baseline is None and case != self._base

    async def _replay(self, case: Case, cancelled: Callable[[], bool]) -> Run:
        return await replay(
            case,
            base=self._base,
            cassette=self._baseline.cassette if self._baseline else None,
            wording=self._swept.wording,
            summarizer=self._swept.summarizer,
            model=self._model,
            cancelled=cancelled,
        )


class _Benches(threading.local):
    """The benches of one thread, the latest used last."""

    def __init__(self) -> None:
        self.by_digest: OrderedDict[str, _Bench] = OrderedDict()


_BENCHES = _Benches()


def _bench(swept: SweptCase) -> _Bench:
    kept = _BENCHES.by_digest
    bench = kept.get(swept.digest)
    if bench is None:
        bench = kept[swept.digest] = _Bench(swept)
    kept.move_to_end(swept.digest)
    while len(kept) > _BENCHES_KEPT:
        kept.popitem(last=False)
    return bench
