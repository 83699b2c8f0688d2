"""Who wrote a message in the user's role: the user, the engine, the agent (`engine.md` §5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages.message import Message, UserMessage

INTERNAL_PREFIXES = (
    "<system-reminder>",
    "<memory_block_current>",
    "<memory_block_dialogue>",
    "<memory_block_round>",
    "<memory_block_session>",
    "<recovered_context>",
    "[STATE_REINJECTION]",
)


def is_internal(text: str) -> bool:
    """Return whether a message of this text was written by the engine or the agent around it."""
    return text.lstrip().startswith(INTERNAL_PREFIXES)


def is_real_user(message: Message) -> bool:
    """Return whether a user wrote this; list content always counts as written by one."""
    if not isinstance(message, UserMessage):
        return False
    content = message.content
    return not isinstance(content, str) or not is_internal(content)


def last_real_user(messages: Sequence[Message]) -> int:
    """Return the position of the latest message that a user wrote, -1 when there is none."""
    return next((i for i in range(len(messages) - 1, -1, -1) if is_real_user(messages[i])), -1)
