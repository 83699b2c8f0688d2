"""Summarises all turns before the latest user message, which is never touched."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import Message
from engine.processors.compressors.prefix import PrefixCompressor, PrefixCompressorConfig
from engine.processors.registry import register
from engine.processors.spans import Span, dialogue_span


class DialogueCompressorConfig(PrefixCompressorConfig):
    """Settings of `DialogueCompressor`."""


@register
class DialogueCompressor(PrefixCompressor[DialogueCompressorConfig]):
    """Replaces earlier dialogue by one memory block."""

    config_model = DialogueCompressorConfig
    kind = "dialogue"
    reinjected = frozenset({"plan", "skills", "plan_mode", "read_file"})

    def split(self, messages: Sequence[Message]) -> Span:
        """Return everything before the latest turn as target."""
        return dialogue_span(messages)
