"""What differs between two windows in a row (`engine.md` §1.2).

A provider's prompt cache holds as long as a window only grows at its end; from the first difference
on it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.messages import AssistantMessage, Message, ToolInfo, ToolMessage
from engine.window.window import ContextWindow


@dataclass(frozen=True)
class ContextWindowChange:
    """Where a window stopped being the one before with something added at its end."""

    old_messages: Sequence[Message]
    """The messages of the window before, system messages first."""
    old_tools: Sequence[ToolInfo]
    msg_start: int | None = None
    """Position of the first message that is different or missing now; None when none is."""
    msg_end: int | None = None
    """How many messages there were."""
    tools_start: int | None = None
    """Position of the first tool that is different or missing now; None when none is."""
    tools_end: int | None = None
    """How many tools there were."""

    @property
    def has_change(self) -> bool:
        """Whether anything but the end is different."""
        return self.msg_start is not None or self.tools_start is not None


class WindowTracker:
    """Remembers the last window of a context."""

    def __init__(self) -> None:
        """Start without a window."""
        self._last: ContextWindow | None = None

    def detect(self, window: ContextWindow) -> ContextWindowChange | None:
        """Return what changed since the window before; None for the first one.

        Tools stand before the messages in what a provider caches: one more tool changes every
        context message.
        """
        old = self._last
        self._last = ContextWindow(
            [*window.system_messages], [*window.context_messages], [*window.tools]
        )
        if old is None:
            return None
        messages, tools = old.messages, old.tools
        if len(window.tools) > len(tools) and window.tools[: len(tools)] == tools:
            return ContextWindowChange(messages, tools, len(old.system_messages), len(messages))
        different = _first_difference(
            list(map(_identity, messages)), list(map(_identity, window.messages))
        )
        other_tools = _first_difference(tools, window.tools)
        return ContextWindowChange(
            messages,
            tools,
            different,
            None if different is None else len(messages),
            other_tools,
            None if other_tools is None else len(tools),
        )


def _first_difference(old: Sequence[Any], new: Sequence[Any]) -> int | None:
    for position, (before, after) in enumerate(zip(old, new, strict=False)):
        if before != after:
            return position
    return len(new) if len(new) < len(old) else None


def _identity(message: Message) -> tuple[Any, ...]:
    """Return what a model sees of a message."""
    calls = message.tool_calls if isinstance(message, AssistantMessage) else None
    result_of = message.tool_call_id if isinstance(message, ToolMessage) else None
    return message.role, message.content, message.name, calls, result_of
