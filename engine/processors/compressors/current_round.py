"""Summarises the work done since the latest user message."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from engine.messages import Message
from engine.processors.compressors.prefix import PrefixCompressor, PrefixCompressorConfig
from engine.processors.registry import register
from engine.processors.reinjection import BUILDERS
from engine.processors.spans import Span, current_round_span


class CurrentRoundCompressorConfig(PrefixCompressorConfig):
    """Settings of `CurrentRoundCompressor`."""

    keep_recent_messages: int = Field(0, ge=0)
    """Messages kept at the end; tool ties may keep more, and 0 keeps none whatever is tied."""


@register
class CurrentRoundCompressor(PrefixCompressor[CurrentRoundCompressorConfig]):
    """Replaces the current round's work, up to the recent messages, by one memory block."""

    config_model = CurrentRoundCompressorConfig
    kind = "current"
    reinjected = frozenset(BUILDERS)

    def split(self, messages: Sequence[Message]) -> Span:
        """Return what lies between the latest user message and the recent ones as target."""
        return current_round_span(messages, self.config.keep_recent_messages)
