"""Answers of a model: asked for once, and played again after that."""

import asyncio
from typing import Any

import pytest

from engine.errors.model_calls import ModelCallError
from engine.summarizers.openai import OpenAIModel
from inspector.insight.prices import load_prices
from inspector.replay.cases.case import Case
from inspector.replay.comparisons.insights import Insights
from inspector.replay.comparisons.metrics import measure
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import Run
from inspector.replay.session import ReplaySession
from inspector.replay.settings.edits import edited, parse_edit
from inspector.replay.summaries.answers import Answers
from inspector.replay.summaries.cost_of_asking import unanswered
from inspector.replay.summaries.kept_summarizer import KeptSummarizer
from inspector.replay.sweeps.job import SweptCase, run_job
from tests.model_server import ModelServer, Reply, answering, dropped, failing, serving, talking
from tests.swept import RATIO, small_case

NAME = "gpt-4o-mini"
CASE = small_case()
LONGER = "The user forbids to rename a column. " * 8


def candidate(case: Case, kept: KeptSummarizer | None, base: Case = CASE) -> Run:
    return asyncio.run(ReplaySession(base).candidate(case, model=kept)).run


def asked_of(server: ModelServer, answers: Answers, **options: Any) -> KeptSummarizer:
    model = OpenAIModel(NAME, base_url=server.url, api_key=lambda: None)
    return KeptSummarizer(NAME, answers, model, **options)


def who(run: Run) -> list[str]:
    return [name for step in run.steps for o in step.outcomes for name in o.summarizers]


def test_a_model_is_asked_once_and_the_second_run_asks_nobody() -> None:
    answers, told = Answers(), list[int]()
    with serving(answering(LONGER, usage={"prompt_tokens": 900, "completion_tokens": 77})) as model:
        first = candidate(CASE, asked_of(model, answers, on_call=told.append))
        sent = len(model.requests)
    assert who(first) == [NAME] * sent
    assert told == list(range(1, sent + 1))
    assert any(LONGER.strip() in message.text for message in first.final_messages)
    again = Answers(answers.all())
    second = candidate(CASE, KeptSummarizer(NAME, again))
    assert who(second) == who(first)
    assert measure(RunTrace(second)) == measure(RunTrace(first))
    cost = Insights().cost(second)
    assert cost.tokens.output == 77 * sent
    assert {line.price.model for line in cost.lines if line.processor} == {NAME}


def test_what_was_recorded_is_not_asked() -> None:
    base = small_case(replies=[{"content": "recorded"}])
    assert who(candidate(base, None, base))[0] == "recorded"
    with serving(answering("of the model")) as model:
        run = candidate(base, asked_of(model, Answers()), base)
        assert who(run) == ["recorded", *[NAME] * len(model.requests)]


def test_answers_of_another_model_or_to_other_messages_do_not_count() -> None:
    answers = Answers()
    with serving(answering(LONGER)) as model:
        candidate(CASE, asked_of(model, answers))
    assert set(who(candidate(CASE, KeptSummarizer("another", answers)))) == {"extractive"}
    later = edited(CASE, [parse_edit(f"{RATIO}=0.3")])
    assert who(candidate(later, KeptSummarizer(NAME, answers)))[0] == "extractive"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (failing(401, "Incorrect API key"), "Incorrect API key"),
        (failing(503, "Overloaded"), "Overloaded"),
        (dropped, "Connection error"),
        (talking(b"<html>Welcome</html>", "text/html"), "no chat completion"),
    ],
)
def test_a_fault_ends_the_asking_and_is_not_kept(reply: Reply, reason: str) -> None:
    answers = Answers()
    with serving(answering(LONGER), reply) as model:
        kept = asked_of(model, answers)
        candidate(CASE, kept)
        assert len(model.requests) == 2
    assert isinstance(kept.failure, ModelCallError)
    assert reason in str(kept.failure)
    assert len(answers) == 1


def test_an_overflow_is_an_answer_like_any_other() -> None:
    answers = Answers()
    overflow = failing(400, "maximum context length is 9", code="context_length_exceeded")
    with serving(overflow, answering(LONGER)) as model:
        kept = asked_of(model, answers)
        first = candidate(CASE, kept)
    assert kept.failure is None
    second = candidate(CASE, KeptSummarizer(NAME, Answers(answers.all())))
    assert who(second) == who(first)
    assert measure(RunTrace(second)) == measure(RunTrace(first))


def test_a_sweep_plays_kept_answers_and_asks_nobody() -> None:
    answers = Answers()
    with serving(answering(LONGER)) as model:
        run = candidate(CASE, asked_of(model, answers))
    swept = SweptCase("case", CASE, load_prices(), summary_model=NAME, answers=tuple(answers.all()))
    assert run_job(swept, ()).figures == measure(RunTrace(run), insights=Insights())
    assert swept.digest != SweptCase("case", CASE, load_prices()).digest


def test_a_budgeted_summary_says_who_wrote_it_too() -> None:
    base = small_case(processors=[("BudgetedSummary", {"soft_ratio": 0.2, "keep_recent": 1})])
    extracted = candidate(base, None, base)
    assert set(who(extracted)) == {"extractive"}
    assert RunTrace(extracted).report.summaries["extractive"] == len(unanswered(extracted))


def test_a_head_with_extracts_is_not_taken_over() -> None:
    answers = Answers()
    with serving(answering("short")) as model:
        candidate(CASE, asked_of(model, answers))
    assert who(candidate(CASE, KeptSummarizer(NAME, answers)))[0] == NAME
