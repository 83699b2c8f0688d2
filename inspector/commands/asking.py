"""A model that writes summaries, asked from the terminal: what it costs is said before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click

from engine.summarizers.openai import (
    DEFAULT_URL,
    KEY_VARIABLE,
    URL_VARIABLE,
    OpenAIModel,
    environment_url,
)
from engine.summarizers.recorded import DEFAULT_TIMEOUT
from inspector.commands.printing import say
from inspector.insight.prices import load_prices
from inspector.insight.sent_requests import SentRequest
from inspector.replay.cases.case import CaseError
from inspector.replay.runs.run import Run
from inspector.replay.summaries.answers import load_answers, save_answers
from inspector.replay.summaries.cost_of_asking import cost_of_asking, unanswered
from inspector.replay.summaries.kept_summarizer import KeptSummarizer
from inspector.replay.summaries.model_key import endpoint, key_for

Replaying = Callable[[KeptSummarizer], Coroutine[Any, Any, Run]]
"""Replays with a summarizer; ends when that failed."""


def ask(replaying: Replaying, name: str | None, timeout: float | None, kept: Path | None) -> Run:
    """Replay with the summaries of a model, and return the run.

    Args:
        replaying: Replays with a summarizer.
        name: Name of the model.
        timeout: Seconds that a call may take.
        kept: File of the answers; what is there is not asked again.

    Raises:
        click.UsageError: the options, the environment and the keyring do not name a model.
        CaseError: the model failed, or the file of answers is none.
    """
    if name is None:
        raise click.UsageError("--summarizer openai needs --summary-model NAME")
    answers = load_answers(kept) if kept is not None else load_answers()
    run = asyncio.run(replaying(KeptSummarizer(name, answers)))
    calls = unanswered(run)
    if not calls:
        return run
    url = environment_url()
    if url == DEFAULT_URL and not key_for(url):
        raise click.UsageError(
            f"--summarizer openai: set {KEY_VARIABLE}, or {URL_VARIABLE} for another endpoint"
        )
    _tell(name, url, calls)
    model = OpenAIModel(name, api_key=lambda: key_for(url), timeout=timeout or DEFAULT_TIMEOUT)
    asking = KeptSummarizer(name, answers, model)
    try:
        run = asyncio.run(replaying(asking))
    finally:
        if kept is not None:
            save_answers(answers, kept)
    if asking.failure is not None:
        there = f"{len(answers)} answers are kept" if kept else "keep answers with --answers FILE"
        raise CaseError(f"{name} at {endpoint(url)}: {asking.failure} ({there})")
    return run


def _tell(name: str, url: str, calls: tuple[SentRequest, ...]) -> None:
    """Say where the conversation will go, how often, and about what that costs."""
    prices = load_prices()
    cost = cost_of_asking(calls, prices, name)
    say(f"parts of the conversation are sent to {name} at {endpoint(url)}")
    count = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    say(
        f"about {count}, {cost.tokens.sent} tokens to read and {cost.tokens.output} to "
        f"write: about {cost.currency} {cost.net_cost:.4f} at the prices of {cost.priced_as}"
    )
