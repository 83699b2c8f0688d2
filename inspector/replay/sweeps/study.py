"""The study: mask or summarise, and how early? The same conversations under each strategy.

- *none*: nothing is done, whatever the window holds;
- *masking*: old tool results make way for a line, when the window is over budget;
- *summary*: everything but the newest messages makes way for one summary, when it is over budget;
- *layered*: large results are offloaded, then dialogue, current round and older rounds are
  summarised by compressors of their own, as openJiuwen's default chain does.

How early is the *trigger*: the share of the capacity at which a strategy acts. Masking and summary
estimate four characters a token where the compressors count three, so their ratio is set to three
quarters of the trigger, and all act at about the same length. Summaries are extractive: the same
for everybody, offline, and no model's; absolute retention is that of such summaries.

A study is a sweep over cases that differ in their chain, so it runs on the same workers, resumes in
the same way, and its rows have the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from engine.resources import resource_path
from inspector.insight.prices import PriceTable
from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import load_case
from inspector.replay.recovery.export import export_case
from inspector.replay.settings.chain import Chain
from inspector.replay.settings.edits import edited
from inspector.replay.sweeps.job import SweptCase
from inspector.replay.sweeps.sweep import FailedRow, Sweep, SweepResult, SweepRow, cheapest
from inspector.trace.opened import open_traces

TRIGGERS: Final = (0.5, 0.7, 0.9)
"""Shares of the capacity that are compared."""

BUNDLED: Final = ("talk", "logs", "rework")
"""Conversations beside the sample: talk alone, large outputs, one file again and again."""

_BUDGET_SHARE: Final = 0.75
"""Three characters a token against four."""

_SEPARATOR: Final = " · "


class Strategy(NamedTuple):
    """A way to keep the window small."""

    name: str
    about: str
    chain: Callable[[float], Chain]
    """Makes the chain for a trigger."""
    early: bool = True
    """Whether the trigger matters."""


def _budget(processor: str) -> Callable[[float], Chain]:
    return lambda trigger: [(processor, {"soft_ratio": round(trigger * _BUDGET_SHARE, 6)})]


def _layered(trigger: float) -> Chain:
    compressors = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
    settings: dict[str, Any] = {"trigger_context_ratio": trigger}
    return [("MessageSummaryOffloader", {}), *((name, dict(settings)) for name in compressors)]


STRATEGIES: Final = (
    Strategy("none", "The whole conversation, whatever it holds", lambda _: [], early=False),
    Strategy("masking", "Old tool results make way for a line", _budget("ObservationMasking")),
    Strategy("summary", "All but the newest makes way for a summary", _budget("BudgetedSummary")),
    Strategy("layered", "Offloading and three compressors", _layered),
)


class StudyRow(BaseModel):
    """One conversation under one strategy."""

    model_config = ConfigDict(frozen=True)

    conversation: str
    strategy: str
    trigger: float | None
    """Share of the capacity at which the strategy acts; None for one that never does."""
    row: SweepRow
    """Its figures."""


class Study(BaseModel):
    """All conversations under all strategies, as far as they were run."""

    model_config = ConfigDict(frozen=True)

    rows: list[StudyRow]
    best: list[int]
    """Rows of which none of the same conversation costs less and retains more."""
    failed: list[FailedRow]
    left: int
    currency: str
    summarizer: str = "extractive"


def bundled_conversations() -> dict[str, Case]:
    """Return the conversations that ship with the program, by name."""
    sample = open_traces([str(resource_path("sample/workspace"))]).traces[0]
    others = {name: load_case(resource_path(f"study/{name}.json")).case for name in BUNDLED}
    return {"sample": export_case(sample).case, **others}


class StudySweep(Sweep):
    """The sweep that makes a study."""

    def __init__(
        self,
        conversations: Mapping[str, Case],
        prices: PriceTable,
        triggers: Sequence[float] = TRIGGERS,
        known: SweepResult | None = None,
    ) -> None:
        """Lay out the runs.

        Args:
            conversations: cases by name; their chains and recorded answers play no part.
            prices: the price table.
            triggers: shares of the capacity at which to act.
            known: an earlier result, whose rows need not run again.

        Raises:
            CaseError: a trigger is no share between 0 and 1.
        """
        self._runs: dict[str, _StudyRun] = {}
        cases = []
        for name, case in conversations.items():
            for strategy in STRATEGIES:
                for trigger in triggers if strategy.early else (None,):
                    run = _StudyRun(name, strategy.name, trigger)
                    chain = strategy.chain(trigger or 1)
                    swept = edited(case, [], chain=chain)
                    self._runs[run.label] = run
                    cases.append(SweptCase(run.label, swept, prices, summarizer="extractive"))
        super().__init__(cases, known=known)

    def study(self) -> Study:
        """Return what there is so far."""
        result = self.result()
        runs = [self._runs[row.case] for row in result.rows]
        pairs = list(zip(runs, result.rows, strict=True))
        return Study(
            rows=[StudyRow(**run._asdict(), row=row) for run, row in pairs],
            best=cheapest(
                [row.model_copy(update={"case": run.conversation}) for run, row in pairs]
            ),
            failed=result.failed,
            left=result.left,
            currency=result.currency,
        )


class _StudyRun(NamedTuple):
    conversation: str
    strategy: str
    trigger: float | None

    @property
    def label(self) -> str:
        """What its row is called."""
        parts = [self.conversation, self.strategy]
        return _SEPARATOR.join(parts if self.trigger is None else [*parts, f"{self.trigger:g}"])
