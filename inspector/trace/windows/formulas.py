"""How the writer of a recording counted tokens where no provider did (`engine.md` §8).

The current version frames each message and takes three characters for a token. Earlier ones had no
counter by default: they took four characters for a token, of the content only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.messages import Message, ToolInfo
from engine.tokens.counters import LIST_FRAME, StringLengthCounter, TokenCounter
from engine.tokens.text import content_text
from engine.tokens.usage import reported
from inspector.sources.writer import EARLIER
from inspector.trace.decision import Method

_TOOL_FRAME = len("<|start|>tool\n<|end|>")
"""Characters that a counter puts around a tool result."""


class ContentCounter:
    """Estimates a token for so many characters of content, roles and tool calls left out."""

    name = "content"

    def __init__(self, chars_per_token: int) -> None:
        self._chars = chars_per_token

    def count(self, text: str) -> int:
        """Return the tokens of a text, at least one."""
        return max(len(text) // self._chars, 1)

    def count_message(self, message: Message) -> int:
        """Return the tokens of a message's content, at least one."""
        return self.count(content_text(message))

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return the sum over the messages."""
        return sum(map(self.count_message, messages))

    def count_tools(self, tools: Sequence[ToolInfo]) -> int:
        """Return the sum over the tools, each as JSON."""
        return sum(self.count(json.dumps(t.model_dump(mode="json"), sort_keys=True)) for t in tools)


@dataclass(frozen=True)
class Formulas:
    """One version's way of counting."""

    chars_per_token: int
    counter: TokenCounter

    def with_usage(self, messages: Sequence[Message]) -> int | None:
        """Return the newest valid usage plus an estimate of what follows it; None without usage."""
        newest = next(reported(messages), None)
        if newest is None:
            return None
        at, usage = newest
        tail = (len(content_text(m)) // self.chars_per_token for m in messages[at + 1 :])
        return usage.total_tokens + sum(tail)


CURRENT_FORMULAS = Formulas(3, StringLengthCounter())
EARLIER_FORMULAS = Formulas(4, ContentCounter(4))


def _framed(chars: int) -> int:
    return LIST_FRAME + (_TOOL_FRAME + chars) // CURRENT_FORMULAS.chars_per_token


def _content(chars: int) -> int:
    return max(chars // EARLIER_FORMULAS.chars_per_token, 1)


RESULT_FORMULAS: Mapping[Method, Callable[[int], int]] = {
    "string_length": _framed,
    "estimate": _content,
}
"""Tokens of a tool result as a list of its own by its characters, as each version counts them."""


def formulas_of(writer: str | None) -> Formulas:
    """Return the formulas of a writer (`sources.writer`); the current ones where it is unknown."""
    return EARLIER_FORMULAS if writer == EARLIER else CURRENT_FORMULAS
