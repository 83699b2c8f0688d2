"""What tells one tool result from another in every file: a number made of its id.

The engine gives each message an id that log, dumps and requests repeat; where it is missing the
tool call names the result within its context. The number is Python's hash, so that a message costs
eight bytes in an index; it means nothing outside this process.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class MessageIds(msgspec.Struct, gc=False):
    """The part of a message's metadata that names it."""

    context_message_id: str | None = None


NO_CALLS = msgspec.Raw()


class ShownMessage(msgspec.Struct, gc=False):
    """The ids of a message in a window, and its tool calls as they stand there."""

    tool_call_id: str | None = None
    metadata: MessageIds | None = None
    tool_calls: msgspec.Raw = NO_CALLS


def message_key(
    message_id: str | None, call_id: str | None, session_id: str | None, context_id: str | None
) -> int | None:
    """Return the number of a tool result; None where nothing names it."""
    if message_id:
        return hash(message_id)
    return hash((session_id, context_id, call_id)) if call_id else None


def result_keys(
    messages: Iterable[ShownMessage], session_id: str | None, context_id: str | None
) -> set[int]:
    """Return the numbers of the tool results among the messages of a window."""
    keys = {
        message_key(
            message.metadata.context_message_id if message.metadata else None,
            message.tool_call_id,
            session_id,
            context_id,
        )
        for message in messages
        if message.tool_call_id
    }
    return {key for key in keys if key is not None}
