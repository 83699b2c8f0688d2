"""Counters of tokens. The default estimates from lengths, like the original's (`engine.md` §3.2).

A counter adds 3 once per *list* of messages, so counting messages one by one gives 3 more for each
than counting the list. What a single message adds is remembered in the message: messages are
frozen, hence each text is measured once.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from engine.messages import AssistantMessage, Message, ToolInfo
from engine.tokens.text import framed_text

LIST_FRAME = 3
"""Tokens added once per counted list."""


class TokenCounter(Protocol):
    """Counts tokens of texts, messages and tools."""

    name: str
    """`string`, `tiktoken`, …: also the key under which a message remembers its count."""

    def count(self, text: str) -> int:
        """Return the tokens of a bare text."""
        ...

    def count_message(self, message: Message) -> int:
        """Return what one message adds to a list, the list's own frame left out."""
        ...

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return 3 plus the sum over the messages; 0 for an empty list."""
        ...

    def count_tools(self, tools: Sequence[ToolInfo]) -> int:
        """Return the tokens of the tools as one list; 0 for an empty list."""
        ...


class FramedCounter(ABC):
    """A counter that puts each message in a frame with its role, and each list in another."""

    name: str
    """Also the key under which a message remembers its count."""

    @abstractmethod
    def count(self, text: str) -> int:
        """Return the tokens of a bare text."""

    @abstractmethod
    def measure(self, message: Message) -> int:
        """Return the tokens of a message in its frame."""

    @abstractmethod
    def measure_tool(self, tool: ToolInfo, position: int) -> int:
        """Return the tokens of a tool in its frame, which holds its position in the list."""

    def count_message(self, message: Message) -> int:
        """Return what one message adds to a list, measured once."""
        known = message._counts.get(self.name)
        if known is None:
            known = message._counts[self.name] = self.measure(message)
        return known

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return 3 plus the sum over the messages; 0 for an empty list."""
        if not messages:
            return 0
        name, tokens = self.name, LIST_FRAME
        for message in messages:
            known = message._counts.get(name)
            tokens += self.count_message(message) if known is None else known
        return tokens

    def count_tools(self, tools: Sequence[ToolInfo]) -> int:
        """Return 3 plus the sum over the tools in their frame; 0 for an empty list."""
        if not tools:
            return 0
        return LIST_FRAME + sum(self._count_tool(tool, i) for i, tool in enumerate(tools))

    def _count_tool(self, tool: ToolInfo, position: int) -> int:
        key = f"{self.name}:{position}"
        known = tool._counts.get(key)
        if known is None:
            known = tool._counts[key] = self.measure_tool(tool, position)
        return known


class StringLengthCounter(FramedCounter):
    """Estimates a token for each three characters, roles and markers included."""

    name = "string"

    def count(self, text: str) -> int:
        """Return `len(text) // 3`."""
        return len(text) // 3

    def measure(self, message: Message) -> int:
        """Return the estimate for role, content and markers, plus the tool calls as JSON."""
        frame = len(framed(message.role, ""))
        tokens = (frame + len(framed_text(message))) // 3
        if isinstance(message, AssistantMessage) and message.tool_calls:
            calls = [call.model_dump() for call in message.tool_calls]
            tokens += len(json.dumps(calls, ensure_ascii=False)) // 3
        return tokens

    def measure_tool(self, tool: ToolInfo, position: int) -> int:
        """Return the estimate for a tool."""
        return len(framed_tool(tool, position)) // 3


def framed(role: str, text: str) -> str:
    """Return a message's text as it is counted."""
    return f"<|start|>{role}\n{text}<|end|>"


def framed_tool(tool: ToolInfo, position: int) -> str:
    """Return a tool as it is counted."""
    body = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f"<|start|>functions.{tool.name}:{position}\n{text}<|end|>"
