"""A conversation, as its processors see it: the messages, and what it takes to judge them.

Messages are copied when they enter, so that ids and usage marks never show up in the caller's
objects. `ModelContext` is a conversation with a chain of processors, which it asks in turn.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from secrets import token_hex
from typing import Literal

from engine.clock import Clock
from engine.config import ContextEngineConfig
from engine.conversation.buffer import MessageBuffer
from engine.conversation.states import ContextCompressionState, Metric, metric
from engine.debug.recorder import DebugRecorder
from engine.errors import ContextError, ContextMessageError
from engine.messages import MESSAGE_ID, BaseMessage, Message
from engine.operation import current_operation
from engine.session import SavedContext, Session
from engine.summarizers.call import Summarizer
from engine.tokens.capacity import Capacity, resolve_capacity
from engine.tokens.counters import TokenCounter
from engine.tokens.online_windows import ONLINE_WINDOWS, OnlineWindows
from engine.tokens.tally import Tally
from engine.tokens.usage import mark_usage_stale
from engine.window import ContextStats, ContextWindow, statistic
from engine.wording import Wording
from engine.workspace import Workspace

_LOG = logging.getLogger(__name__)

STATE_HISTORY = 100
"""State events that a conversation remembers."""

Change = Literal["initial", "append", "remove", "replace", "clear", "compress", "load"]
"""What can happen to a conversation's messages."""


@dataclass(kw_only=True, eq=False, repr=False)
class Conversation:
    """Messages with everything that counts, stores, shortens and records them."""

    session: Session
    """The session it belongs to."""
    context_id: str
    """Its id within the session."""
    config: ContextEngineConfig
    counter: TokenCounter
    """What counts tokens here."""
    wording: Wording
    clock: Clock
    debug: DebugRecorder
    summarizer: Summarizer | None = None
    """Who writes summaries; None leaves the compressors inert."""
    faithful: bool = False
    """Decide as openJiuwen does even where that loses a text: for a replay."""
    online_windows: OnlineWindows = ONLINE_WINDOWS
    history: InitVar[Sequence[Message]] = ()
    """Messages that were there before."""
    capacity: Capacity = field(init=False)
    """Tokens of the model's window, and who says so."""
    message_revision: int = field(default=0, init=False)
    """How often the messages have changed."""
    last_change: Change = field(default="initial", init=False)
    """What changed them last."""
    last_context_window_access_at: float | None = field(default=None, init=False)
    """When an offloader last saw a window asked for, in epoch seconds; None before that."""
    states: deque[ContextCompressionState] = field(init=False)
    """The latest state events."""
    listeners: list[Callable[[ContextCompressionState], None]] = field(init=False)
    """Called with each state event; what they raise is logged."""

    def __post_init__(self, history: Sequence[Message]) -> None:
        """Begin with a history."""
        self.capacity = self._resolved_capacity()
        self.states = deque(maxlen=STATE_HISTORY)
        self.listeners = []
        self._buffer = MessageBuffer(list(map(own, history)), self.config.max_context_message_num)
        self._offloaded: dict[str, list[Message]] = {}
        self._tally = Tally(self.counter)

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
        self._buffer.replace(kept, with_history=with_history)
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
        return statistic(self.tally(self._buffer.visible()))

    def tally(self, messages: Sequence[Message]) -> Tally:
        """Return the figures of messages, which hold until it is asked for those of others."""
        if self._tally.counter is not self.counter:
            self._tally = Tally(self.counter)
        return self._tally.of(messages)

    def window_tokens(self, window: ContextWindow) -> int:
        """Return the tokens of a whole window, as processors compare them with a threshold."""
        tally = self.tally(window.context_messages)
        return tally.window_tokens(window.system_messages, window.tools)

    def measure(self, messages: Sequence[Message]) -> tuple[Metric, ContextStats]:
        """Return what a state event tells about these messages, as they are now."""
        tally = self.tally(messages)
        now = self.clock.now()
        return (
            metric(now, len(messages), tally.list_tokens, self.capacity.tokens),
            statistic(tally),
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
        known = self.online_windows.known(self.config.openrouter_request_timeout)
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


def own(message: Message) -> Message:
    """Return a copy whose metadata belongs to the context, with an id."""
    checked = _checked(message)
    if checked is message:
        return message.labelled(message.metadata.copy())
    return checked


def _checked(message: Message) -> Message:
    """Return the message, given an id if it has none."""
    if not isinstance(message, BaseMessage):
        raise ContextMessageError(f"no message: {type(message).__name__}")
    if message.message_id:
        return message
    return message.labelled({**message.metadata, MESSAGE_ID: token_hex(16)})
