"""Counters of tokens. The default estimates from lengths, like the original's (`engine.md` §3.2).

A counter adds 3 once per *list* of messages, so counting messages one by one gives 3 more for each
than counting the list. What a single message adds is remembered in the message: messages are
frozen, hence each text is measured once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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
        """Return the tokens of the messages as one list; 0 for an empty list."""
        ...

    def count_tools(self, tools: Sequence[ToolInfo]) -> int:
        """Return the tokens of the tools as one list; 0 for an empty list."""
        ...


class StringLengthCounter:
    """Estimates a token for each three characters, roles and markers included."""

    name = "string"

    def count(self, text: str) -> int:
        """Return `len(text) // 3`."""
        return len(text) // 3

    def count_message(self, message: Message) -> int:
        """Return the estimate for role, content and markers, plus the tool calls as JSON."""
        known = message._counts.get(self.name)
        if known is None:
            known = message._counts[self.name] = self._measure(message)
        return known

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return 3 plus the sum over the messages; 0 for an empty list."""
        if not messages:
            return 0
        return LIST_FRAME + sum(map(self.count_message, messages))

    def count_tools(self, tools: Sequence[ToolInfo]) -> int:
        """Return 3 plus the sum over the tools in their frame; 0 for an empty list."""
        if not tools:
            return 0
        return LIST_FRAME + sum(_tool_frame(tool, i) // 3 for i, tool in enumerate(tools))

    def _measure(self, message: Message) -> int:
        frame = len("<|start|>") + len(message.role) + len("\n") + len("<|end|>")
        tokens = (frame + len(framed_text(message))) // 3
        if isinstance(message, AssistantMessage) and message.tool_calls:
            calls = [call.model_dump() for call in message.tool_calls]
            tokens += len(json.dumps(calls, ensure_ascii=False)) // 3
        return tokens


def _tool_frame(tool: ToolInfo, position: int) -> int:
    """Return the characters of a tool in its frame."""
    known = tool._counts.get("characters")
    if known is None:
        body = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        known = len(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
        tool._counts["characters"] = known
    return known + len(f"<|start|>functions.{tool.name}:{position}\n") + len("<|end|>")


def total(counter: TokenCounter, messages: Iterable[Message]) -> int:
    """Return the sum of the messages counted one by one, each with its own list frame."""
    return sum(counter.count_message(message) + LIST_FRAME for message in messages)
