"""A recorded conversation put back together from dumps and requests (`engine.md`, D.10, D.11).

Each window that a file holds in full gives its messages in order; what the engine wrote itself
(memory blocks, recovered context) is left out. How the messages were added follows from the totals:
the number of messages whose window counts as much as the recorded check says. Only what lies before
the last full window can be recovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.debug.records import CompressionDump, PreCall
from engine.messages import (
    MESSAGE_ID,
    Message,
    SystemMessage,
    ToolInfo,
    read_messages,
)
from engine.tokens.counters import StringLengthCounter
from engine.tokens.usage import mark_usage_stale, window_tokens
from inspector.replay.case import Gap

_ENGINE_BLOCKS = (
    "<memory_block_current>",
    "<memory_block_dialogue>",
    "<memory_block_round>",
    "<memory_block_session>",
    "<recovered_context>",
)

Chat = dict[str, Any]


@dataclass(frozen=True)
class RecordedStep:
    """What the files hold of one window request."""

    number: int
    total: int | None
    """Tokens of the whole window when the first processor looked at it."""
    dumps: Sequence[CompressionDump] = ()
    """Compressions at this step, in order."""
    request: PreCall | None = None
    """The agent's model call with its window."""


class Added(NamedTuple):
    """One window request of the recovered conversation."""

    number: int
    added: int
    """Messages added before it."""
    state: list[Message]
    """The window's context messages before the chain acted."""


@dataclass
class Recovered:
    """A conversation, and what of it is missing."""

    system: list[Chat] = field(default_factory=list)
    tools: list[Chat] = field(default_factory=list)
    messages: list[Chat] = field(default_factory=list)
    steps: list[Added] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def last_step(self) -> int:
        """The last window request for which there is evidence."""
        return self.steps[-1].number if self.steps else 0


def recover(steps: Sequence[RecordedStep]) -> Recovered:
    """Put a conversation back together from its steps, in order of time."""
    found = Recovered()
    pool = _Pool()
    last = 0
    for step in steps:
        for window in _windows(step):
            pool.take(window)
            last = step.number
    found.system, found.tools = _frame(steps)
    if not last:
        return found
    _feed(found, pool, [step for step in steps if step.number <= last])
    fed = sum(step.added for step in found.steps)
    found.messages = [_without_metadata(chat) for chat in pool.messages[:fed]]
    if steps and steps[-1].number > last:
        found.gaps.append(
            Gap(step=last + 1, what="no file holds the messages added from this step on")
        )
    return found


def window_before(dump: CompressionDump) -> list[Chat]:
    """Return the context messages before a compression; else those sent and the protected tail."""
    if dump.context_before is not None:
        return [_indexed(chat) for chat in dump.context_before.messages]
    request = dump.compression_request
    sent = request.messages_sent_to_model[request.system_messages_count : -1]
    kept = request.exclude_recent_messages
    tail = dump.context_after.messages[-kept:] if kept else []
    return [_indexed(chat) for chat in (*sent, *tail)]


def is_engine_block(chat: Mapping[str, Any]) -> bool:
    """Return whether the engine wrote this message as part of a compression."""
    content = chat.get("content")
    return (
        chat.get("role") == "user"
        and isinstance(content, str)
        and content.startswith(_ENGINE_BLOCKS)
    )


class _Pool:
    """The conversation's own messages, each once, in order of first appearance."""

    def __init__(self) -> None:
        self.messages: list[Chat] = []
        self._position: dict[str, int] = {}

    def take(self, window: Sequence[Chat]) -> None:
        for chat in window:
            if not is_engine_block(chat) and identity(chat) not in self._position:
                self._position[identity(chat)] = len(self.messages)
                self.messages.append(chat)

    def end_of(self, window: Sequence[Chat]) -> int:
        """Return how many messages had been added when this was the window."""
        known = (self._position.get(identity(chat), -1) for chat in window)
        return max(known, default=-1) + 1


def identity(chat: Mapping[str, Any]) -> str:
    """Return the id of a message or, without one, what it says."""
    given = (chat.get("metadata") or {}).get(MESSAGE_ID)
    return str(
        given or [chat.get(key) for key in ("role", "content", "tool_calls", "tool_call_id")]
    )


def _windows(step: RecordedStep) -> Iterator[list[Chat]]:
    for dump in step.dumps:
        yield window_before(dump)
        yield [_indexed(chat) for chat in dump.context_after.messages]
    if step.request is not None:
        yield _context_of(step.request)


def _context_of(request: PreCall) -> list[Chat]:
    return [_indexed(chat) for chat in request.messages[request.system_message_count or 0 :]]


def _frame(steps: Sequence[RecordedStep]) -> tuple[list[Chat], list[Chat]]:
    """Return system messages and tools, from the first step that shows them."""
    for step in steps:
        if step.request is not None:
            request = step.request
            head = request.messages[: request.system_message_count or 0]
            return [_without_metadata(chat) for chat in head], request.tools
        for dump in step.dumps:
            sent = dump.compression_request
            head = sent.messages_sent_to_model[: sent.system_messages_count]
            return [_without_metadata(chat) for chat in head], sent.tools
    return [], []


def _feed(found: Recovered, pool: _Pool, steps: Sequence[RecordedStep]) -> None:
    """Find how many messages were added before each step."""
    system = [m for m in read_messages(found.system) if isinstance(m, SystemMessage)]
    tools = [ToolInfo.model_validate(tool) for tool in found.tools]
    conversation = read_messages(pool.messages)
    state: list[Message] = []
    added = 0
    for i, step in enumerate(steps):
        limit = _known_end(pool, steps[i:])
        exact = _known_end(pool, steps[i : i + 1])
        end = exact if exact is not None else limit if limit is not None else added
        count = _count(state, conversation[added:end], step.total, system, tools)
        if exact is not None and count != exact - added:
            count = exact - added if count is None or added + count > exact else count
        if count is None:
            found.gaps.append(
                Gap(
                    step=step.number,
                    what=f"no number of messages counts {step.total} tokens, as recorded",
                )
            )
            count = 0
        state = [*state, *conversation[added : added + count]]
        added += count
        found.steps.append(Added(step.number, count, list(state)))
        if step.dumps:
            state = read_messages(
                [_indexed(chat) for chat in step.dumps[-1].context_after.messages]
            )
            mark_usage_stale(state)


def _known_end(pool: _Pool, steps: Sequence[RecordedStep]) -> int | None:
    """Return how many messages had been added by the first of the steps whose window is known."""
    for step in steps:
        for window in _windows(step):
            return pool.end_of(window)
    return None


def _count(
    state: list[Message],
    coming: Sequence[Message],
    total: int | None,
    system: Sequence[SystemMessage],
    tools: Sequence[ToolInfo],
) -> int | None:
    """Return how many of the coming messages give the recorded total; None when no number does."""
    counter = StringLengthCounter()
    for count in range(len(coming) + 1):
        window = [*state, *coming[:count]]
        if window and window_tokens(counter, system, window, tools) == total:
            return count
    return None


def _indexed(chat: Chat) -> Chat:
    """Return a live answer's message with the index of each call, which the files drop.

    A live answer shows by its `finish_reason`; the counter sees the index (`engine.md`, Appendix
    D.10).
    """
    if not chat.get("tool_calls") or chat.get("finish_reason", "null") == "null":
        return chat
    calls = [{"index": i, **call} for i, call in enumerate(chat["tool_calls"])]
    return {**chat, "tool_calls": calls}


def _without_metadata(chat: Chat) -> Chat:
    dropped = ("metadata", "finish_reason")
    return {key: value for key, value in chat.items() if key not in dropped and value is not None}
