"""How many messages and tokens a window or a buffer holds (`engine.md` §1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.messages import Message, ToolInfo
from engine.messages.rounds import dialogue_rounds
from engine.tokens.counters import TokenCounter, total
from engine.tokens.usage import reported


@dataclass(frozen=True)
class ContextStats:
    """Messages and tokens of a window or a buffer.

    Where a provider's usage is valid, `total_tokens` is its input count and the tokens by role stay
    0.
    """

    total_messages: int = 0
    total_tokens: int = 0
    total_dialogues: int = 0
    system_messages: int = 0
    user_messages: int = 0
    assistant_messages: int = 0
    tool_messages: int = 0
    tools: int = 0
    system_message_tokens: int = 0
    user_message_tokens: int = 0
    assistant_message_tokens: int = 0
    tool_message_tokens: int = 0
    tool_tokens: int = 0


def statistic(
    counter: TokenCounter, messages: Sequence[Message], tools: Sequence[ToolInfo] = ()
) -> ContextStats:
    """Return the statistic of the messages, each counted as a list of its own."""
    by_role: dict[str, list[Message]] = {"system": [], "user": [], "assistant": [], "tool": []}
    for message in messages:
        by_role[message.role].append(message)
    tokens = dict.fromkeys(by_role, 0)
    provided = _reported_input(messages)
    if provided is None:
        tokens = {role: total(counter, some) for role, some in by_role.items()}
    tool_tokens = sum(counter.count_tools([tool]) for tool in tools)
    return ContextStats(
        total_messages=len(messages),
        total_tokens=sum(tokens.values()) + tool_tokens if provided is None else provided,
        total_dialogues=len(dialogue_rounds(messages)),
        tools=len(tools),
        tool_tokens=tool_tokens,
        **{f"{role}_messages": len(some) for role, some in by_role.items()},
        **{f"{role}_message_tokens": n for role, n in tokens.items()},
    )


def _reported_input(messages: Sequence[Message]) -> int | None:
    """Return the input tokens of the newest valid usage that has any."""
    inputs = (usage.input_tokens for _, usage in reported(messages))
    return next((tokens for tokens in inputs if tokens > 0), None)
