"""The window: what one model call sees, cut from the buffer (`engine.md` §1.2, §1.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.messages import Message, SystemMessage, ToolInfo, ToolMessage
from engine.messages.rounds import start_of_last_rounds
from engine.window.statistics import ContextStats


@dataclass
class ContextWindow:
    """System messages of the request, messages of the context, and tools."""

    system_messages: list[SystemMessage] = field(default_factory=list)
    context_messages: list[Message] = field(default_factory=list)
    tools: list[ToolInfo] = field(default_factory=list)
    statistic: ContextStats = field(default_factory=ContextStats)

    @property
    def messages(self) -> list[Message]:
        """The messages in the order in which they are sent."""
        return [*self.system_messages, *self.context_messages]


def build_window(
    visible: list[Message],
    system: Sequence[SystemMessage],
    tools: Sequence[ToolInfo],
    *,
    window_size: int | None,
    dialogue_round: int | None,
) -> ContextWindow:
    """Cut a window from the visible buffer: first by rounds, then by count.

    Args:
        visible: the buffer's visible messages.
        system: system messages of the request; they count toward `window_size`.
        tools: tools offered to the model.
        window_size: messages at most, or None.
        dialogue_round: dialogue rounds at most, or None.
    """
    kept_system = list(system)
    if dialogue_round is not None:
        visible = visible[start_of_last_rounds(visible, dialogue_round) :]
    if window_size is not None:
        kept_system = kept_system[-window_size:]
        room = window_size - len(kept_system)
        visible = visible[-room:] if room > 0 else []
    return ContextWindow(kept_system, visible, list(tools))


def without_leading_results(messages: list[Message]) -> list[Message]:
    """Return the messages from the first that is no tool result: such results lost their call.

    It is the same list where there is nothing to leave out.
    """
    if messages and not isinstance(messages[0], ToolMessage):
        return messages
    start = next((i for i, m in enumerate(messages) if not isinstance(m, ToolMessage)), None)
    return messages[start:] if start is not None else []
