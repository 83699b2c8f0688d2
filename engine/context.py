"""A context: the messages of one conversation and the processors that keep its windows small.

Messages are copied when they enter, so that ids and usage marks never show up in the caller's
objects. One lock per context: adding and building windows never overlap.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal
from uuid import uuid4

from engine.active_compression import ActiveCompression, compress, on_demand, skipped
from engine.buffer import MessageBuffer
from engine.clock import Clock
from engine.config import ContextEngineConfig
from engine.debug.directories import DebugPlace
from engine.debug.recorder import DebugRecorder
from engine.debug.records import PreCall
from engine.debug.sinks import DebugSink
from engine.errors import ContextError, ContextMessageError
from engine.lifecycle import Size, adding, windowing
from engine.messages import MESSAGE_ID, BaseMessage, Message, SystemMessage, ToolInfo
from engine.operation import current_operation
from engine.processors.registry import Processor
from engine.session import SavedContext, Session
from engine.states import ContextCompressionState
from engine.summarizers.call import Summarizer
from engine.tokens.capacity import Capacity, resolve_capacity
from engine.tokens.counters import TokenCounter
from engine.tokens.online_windows import ONLINE_WINDOWS, OnlineWindows
from engine.tokens.usage import mark_usage_stale
from engine.usage.report import ContextWindowTokenReport
from engine.window import (
    ContextStats,
    ContextWindow,
    build_window,
    statistic,
    without_leading_results,
)
from engine.window_change import ContextWindowChange, WindowTracker
from engine.wording import Wording
from engine.workspace import Workspace

_LOG = logging.getLogger(__name__)
STATE_HISTORY = 100
"""State events that a context remembers."""

WindowMutator = Callable[[ContextWindow], Awaitable[ContextWindow]]
"""Has the last word on a window before it is sent."""

Change = Literal["initial", "append", "remove", "replace", "clear", "compress", "load"]
"""What can happen to a context's messages."""


