"""Which counter a context gets: by name, or by the engine's settings (`engine.md` §3.1)."""

from __future__ import annotations

from typing import Literal, get_args

from engine.config import ContextEngineConfig
from engine.tokens.counters import FramedCounter, StringLengthCounter, TokenCounter
from engine.tokens.tiktoken import TiktokenCounter

CounterName = Literal["string", "tiktoken", "tiktoken_o200k"]
COUNTER_NAMES: tuple[CounterName, ...] = get_args(CounterName)


def make_counter(name: CounterName) -> FramedCounter:
    """Return a new counter of this name."""
    match name:
        case "string":
            return StringLengthCounter()
        case "tiktoken":
            return TiktokenCounter("cl100k_base")
        case "tiktoken_o200k":
            return TiktokenCounter("o200k_base")


def default_counter(config: ContextEngineConfig) -> TokenCounter:
    """Return the counter of a context that was given none.

    tiktoken counts only where the settings ask for it and name no model and no provider, whose own
    tokenizer it would merely imitate.
    """
    named = config.model_name or config.model_provider
    return make_counter("tiktoken" if config.enable_tiktoken_counter and not named else "string")
