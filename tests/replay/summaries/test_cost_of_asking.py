"""What it costs to ask a model is about what the offline calls would cost."""

import asyncio

from inspector.insight.prices import load_prices
from inspector.replay.cases.case import Case
from inspector.replay.comparisons.insights import Insights
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from inspector.replay.summaries.cost_of_asking import cost_of_asking, unanswered
from tests.swept import small_case

NAME = "gpt-4o-mini"
CASE = small_case()


def extracted(case: Case) -> Run:
    return asyncio.run(replay(case))


def test_asking_costs_about_what_the_offline_calls_would() -> None:
    run = extracted(CASE)
    calls = unanswered(run)
    assert len(calls) > 1
    prices = load_prices()
    own = CASE.model_copy(update={"engine": CASE.engine.model_copy(update={"model_name": NAME})})
    judged = Insights(prices).cost(extracted(own))
    asked = cost_of_asking(calls, prices, NAME)
    written = [line.tokens for line in judged.lines if line.processor is not None]
    assert asked.tokens.output == sum(tokens.output for tokens in written)
    assert asked.tokens.sent == sum(tokens.sent for tokens in written)
    assert asked.net_cost > 0
    assert cost_of_asking(calls, prices, "gpt-4o").net_cost > asked.net_cost