class ModelContext:
    """The context of one conversation.

    Attributes:
        session: the session it belongs to.
        context_id: its id within the session.
        counter: what counts tokens here.
        capacity: tokens of the model's window, and who says so.
        summarizer: who writes summaries; None leaves the compressors inert.
        faithful: decide as openJiuwen does even where that loses a text: for a replay.
        message_revision: how often the messages have changed.
        last_change: what changed them last.
        last_context_window_access_at: when an offloader last saw a window asked for, in epoch
            seconds; None before the first time.
        states: the latest state events.
        listeners: called with each state event; what they raise is logged.
    """

    def __init__(
        self,
        *,
        session: Session,
        context_id: str,
        config: ContextEngineConfig,
        processors: Sequence[Processor],
        counter: TokenCounter,
        wording: Wording,
        clock: Clock,
        sink: DebugSink,
        place: DebugPlace,
        summarizer: Summarizer | None = None,
        faithful: bool = False,
        history: Sequence[Message] = (),
        online_windows: OnlineWindows | None = None,
        window_mutators: Sequence[WindowMutator] = (),
    ) -> None:
        """Set up a context; `ContextEngine.create_context` is the usual way."""
        self.session = session
        self.context_id = context_id
        self.config = config
        self.processors = tuple(processors)
        self.counter = counter
        self.wording = wording
        self.clock = clock
        self.summarizer = summarizer
        self.faithful = faithful
        self._online_windows = online_windows or ONLINE_WINDOWS
        self.capacity: Capacity = self._resolved_capacity()
        self.debug = DebugRecorder(sink, place, clock)
        self.states: deque[ContextCompressionState] = deque(maxlen=STATE_HISTORY)
        self.listeners: list[Callable[[ContextCompressionState], None]] = []
        self._buffer = MessageBuffer(
            [_own(message) for message in history], config.max_context_message_num
        )
        self.message_revision = 0
        self.last_change: Change = "initial"
        self.last_context_window_access_at: float | None = None
        self._offloaded: dict[str, list[Message]] = {}
        self._window_mutators = window_mutators
        self._tracker = WindowTracker()
        self._lock = asyncio.Lock()
        self._compressing = False
        self._arrived: list[Message] = []

    def __len__(self) -> int:
        return len(self._buffer)

    @property
    def workspace(self) -> Workspace | None:
        """Where the agent's files are."""
        return self.debug.place.workspace

    def get_messages(self, size: int | None = None, *, with_history: bool = True) -> list[Message]:
        """Return the visible messages, or the last `size` of them.

        Raises:
            ContextError: `size` is negative.
        """
        try:
            return self._buffer.visible(size, with_history=with_history)
        except ValueError as error:
            raise ContextError(str(error)) from error

    def pop_messages(self, size: int = 1, *, with_history: bool = True) -> list[Message]:
        """Remove and return the newest messages.

        Raises:
            ContextError: `size` is negative.
        """
        try:
            popped = self._buffer.pop(size, with_history=with_history)
        except ValueError as error:
            raise ContextError(str(error)) from error
        if popped:
            self._rewritten("remove")
        return popped

    def set_messages(
        self, messages: Sequence[Message], *, with_history: bool = True
    ) -> list[Message]:
        """Put others in place of all messages, or of all but the history; return them with ids.

        Raises:
            ContextMessageError: one of them is no message.
        """
        kept = [_checked(message) for message in messages]
        known = set(map(id, kept))
        arrived = [message for message in self._arrived if id(message) not in known]
        self._buffer.replace([*kept, *arrived], with_history=with_history)
        self._rewritten("replace" if current_operation() is None else "compress")
        return kept

    async def clear_messages(self, *, with_history: bool = True) -> None:
        """Remove all messages, and the originals kept in memory."""
        if self.pop_messages(len(self), with_history=with_history):
            self.last_change = "clear"
        self._offloaded = {}

    def offload_messages(self, handle: str, messages: Sequence[Message]) -> None:
        """Keep originals in memory under a handle."""
        self._offloaded[handle] = list(messages)

    @property
    def offloaded(self) -> Mapping[str, Sequence[Message]]:
        """Originals kept in memory, by handle."""
        return self._offloaded

    async def add_messages(self, messages: Message | Sequence[Message]) -> list[Message]:
        """Let the processors see new messages, append what they leave, and return it.

        Raises:
            ContextMessageError: one of them is no message.
        """
        incoming = [messages] if isinstance(messages, BaseMessage) else messages
        if not isinstance(incoming, Sequence) or isinstance(incoming, str):
            raise ContextMessageError(f"no message: {type(messages).__name__}")
        entering = [_own(message) for message in incoming]
        if self._compressing:
            self._arrived += entering
            return self._append(entering)
        async with self._lock:
            for processor in self.processors:
                if processor.watches_additions():
                    entering = await adding(self, processor)(entering)
            return self._append(entering)

    async def get_context_window(
        self,
        system_messages: Sequence[SystemMessage] = (),
        tools: Sequence[ToolInfo] = (),
        *,
        window_size: int | None = None,
        dialogue_round: int | None = None,
        window_mutators: Sequence[WindowMutator] = (),
    ) -> ContextWindow:
        """Build a window and let the processors rewrite it.

        Args:
            system_messages: sent first; they never enter the buffer.
            tools: offered to the model.
            window_size: messages at most, system messages included; the setting when None.
            dialogue_round: dialogue rounds at most; the setting when None.
            window_mutators: have the last word on this window, after the engine's own; one that
                raises is passed over.

        Raises:
            ContextError: a limit is not positive.
        """
        for limit in (window_size, dialogue_round):
            if limit is not None and limit <= 0:
                raise ContextError(f"a window's limits must be positive, got {limit}")
        if self.config.enable_openrouter_model_context_window_tokens:
            self.capacity = self._resolved_capacity()
        async with self._lock:
            window = build_window(
                self._buffer.visible(),
                system_messages,
                tools,
                window_size=window_size or self.config.default_window_message_num,
                dialogue_round=dialogue_round or self.config.default_window_round_num,
            )
            for processor in self.processors:
                if processor.watches_windows():
                    window = await windowing(self, processor)(window)
            window.context_messages = without_leading_results(window.context_messages)
            for mutate in (*self._window_mutators, *window_mutators):
                window = await _mutated(window, mutate)
            window.statistic = statistic(self.counter, window.messages, window.tools)
            return window

    def detect_context_window_change(self, window: ContextWindow) -> ContextWindowChange | None:
        """Return what differs from the window that was looked at before; None for the first."""
        return self._tracker.detect(window)

    async def compress_context(
        self, processor_types: Collection[str] | None = None, *, preserve_instruction: str = ""
    ) -> ActiveCompression:
        """Compress now, whatever the window's size, unless the context is busy.

        Messages that are added meanwhile are appended at once, past the processors.

        Args:
            processor_types: names of the processors that may act; all when None.
            preserve_instruction: what the summaries must not lose.
        """
        if self._lock.locked():
            return ActiveCompression("busy", skipped(self, "busy"))
        async with self._lock:
            chain = on_demand(self.processors, processor_types)
            if not chain:
                return ActiveCompression("noop", skipped(self, "no_matching_processor"))
            self._compressing = True
            try:
                return await compress(self, chain, preserve_instruction)
            finally:
                self._compressing = False
                self._arrived = []

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Keep everybody else waiting for the length of the block."""
        async with self._lock:
            yield

    def rebind_model(
        self,
        config: ContextEngineConfig,
        *,
        counter: TokenCounter | None = None,
        summarizer: Summarizer | None = None,
    ) -> bool:
        """Go on with another model; return whether anything changed.

        What the old model's provider counted no longer holds. The length of the buffer stays.

        Args:
            config: limits of the window, capacity, recall.
            counter: what counts tokens from now on; as before when None.
            summarizer: who writes summaries from now on; as before when None.
        """
        kept = {"max_context_message_num": self.config.max_context_message_num}
        config = config.model_copy(update=kept)
        counter, summarizer = counter or self.counter, summarizer or self.summarizer
        bound = (self.config, self.counter, self.summarizer)
        if config == bound[0] and counter is bound[1] and summarizer is bound[2]:
            return False
        self.config, self.counter, self.summarizer = config, counter, summarizer
        self.capacity = self._resolved_capacity()
        mark_usage_stale(self._buffer.visible())
        return True

    def save_state(self) -> SavedContext:
        """Return what a session has to keep of this context."""
        return SavedContext(
            messages=self._buffer.visible(),
            offload_messages=dict(self._offloaded),
            last_context_window_access_at=self.last_context_window_access_at,
        )

    def load_state(self, saved: SavedContext) -> None:
        """Put what was saved in place of everything the context holds, as its history."""
        self._buffer = MessageBuffer(
            [_checked(message) for message in saved.messages], self.config.max_context_message_num
        )
        self.message_revision += 1
        self.last_change = "load"
        self._offloaded = dict(saved.offload_messages)
        self.last_context_window_access_at = saved.last_context_window_access_at

    def statistic(self) -> ContextStats:
        """Return the statistic of the visible messages."""
        return statistic(self.counter, self._buffer.visible())

    def record_request(
        self,
        window: ContextWindow,
        *,
        request_id: str,
        sequence: int,
        usage_report: ContextWindowTokenReport | None = None,
    ) -> None:
        """Write the window about to be sent to `llm_request.jsonl`, if the setting says so."""
        if not self.config.enable_context_debug:
            return
        self.debug.write(
            PreCall,
            "llm_request",
            self.config.context_debug_dir,
            request_id=request_id,
            sequence=sequence,
            model=self.config.model_name,
            provider=self.config.model_provider,
            context_window_tokens=self.capacity.tokens,
            message_count=len(window.messages),
            system_message_count=len(window.system_messages),
            context_message_count=len(window.context_messages),
            tool_count=len(window.tools),
            messages=[message.to_chat() for message in window.messages],
            tools=[tool.model_dump(mode="json") for tool in window.tools],
            statistic=vars(window.statistic),
            usage_report=usage_report.model_dump(mode="json") if usage_report else None,
        )

    def measure(self, messages: list[Message]) -> Size:
        """Return what a state event tells about these messages."""
        return Size(
            messages=len(messages),
            tokens=self.counter.count_messages(messages),
            statistic=statistic(self.counter, messages),
        )

    def emit(self, state: ContextCompressionState) -> None:
        """Remember a state event and tell whoever listens."""
        self.states.append(state)
        for listener in self.listeners:
            try:
                listener(state)
            except Exception:
                _LOG.exception("a listener failed on a state event of %s", state.processor)

    def _resolved_capacity(self) -> Capacity:
        if not self.config.enable_openrouter_model_context_window_tokens:
            return resolve_capacity(self.config)
        known = self._online_windows.known(self.config.openrouter_request_timeout)
        return resolve_capacity(self.config, online=known)

    def _append(self, entering: list[Message]) -> list[Message]:
        if entering:
            if not self._buffer.append(entering):
                mark_usage_stale(self._buffer.visible())
            self.message_revision += 1
            self.last_change = "append"
        return entering

    def _rewritten(self, change: Change) -> None:
        mark_usage_stale(self._buffer.visible())
        self.message_revision += 1
        self.last_change = change


async def _mutated(window: ContextWindow, mutate: WindowMutator) -> ContextWindow:
    """Return what a mutator makes of a copy of the window; the window itself where it fails."""
    copy = ContextWindow([*window.system_messages], [*window.context_messages], [*window.tools])
    try:
        changed = await mutate(copy)
    except Exception:
        _LOG.exception("a window mutator failed")
        return window
    changed.context_messages = without_leading_results(changed.context_messages)
    return changed


def _own(message: Message) -> Message:
    """Return a copy whose metadata belongs to the context, with an id."""
    checked = _checked(message)
    if checked is message:
        return message.revised(metadata=dict(message.metadata))
    return checked


def _checked(message: Message) -> Message:
    """Return the message, given an id if it has none."""
    if not isinstance(message, BaseMessage):
        raise ContextMessageError(f"no message: {type(message).__name__}")
    if message.message_id:
        return message
    return message.revised(metadata={**message.metadata, MESSAGE_ID: uuid4().hex})
