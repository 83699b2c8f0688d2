"""Totals that start from what the provider reported (`engine.md` §3.4).

An assistant message carries the usage of the call that produced it: everything up to and including
that message. Only what came after it has to be estimated. Once earlier messages were rewritten the
number describes a window that no longer exists; it is then marked stale and ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.messages import USAGE_STALE, AssistantMessage, Message, ToolInfo, UsageMetadata
from engine.tokens.counters import TokenCounter
from engine.tokens.text import content_text


def valid_usage(message: Message) -> UsageMetadata | None:
    """Return the usage a message carries if it still describes the messages before it."""
    if not isinstance(message, AssistantMessage):
        return None
    usage = message.usage_metadata
    if usage is None or usage.total_tokens <= 0 or message.metadata.get(USAGE_STALE):
        return None
    return usage


def carries_usage(message: Message) -> bool:
    """Return whether a message came with usage, valid or not."""
    return isinstance(message, AssistantMessage) and message.usage_metadata is not None


def reported(
    messages: Sequence[Message], carriers: Sequence[int] | None = None
) -> Iterator[tuple[int, UsageMetadata]]:
    """Yield position and usage of the messages whose usage is valid, newest first.

    Args:
        messages: the messages.
        carriers: positions of those that carry usage; looked for when None.
    """
    for position in reversed(range(len(messages)) if carriers is None else carriers):
        usage = valid_usage(messages[position])
        if usage is not None:
            yield position, usage


def usage_with_tail(
    messages: Sequence[Message], carriers: Sequence[int] | None = None
) -> int | None:
    """Return the newest valid usage plus an estimate of what follows it; None without usage.

    The usage counts input and output; each later message adds `len(content) // 3`, its role and
    calls ignored.

    Args:
        messages: the messages.
        carriers: positions of those that carry usage; looked for when None.
    """
    newest = next(reported(messages, carriers), None)
    if newest is None:
        return None
    position, usage = newest
    return usage.total_tokens + sum(map(_tail_tokens, messages[position + 1 :]))


def window_tokens(
    counter: TokenCounter,
    system: Sequence[Message],
    context: Sequence[Message],
    tools: Sequence[ToolInfo],
) -> int:
    """Return the tokens of a whole window: usage plus tail if there is usage, else the counter's.

    With usage the tools are not added, for the provider has counted them.
    """
    messages = [*system, *context]
    usage = usage_with_tail(messages)
    if usage is not None:
        return usage
    return counter.count_messages(messages) + counter.count_tools(tools)


def mark_usage_stale(messages: Iterable[Message]) -> None:
    """Mark the usage of every given message as no longer describing its predecessors."""
    for message in messages:
        if isinstance(message, AssistantMessage) and message.usage_metadata is not None:
            message.metadata[USAGE_STALE] = True


def _tail_tokens(message: Message) -> int:
    known = message._counts.get("tail")
    if known is None:
        known = message._counts["tail"] = len(content_text(message)) // 3
    return known
