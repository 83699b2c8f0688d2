"""What it would cost to have a model write the summaries of a run, told before it is asked."""

from __future__ import annotations

from collections.abc import Iterable

from engine.summarizers.extractive import NAME as EXTRACTIVE
from engine.tokens.selection import make_counter
from inspector.insight.cost import NetCost, net_cost
from inspector.insight.prices import PriceTable
from inspector.insight.sent_requests import RequestWriter, SentRequest
from inspector.replay.runs.run import Run


def unanswered(run: Run) -> tuple[SentRequest, ...]:
    """Return the summary calls of a run that nobody but the offline extract answered.

    They are as they would go to a model, with the length of the extract as output.
    """
    writer = RequestWriter(make_counter(run.case.token_counter))
    return tuple(
        writer.summary_call(
            step.number or 1,
            sent.call.processor,
            sent.call.messages,
            sent.call.tools,
            answer=sent.answer.content or "",
        )
        for step in run.steps
        for sent in step.calls
        if sent.answer is not None and sent.answer.summarizer == EXTRACTIVE
    )


def cost_of_asking(calls: Iterable[SentRequest], prices: PriceTable, model: str) -> NetCost:
    """Return about what it costs to have a model answer calls.

    Its summaries have another length than the extract, and with them the windows that follow; so
    there may be more calls in the end, or fewer.
    """
    return net_cost(calls, prices.price(model), currency=prices.currency)
