"""Masks old tool results: a line takes the place of each, and nothing is kept of it.

The first strategy of the minimal compaction loop (`engine.md`, Appendix B). It asks no model and
cannot invent anything; it assumes that what a tool said some messages ago is not needed any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.conversation import Conversation
from engine.messages import Message, ToolMessage
from engine.processors.base import ContextEvent, ContextProcessor
from engine.processors.budget import COMPACTED, BudgetConfig, over_budget
from engine.processors.registry import register
from engine.window import ContextWindow


class ObservationMaskingConfig(BudgetConfig):
    """Settings of `ObservationMasking`."""


@register
class ObservationMasking(ContextProcessor[ObservationMaskingConfig]):
    """Replaces tool results, except for the newest messages, by a line that says so."""

    config_model = ObservationMaskingConfig

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether the window is over budget and holds something to mask."""
        if not over_budget(self, context, window):
            return False
        if not self._masked(window.context_messages):
            self.end(context, "declined", "nothing_to_mask")
            return False
        return True

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Mask the window's old tool results, in the buffer too."""
        original = window.context_messages
        masked = self._masked(original)
        if not masked:
            return None, window
        by_id = {message.message_id: message for message in masked.values()}
        context.set_messages([by_id.get(m.message_id, m) for m in context.get_messages()])
        window.context_messages = [masked.get(i, m) for i, m in enumerate(original)]
        self.end(
            context,
            "cut",
            before=original,
            after=window.context_messages,
            replaced=[original[i] for i in masked],
            replacement=list(masked.values()),
        )
        return ContextEvent(self.processor_type(), list(masked)), window

    def _masked(self, messages: Sequence[Message]) -> dict[int, Message]:
        """Return what takes the place of old tool results, by position."""
        old = messages[: max(len(messages) - self.config.keep_recent, 0)]
        return {
            i: message.revised(
                content=_line(message), metadata={**message.metadata, COMPACTED: True}
            )
            for i, message in enumerate(old)
            if isinstance(message, ToolMessage) and not message.metadata.get(COMPACTED)
        }


def _line(message: ToolMessage) -> str:
    return f"[tool result elided to save context; tool_call_id={message.tool_call_id}]"
