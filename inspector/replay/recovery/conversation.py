"""A recorded conversation put back together from dumps and requests (`engine.md`, D.10, D.11).

Each window that a file holds in full gives its messages in order; what the engine wrote itself
(memory blocks, recovered context) is left out. How the messages were added follows from the totals:
the number of messages whose window counts as much as the recorded check says. Only what lies before
the last full window can be recovered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.debug.records import CompressionDump, PreCall
from engine.messages import (
    MESSAGE_ID,
    USAGE_STALE,
    Message,
    SystemMessage,
    ToolInfo,
    read_messages,
)
from engine.tokens.counters import StringLengthCounter, TokenCounter
from engine.tokens.selection import CounterName, make_counter
from engine.tokens.usage import mark_usage_stale, window_tokens
from inspector.replay.case import Gap

_ENGINE_BLOCKS = (
    "<memory_block_current>",
    "<memory_block_dialogue>",
    "<memory_block_round>",
    "<memory_block_session>",
    "<recovered_context>",
)
_COUNTERS: tuple[CounterName, ...] = ("string", "tiktoken", "tiktoken_o200k")
_RECOUNTED = 8
"""Compressions whose windows are counted again to tell the counter."""
_SYSTEM_FRAME = 23
"""Characters that the counter puts around a system message."""
_LATE_MESSAGES = 8
"""Messages that may have come between a request and a compression on demand."""

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


class Added(NamedTuple):
    """One step of the recovered conversation."""

    step: RecordedStep
    added: int
    """Messages added before it."""
    state: list[Message]
    """The window's context messages before the chain acted."""

    @property
    def number(self) -> int:
        """The window request, or the one that a compression on demand followed."""
        return self.step.number


@dataclass
class Recovered:
    """A conversation, and what of it is missing."""

    system: list[Chat] = field(default_factory=list)
    tools: list[Chat] = field(default_factory=list)
    messages: list[Chat] = field(default_factory=list)
    steps: list[Added] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    counter: TokenCounter = field(default_factory=StringLengthCounter)
    """What counted tokens."""

    @property
    def last_step(self) -> int:
        """The last window request for which there is evidence."""
        return self.steps[-1].number if self.steps else 0


def recover(
    steps: Sequence[RecordedStep], originals: Mapping[str, Chat], counter: TokenCounter
) -> Recovered:
    """Put a conversation back together.

    Args:
        steps: its steps, in order of time.
        originals: by their identity, the messages in whose place windows show something shorter.
        counter: what counted tokens.
    """
    found = Recovered(counter=counter)
    pool = _Pool()
    for step in steps:
        pool.take(step)
    if not pool.messages:
        return found
    _find_frame(found, steps)
    _feed(found, pool, steps)
    fed = sum(step.added for step in found.steps)
    shown = (originals.get(identity(chat), chat) for chat in pool.messages[:fed])
    found.messages = [_without_metadata(chat) for chat in shown]
    if len(found.steps) < len(steps):
        what = "no file holds the messages added from this step on"
        found.gaps.append(Gap(step=steps[len(found.steps)].number, what=what))
    return found


def windows_of(step: RecordedStep) -> Iterator[list[Chat]]:
    """Yield the context messages of every window that a step shows, in order of time."""
    for dump in step.dumps:
        yield window_before(dump)
        yield [_indexed(chat) for chat in dump.context_after.messages]
    if step.request is not None:
        yield window_of(step.request)


def counter_name(steps: Sequence[RecordedStep]) -> CounterName:
    """Return the counter that explains the sizes of the most compressed windows.

    A dump does not name it; where none explains more than the default, that is taken.
    """
    dumps = [dump for step in steps for dump in step.dumps][:_RECOUNTED]
    windows = [(read_messages(window_before(d)), d.trigger.total_tokens_before) for d in dumps]

    def explained(name: CounterName) -> int:
        counter = make_counter(name)
        return sum(counter.count_messages(window) == total for window, total in windows)

    if not windows or explained(_COUNTERS[0]) == len(windows):
        return _COUNTERS[0]
    return max(_COUNTERS, key=explained)


def window_before(dump: CompressionDump) -> list[Chat]:
    """Return the context messages before a compression; else those sent and the protected tail."""
    if dump.context_before is not None:
        return [_indexed(chat) for chat in dump.context_before.messages]
    request = dump.compression_request
    sent = request.messages_sent_to_model[request.system_messages_count : -1]
    kept = request.exclude_recent_messages
    tail = dump.context_after.messages[-kept:] if kept else []
    return [_indexed(chat) for chat in (*sent, *tail)]


def window_of(request: PreCall) -> list[Chat]:
    """Return the context messages of the agent's own request."""
    return [_indexed(chat) for chat in request.messages[request.system_message_count or 0 :]]


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


class _Pool:
    """The conversation's own messages, each once, in order of first appearance.

    What a compression left that was not there before is the engine's own. Where no dump shows what
    one left, messages that look like the engine's blocks count as such; others are taken as they
    are, for a conversation may begin with blocks of an earlier session.
    """

    def __init__(self) -> None:
        self.messages: list[Chat] = []
        self._position: dict[str, int] = {}
        self._written: set[str] = set()
        self._unseen = False

    def take(self, step: RecordedStep) -> None:
        """Take in what a step shows, which follows those before."""
        self._unseen = self._unseen or step.unseen
        for change in step.changes:
            self._take_window(change.gone)
            self._written |= {identity(chat) for chat in change.left}
        for dump in step.dumps:
            self._take_window(window_before(dump))
            after = [_indexed(chat) for chat in dump.context_after.messages]
            self._written |= {identity(chat) for chat in after} - self._position.keys()
        if step.request is not None:
            self._take_window(window_of(step.request))

    def _take_window(self, window: Sequence[Chat]) -> None:
        for chat in window:
            known = identity(chat)
            if known in self._position or known in self._written:
                continue
            if self._unseen and is_engine_block(chat):
                continue
            self._position[known] = len(self.messages)
            self.messages.append(chat)

    def end_of(self, window: Sequence[Chat]) -> int:
        """Return how many messages had been added when this was the window."""
        known = (self._position.get(identity(chat), -1) for chat in window)
        return max(known, default=-1) + 1


