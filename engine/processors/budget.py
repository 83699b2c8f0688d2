"""The budget of a minimal compaction loop: a share of the window, guarded by a rough estimate.

The two processors that follow this loop (`ObservationMasking`, `BudgetedSummary`) act when the
estimate exceeds the share, and leave the newest messages alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pydantic import Field

from engine.config import LARGEST_COUNT
from engine.conversation import Conversation
from engine.messages import BaseMessage
from engine.processors.base import BELOW, REACHED, ContextProcessor, RecordedConfig
from engine.tokens.text import content_text
from engine.window import ContextWindow

CHARS_PER_TOKEN = 4
"""Characters of a token of the estimate."""
COMPACTED = "compacted"
"""Metadata key of a message that stands for what was compacted: a summary, or a masked result."""
ESTIMATE = "estimate"
"""Key under which a message remembers its estimate."""

ConfigT = TypeVar("ConfigT", bound="BudgetConfig")


class BudgetConfig(RecordedConfig):
    """When a minimal loop compacts, and what it leaves alone."""

    window: int | None = Field(None, gt=0, le=LARGEST_COUNT)
    """Tokens of the window; the context's capacity when None."""
    soft_ratio: float = Field(0.7, gt=0, le=1)
    """Share of the window above which it compacts."""
    keep_recent: int = Field(4, ge=0)
    """Newest messages that stay as they are."""


def estimated_tokens(messages: Iterable[BaseMessage]) -> int:
    """Return a token for each four characters of a message, at least one for each message."""
    return sum(map(_estimate, messages))


def over_budget(
    processor: ContextProcessor[ConfigT], context: Conversation, window: ContextWindow
) -> bool:
    """Return whether a window is over the soft limit; each call leaves a record."""
    config = processor.config
    capacity = config.window or context.capacity.tokens
    limit = int(capacity * config.soft_ratio)
    total = estimated_tokens(window.messages)
    reason = REACHED if total > limit else BELOW
    return processor.check(context, total, limit + 1, reason, capacity=capacity)


def _estimate(message: BaseMessage) -> int:
    known = message._counts.get(ESTIMATE)
    if known is None:
        known = max(1, len(content_text(message)) // CHARS_PER_TOKEN)
        message._counts[ESTIMATE] = known
    return known
