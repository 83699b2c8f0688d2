"""What the files show of each step: windows in full, and what came in place of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.debug.records import CompressionDump, PreCall
from engine.messages import MESSAGE_ID

_ENGINE_BLOCKS = (
    "<memory_block_current>",
    "<memory_block_dialogue>",
    "<memory_block_round>",
    "<memory_block_session>",
    "<recovered_context>",
)

Chat = dict[str, Any]


class Change(NamedTuple):
    """Messages of the context that a record states to have gone, and what came in their place."""

    gone: Sequence[Chat]
    left: Sequence[Chat]
    adding: bool
    """It happened as messages were added, so the window has what was left."""


@dataclass(frozen=True)
class RecordedStep:
    """What the files hold of one window request, or of a compression on demand after it."""

    number: int
    total: int | None
    """Tokens of the whole window when the first processor looked at it."""
    dumps: Sequence[CompressionDump] = ()
    """Compressions at this step, in order."""
    request: PreCall | None = None
    """The agent's model call with its window."""
    on_demand: Sequence[str] = ()
    """The processors that records tell of, where this was no window request."""
    changes: Sequence[Change] = ()
    """What processors without a dump did, where they state it."""
    unseen: bool = False
    """The context was rewritten at this step, and no dump shows how."""


def windows_of(step: RecordedStep) -> Iterator[list[Chat]]:
    """Yield the context messages of every window that a step shows, in order of time."""
    for dump in step.dumps:
        yield window_before(dump)
        yield [indexed(chat) for chat in dump.context_after.messages]
    if step.request is not None:
        yield window_of(step.request)


def window_before(dump: CompressionDump) -> list[Chat]:
    """Return the context messages before a compression; else those sent and the protected tail."""
    if dump.context_before is not None:
        return [indexed(chat) for chat in dump.context_before.messages]
    request = dump.compression_request
    sent = request.messages_sent_to_model[request.system_messages_count : -1]
    kept = request.exclude_recent_messages
    tail = dump.context_after.messages[-kept:] if kept else []
    return [indexed(chat) for chat in (*sent, *tail)]


def window_of(request: PreCall) -> list[Chat]:
    """Return the context messages of the agent's own request."""
    return [indexed(chat) for chat in request.messages[request.system_message_count or 0 :]]


def is_engine_block(chat: Mapping[str, Any]) -> bool:
    """Return whether the engine wrote this message as part of a compression."""
    content = chat.get("content")
    return (
        chat.get("role") == "user"
        and isinstance(content, str)
        and content.startswith(_ENGINE_BLOCKS)
    )


def identity(chat: Mapping[str, Any]) -> str:
    """Return the id of a message or, without one, what it says."""
    given = (chat.get("metadata") or {}).get(MESSAGE_ID)
    return str(
        given or [chat.get(key) for key in ("role", "content", "tool_calls", "tool_call_id")]
    )


def indexed(chat: Chat) -> Chat:
    """Return a live answer's message with the index of each call, which the files drop.

    A live answer shows by its `finish_reason`; the counter sees the index (`engine.md`, Appendix
    D.10).
    """
    if not chat.get("tool_calls") or chat.get("finish_reason", "null") == "null":
        return chat
    calls = [{"index": i, **call} for i, call in enumerate(chat["tool_calls"])]
    return {**chat, "tool_calls": calls}


def without_metadata(chat: Chat) -> Chat:
    """Return a message as a case holds it."""
    dropped = ("metadata", "finish_reason")
    return {key: value for key, value in chat.items() if key not in dropped and value is not None}
