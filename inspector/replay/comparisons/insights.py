"""What a run is worth: its cost and its retention, judged by `inspector.insight`.

This is the one place that turns a run into the requests and windows that the judgements take, so
window, comparison and sweep show the same figures. They are computed when asked for, not with every
run: retention reads each message, which takes about as long as the replay itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.messages import Message
from engine.summarizers.extractive import NAME as EXTRACTIVE
from engine.summarizers.openai import NAME as OPENAI
from engine.summarizers.recorded import NAME as RECORDED
from engine.tokens.selection import make_counter
from inspector.insight.cost import NetCost, net_cost
from inspector.insight.item_reader import ItemReader
from inspector.insight.prices import PriceTable, load_prices
from inspector.insight.retention import Retention, WindowStep, retention
from inspector.insight.sent_requests import RequestWriter, SentRequest
from inspector.replay.runs.run import Run, Step

Figures = dict[str, int | float]
"""Figures of one run by name."""

Pause = Callable[[], None]
"""Called between steps; what it raises ends the judgement."""

INSIGHT_METRICS: Final = (
    "summary_tokens",
    "cache_hit_tokens",
    "summary_cost",
    "net_cost",
    "retention",
    "overflow_steps",
)
"""Names of the figures, in the order in which they are shown."""


@dataclass(frozen=True)
class Judgement:
    """What a run is worth."""

    cost: NetCost
    retention: Retention
    overflow_steps: int
    """Windows that were sent although they hold more than the model can take."""

    @property
    def figures(self) -> Figures:
        """Those of `INSIGHT_METRICS`; money in the table's currency, the share from 0 to 1."""
        figures = (
            self.cost.tokens.output,
            self.cost.tokens.cached,
            self.cost.summary_cost,
            self.cost.net_cost,
            self.retention.share,
            self.overflow_steps,
        )
        return dict(zip(INSIGHT_METRICS, figures, strict=True))


class Insights:
    """Judges runs; runs of one conversation share what was read in its messages.

    Attributes:
        prices: the price table.
    """

    def __init__(self, prices: PriceTable | None = None) -> None:
        """Take a price table; the program's, with the user's own entries, when None.

        Raises:
            PricesError: the table cannot be read.
        """
        self.prices = prices or load_prices()
        self._reader = ItemReader()

    def judge(
        self, run: Run, last_step: int | None = None, pause: Pause = lambda: None
    ) -> Judgement:
        """Return what a run's requests cost and what its compressions left.

        Args:
            run: the run.
            last_step: window request up to which to look; all when None.
            pause: called between steps, so that whoever waits no longer can end it.
        """
        cost = self.cost(run, last_step, pause)
        kept = self.retention(run, last_step, pause)
        windows = [step.window for step in _until(run, last_step) if step.window is not None]
        return Judgement(cost, kept, sum(window.tokens > window.capacity for window in windows))

    def cost(self, run: Run, last_step: int | None = None, pause: Pause = lambda: None) -> NetCost:
        """Return what a run's requests cost, up to a window request."""
        price = self.prices.price(run.case.engine_config().model_name)
        requests = _requests(run, _until(run, last_step, pause))
        return net_cost(requests, price, price_of=self.prices.price, currency=self.prices.currency)

    def retention(
        self, run: Run, last_step: int | None = None, pause: Pause = lambda: None
    ) -> Retention:
        """Return what a run's compressions left, up to a window request."""
        return retention(_window_steps(run, _until(run, last_step, pause)), self._reader)

    def measures(self, run: Run, last_step: int | None = None) -> Figures:
        """Return the figures of `INSIGHT_METRICS`, up to a window request."""
        return self.judge(run, last_step).figures


def _until(run: Run, last_step: int | None, pause: Pause = lambda: None) -> Iterator[Step]:
    windows = 0
    for step in run.steps:
        pause()
        if last_step is not None and windows >= last_step:
            return
        yield step
        windows += step.window is not None


def _requests(run: Run, steps: Iterable[Step]) -> Iterator[SentRequest]:
    """Yield the answered summary calls and the agent's requests in the order of sending."""
    writer = RequestWriter(make_counter(run.case.token_counter))
    system, tools = run.case.system(), run.case.tool_list()
    number = 1
    for step in steps:
        for sent in step.calls:
            if sent.answer is not None:
                usage = sent.answer.usage
                yield writer.summary_call(
                    number,
                    sent.call.processor,
                    sent.call.messages,
                    sent.call.tools,
                    answer=sent.answer.content or "",
                    output_tokens=usage.output_tokens or None if usage else None,
                    model=_model(sent.answer.summarizer),
                )
        if step.window is not None:
            yield writer.window(number, system, step.window.messages, tools)
            number += 1


def _model(summarizer: str) -> str | None:
    """Return the model that a summarizer is named after; None for the agent's."""
    return None if summarizer in (RECORDED, EXTRACTIVE, OPENAI) else summarizer


def _window_steps(run: Run, steps: Iterable[Step]) -> Iterator[WindowStep]:
    """Yield the windows; what happened without one belongs to the next."""
    system = run.case.system()
    added: list[Message] = []
    processors: dict[str, None] = {}
    for step in steps:
        added += step.new
        done = (state.processor for state in step.states if state.status == "completed")
        processors.update(dict.fromkeys(done))
        if step.window is not None and step.number is not None:
            window = [*system, *step.window.messages]
            yield WindowStep(step.number, added, window, tuple(processors))
            added, processors = [], {}
