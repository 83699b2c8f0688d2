"""What settings of the engine are refused, and which ones work at their ends."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from engine.config import LARGEST_COUNT, CompressionRecallConfig, ContextEngineConfig
from engine.context_engine import ContextEngine
from engine.messages import UserMessage
from engine.processors.preset import preset_chain
from engine.summarizers.extractive import ExtractiveSummarizer


@pytest.mark.parametrize(
    "settings",
    [
        {"context_window_tokens": 0},
        {"context_window_tokens": LARGEST_COUNT + 1},
        {"model_context_window_tokens_override": 10**400},
        {"model_context_window_tokens": {"m": 10**400}},
        {"max_context_message_num": 0},
    ],
)
def test_a_count_that_cannot_be_followed_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ContextEngineConfig.model_validate(settings)


def test_the_overlap_of_pieces_is_smaller_than_a_piece() -> None:
    with pytest.raises(ValidationError, match="overlap"):
        CompressionRecallConfig(chunk_size_tokens=5, chunk_overlap_tokens=5)


def test_the_largest_window_works_like_any_other() -> None:
    async def run() -> set[str]:
        config = ContextEngineConfig(context_window_tokens=LARGEST_COUNT)
        engine = ContextEngine(config, summarizer=ExtractiveSummarizer())
        context = await engine.create_context(processors=preset_chain(config))
        await context.add_messages([UserMessage(content="x")] * 3)
        await context.get_context_window()
        return {state.status for state in context.states}

    assert "failed" not in asyncio.run(run())


def test_a_model_s_window_is_refused_where_it_is_given_later() -> None:
    with pytest.raises(ValidationError):
        ContextEngine().update_model_context("m", LARGEST_COUNT + 1)
