"""Summarises whole rounds, the latest user's request included if it is old enough."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from engine.messages import Message
from engine.processors.compressors.prefix import PrefixCompressor, PrefixCompressorConfig
from engine.processors.registry import register
from engine.processors.reinjection import BUILDERS
from engine.processors.spans import Span, round_level_span


class RoundLevelCompressorConfig(PrefixCompressorConfig):
    """Settings of `RoundLevelCompressor`."""

    keep_recent_messages: int = Field(4, ge=0)
    """Messages kept at the end; tool ties may keep more, and 0 keeps none whatever is tied."""


@register
class RoundLevelCompressor(PrefixCompressor[RoundLevelCompressorConfig]):
    """Replaces everything but the recent messages by one memory block."""

    config_model = RoundLevelCompressorConfig
    kind = "round"
    reinjected = frozenset(BUILDERS)

    def split(self, messages: Sequence[Message]) -> Span:
        """Return everything before the recent messages as target."""
        return round_level_span(messages, self.config.keep_recent_messages)
