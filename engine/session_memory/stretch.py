"""What an update of the notes is about: a context up to its last completed exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from engine.conversation import Conversation
from engine.messages import Message, SystemMessage, ToolInfo, UserMessage
from engine.messages.rounds import completed_api_rounds
from engine.tokens.counters import TokenCounter
from engine.tokens.text import content_text
from engine.tokens.usage import valid_usage


@dataclass(frozen=True)
class Stretch:
    """The messages that the notes are to cover, as they go to the model."""

    system: Sequence[SystemMessage]
    messages: Sequence[Message]
    """The buffer up to the end of its last completed exchange."""
    tools: Sequence[ToolInfo]
    tokens: int

    @classmethod
    def of(
        cls, context: Conversation, system: Sequence[SystemMessage], tools: Sequence[ToolInfo]
    ) -> Self:
        """Return the stretch of a context, with the system messages and tools of a request."""
        messages = context.get_messages()
        rounds = completed_api_rounds(messages)
        messages = messages[: rounds[-1].stop] if rounds else []
        return cls(system, messages, tools, _tokens(context.counter, [*system, *messages]))

    @property
    def tool_calls(self) -> int:
        """How many calls of tools it holds."""
        return sum(len(message.calls) for message in self.messages)

    def behind(self, anchor: str | None) -> Sequence[Message]:
        """Return the messages behind the one of an id; all where it is not among them."""
        found = (i for i, m in enumerate(self.messages, 1) if anchor and m.message_id == anchor)
        return self.messages[next(found, 0) :]

    def asked(self, prompt: str) -> list[Message]:
        """Return the conversation with a prompt at its end."""
        return [*self.system, *self.messages, UserMessage(content=prompt)]


def _tokens(counter: TokenCounter, messages: Sequence[Message]) -> int:
    """Return the newest usage plus at least a token for each message after it, else a count."""
    tail = 0
    for message in reversed(messages):
        usage = valid_usage(message)
        if usage is not None:
            return usage.total_tokens + tail
        tail += max(len(content_text(message)) // 3, 1)
    return counter.count_messages(messages)
