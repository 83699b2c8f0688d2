"""Sums over a list of messages that mostly grows at its end, so that only what is new is counted.

A context asks for the same figures at each step, and its messages are nearly those of the step
before. Whether they are is a comparison of references; a message is looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from engine.messages import Message, ToolInfo
from engine.tokens.counters import LIST_FRAME, TokenCounter
from engine.tokens.usage import carries_usage, usage_with_tail

ROLES = ("system", "user", "assistant", "tool")


class ToolTokens(NamedTuple):
    """Tokens of a request's tools."""

    as_list: int
    one_by_one: int
    """The sum of their tokens as lists of one."""


class Tally:
    """Figures of the list of messages that it was shown last.

    Attributes:
        counter: what counts tokens.
        messages: the list.
        roles: first letters of the messages' roles.
        carriers: positions of the messages that carry usage, valid or not.
        tokens: tokens of the messages by role, list frames left out.
    """

    def __init__(self, counter: TokenCounter) -> None:
        """Start with an empty list."""
        self.counter = counter
        self._tools: Sequence[ToolInfo] = []
        self._tool_tokens = ToolTokens(0, 0)
        self._start_over()

    def of(self, messages: Sequence[Message]) -> Self:
        """Look at a list, as far as it does not begin with the one before."""
        known = messages[: len(self.messages)]
        if self.messages == known:
            self.messages[:] = known  # copies say the same; next time they are the same objects
        else:
            self._start_over()
        for message in messages[len(self.messages) :]:
            self._add(message)
        return self

    @property
    def list_tokens(self) -> int:
        """Tokens of the messages as one list."""
        return LIST_FRAME + sum(self.tokens.values()) if self.messages else 0

    def window_tokens(self, system: Sequence[Message], tools: Sequence[ToolInfo]) -> int:
        """Return what `usage.window_tokens` does for a window with these messages, in tokens."""
        usage = usage_with_tail(self.messages, self.carriers)
        if usage is not None:
            return usage
        tokens = sum(map(self.counter.count_message, system)) + sum(self.tokens.values())
        frame = LIST_FRAME if system or self.messages else 0
        return frame + tokens + self.tool_tokens(tools).as_list

    def tool_tokens(self, tools: Sequence[ToolInfo]) -> ToolTokens:
        """Return the tokens of tools; those of the last ones are known."""
        if self._tools != tools:
            self._tools = list(tools)
            count = self.counter.count_tools
            self._tool_tokens = ToolTokens(count(tools), sum(count([tool]) for tool in tools))
        return self._tool_tokens

    def _start_over(self) -> None:
        self.messages: list[Message] = []
        self.roles = ""
        self.carriers: list[int] = []
        self.tokens = dict.fromkeys(ROLES, 0)

    def _add(self, message: Message) -> None:
        if carries_usage(message):
            self.carriers.append(len(self.messages))
        self.messages.append(message)
        self.roles += message.role[0]
        self.tokens[message.role] += self.counter.count_message(message)