def _find_frame(found: Recovered, steps: Sequence[RecordedStep]) -> None:
    """Find system messages and tools: in the first step that shows them, else their length."""
    for step in steps:
        if step.request is not None:
            head = step.request.messages[: step.request.system_message_count or 0]
            found.system = [_without_metadata(chat) for chat in head]
            found.tools = step.request.tools
            return
        for dump in () if step.on_demand else step.dumps:
            sent = dump.compression_request
            head = sent.messages_sent_to_model[: sent.system_messages_count]
            found.system = [_without_metadata(chat) for chat in head]
            found.tools = sent.tools
            return
    length = _unseen_tokens(found.counter, steps)
    chars = length * 3 - _SYSTEM_FRAME
    if chars >= 0:
        found.system = [{"role": "system", "content": "." * chars}]
        what = f"system messages and tools are in no file; {length} tokens of dots stand for them"
        found.gaps.append(Gap(what=what))


def _unseen_tokens(counter: TokenCounter, steps: Sequence[RecordedStep]) -> int:
    """Return the tokens of what requests hold beside the context; 0 where they do not tell.

    A compression on demand is given neither system messages nor tools, a request both. Their total
    is what the first step, and the one before the compression, count more than their messages.
    """
    after = next((at for at, step in enumerate(steps) if step.on_demand and step.dumps), 0)
    first, last = (steps[0].total, steps[after - 1].total) if after else (None, None)
    if first is None or last is None or any(step.dumps for step in steps[:after]):
        return 0
    window = read_messages(window_before(steps[after].dumps[0]))
    begun = {window_tokens(counter, (), window[:count], ()) for count in range(1, len(window) + 1)}
    for late in range(min(_LATE_MESSAGES, len(window))):
        length = last - window_tokens(counter, (), window[: len(window) - late], ())
        if length >= 0 and first - length in begun:
            return length
    return 0


def _feed(found: Recovered, pool: _Pool, steps: Sequence[RecordedStep]) -> None:
    """Find how many messages were added before each step."""
    system = [m for m in read_messages(found.system) if isinstance(m, SystemMessage)]
    tools = [ToolInfo.model_validate(tool) for tool in found.tools]
    conversation = read_messages(pool.messages)
    for message in conversation:
        message.metadata.pop(USAGE_STALE, None)  # it was not, when it was added
    state: list[Message] = []
    added = 0
    for i, step in enumerate(steps):
        limit = _known_end(pool, steps[i:])
        exact = _known_end(pool, steps[i : i + 1])
        end = exact if exact is not None else limit if limit is not None else added
        frame = ([], []) if step.on_demand else (system, tools)
        count = _count(found.counter, state, conversation[added:end], step.total, *frame)
        if exact is not None and any(change.adding for change in step.changes):
            count = exact - added  # the total is that of what was left
        elif exact is not None and count != exact - added:
            count = max(exact - added, 0) if count is None or added + count > exact else count
        if count is None and limit is None:
            return  # nothing shows what was added before this step
        if count is None:
            if step.total is not None:
                what = f"no number of messages counts {step.total} tokens, as recorded"
                found.gaps.append(Gap(step=step.number, what=what))
            count = 0
        state = [*state, *conversation[added : added + count]]
        state = _changed(state, (change for change in step.changes if change.adding))
        added += count
        found.steps.append(Added(step, count, state))
        state = _state_after(step, state)


def _state_after(step: RecordedStep, state: list[Message]) -> list[Message]:
    """Return the context messages that a step left."""
    if step.dumps:
        after = read_messages([_indexed(chat) for chat in step.dumps[-1].context_after.messages])
        mark_usage_stale(after)
        return after
    window = window_of(step.request) if step.request is not None else []
    if any(is_engine_block(chat) for chat in window[:1]) and (
        identity(window[0]) not in {identity(message.to_chat()) for message in state[:1]}
    ):
        return read_messages(window)
    return _changed(state, (change for change in step.changes if not change.adding))


def _changed(state: list[Message], changes: Iterable[Change]) -> list[Message]:
    """Return messages after some of them made way for others."""
    for change in changes:
        gone = {identity(chat) for chat in change.gone}
        at = next((i for i, m in enumerate(state) if m.message_id in gone), len(state))
        kept = [message for message in state if message.message_id not in gone]
        mark_usage_stale(kept)
        state = [*kept[:at], *read_messages(list(change.left)), *kept[at:]]
    return state


def _known_end(pool: _Pool, steps: Sequence[RecordedStep]) -> int | None:
    """Return how many messages had been added by the first of the steps whose window is known."""
    folded: list[Chat] = []
    for step in steps:
        folded += [chat for change in step.changes if change.adding for chat in change.gone]
        for window in windows_of(step):
            return pool.end_of([*folded, *window])
    return pool.end_of(folded) if folded else None


def _count(
    counter: TokenCounter,
    state: list[Message],
    coming: Sequence[Message],
    total: int | None,
    system: Sequence[SystemMessage],
    tools: Sequence[ToolInfo],
) -> int | None:
    """Return how many of the coming messages give the recorded total; None when no number does."""
    for count in range(len(coming) + 1):
        window = [*state, *coming[:count]]
        if window_tokens(counter, system, window, tools) == total:
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
