"""Capacity (`engine.md` §3.6) and how a threshold is rounded (§3.7)."""

from typing import Any

import pytest

from engine.config import ContextEngineConfig
from engine.tokens.capacity import Capacity, resolve_capacity
from tests.conversations import conversation
from tests.scripted import Script, bench


@pytest.mark.parametrize(
    ("settings", "tokens", "source"),
    [
        ({}, 200_000, "default"),
        ({"model_name": "no-such-model"}, 200_000, "default"),
        ({"model_name": "gpt-4o"}, 128_000, "model table"),
        ({"model_name": "GPT-3.5-Turbo"}, 16_385, "model table"),
        ({"model_name": "kimi-k2"}, 131_072, "model table"),
        (
            {"model_name": "gpt-4o", "model_context_window_tokens": {"GPT-4O": 5, "x": 1}},
            5,
            "model mapping",
        ),
        (
            {"model_name": "gpt-4o", "model_context_window_tokens": {"gpt-4o": 0}},
            128_000,
            "model table",
        ),
        (
            {
                "model_name": "gpt-4o",
                "model_context_window_tokens": {"gpt-4o": 5},
                "model_context_window_tokens_override": 777,
            },
            777,
            "model override",
        ),
        ({"model_context_window_tokens_override": -1}, 200_000, "default"),
        (
            {"context_window_tokens": 9, "model_context_window_tokens_override": 777},
            9,
            "setting",
        ),
    ],
)
def test_who_says_what_the_capacity_is(settings: dict[str, Any], tokens: int, source: str) -> None:
    assert resolve_capacity(ContextEngineConfig(**settings)) == (tokens, source)


def test_another_model_may_be_asked_for() -> None:
    config = ContextEngineConfig(model_name="gpt-4o")
    assert resolve_capacity(config, "gpt-3.5-turbo").tokens == 16_385


@pytest.mark.parametrize(
    ("capacity", "ratio", "threshold"), [(100, 0.29, 28), (1000, 0.8, 800), (3, 0.1, 1)]
)
def test_a_threshold_is_the_truncated_product_of_doubles(
    capacity: int, ratio: float, threshold: int
) -> None:
    made = bench(
        ("CurrentRoundCompressor", {"trigger_context_ratio": ratio}),
        messages=conversation("u a"),
        capacity=capacity,
        model=Script(),
    )
    made.window()
    assert made.records[0].model_dump()["threshold"] == threshold


@pytest.mark.parametrize(("ratio", "tokens"), [(0.8, 8), (0.85, 8), (0.01, 1), (1.0, 10)])
def test_a_share_is_cut_to_whole_tokens_and_never_nothing(ratio: float, tokens: int) -> None:
    assert Capacity(10, "setting").share(ratio) == tokens
