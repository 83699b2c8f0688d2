"""A small case whose settings matter, for sweeps."""

from typing import Any

from inspector.insight.prices import load_prices
from inspector.replay.case import Case
from inspector.replay.sweeps.grid import Grid, parse_axis
from inspector.replay.sweeps.job import SweptCase

RATIO = "RoundLevelCompressor.trigger_context_ratio"
KEEP = "RoundLevelCompressor.keep_recent_messages"


def small_case(**fields: Any) -> Case:
    """Return a case of five rounds that its compressor keeps below 1,000 tokens."""
    messages = []
    for at in range(5):
        messages.append(
            {"role": "user", "content": f"Never rename column c{at}. Read /srv/{at}.py"}
        )
        messages.append({"role": "assistant", "content": f"word{at} " * 150})
    return Case.model_validate(
        {
            "id": "small",
            "messages": messages,
            "processors": [
                ["RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 1}]
            ],
            "context_window_tokens": 1000,
            **fields,
        }
    )


def swept(name: str = "small", **fields: Any) -> SweptCase:
    """Return the case, ready to be swept."""
    return SweptCase(name, small_case(**fields), load_prices())


def grid(*axes: str) -> Grid:
    """Return the grid of `NAME=VALUES` texts."""
    return Grid([parse_axis(text) for text in axes])
