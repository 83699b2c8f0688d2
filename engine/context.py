"""A context: a conversation and the chain of processors that keeps its windows small.

One lock per context: adding and building windows never overlap.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from engine.conversation import Conversation, own
from engine.debug.records import PreCall
from engine.errors import ContextError, ContextMessageError
from engine.lifecycle.lock import ContextLock
from engine.lifecycle.on_demand import ENGINE, ActiveCompression, compress, on_demand, skipped
from engine.lifecycle.processor_run import adding, windowing
from engine.messages import BaseMessage, Message, SystemMessage, ToolInfo
from engine.processors.registry import Processor
from engine.usage.report import ContextWindowTokenReport
from engine.window import ContextWindow, build_window, statistic, without_leading_results
from engine.window.change import ContextWindowChange, WindowTracker

_LOG = logging.getLogger(__name__)

WindowMutator = Callable[[ContextWindow], Awaitable[ContextWindow]]
"""Has the last word on a window before it is sent."""


@dataclass(kw_only=True, eq=False, repr=False)
class ModelContext(Conversation):
    """A conversation with its chain; `ContextEngine.create_context` is the usual way to one."""

    processors: Sequence[Processor]
    """The chain, in the order in which they act."""
    window_mutators: Sequence[WindowMutator] = ()
    """Have the last word on every window."""

    def __post_init__(self, history: Sequence[Message]) -> None:
        """Begin with a history."""
        super().__post_init__(history)
        self._tracker = WindowTracker()
        self._lock = ContextLock()
        self._compressing = False
        self._arrived: list[Message] = []

    def set_messages(
        self, messages: Sequence[Message], *, with_history: bool = True
    ) -> list[Message]:
        """Put others in place of all messages, or of all but the history; return them with ids.

        What has arrived while a compression goes on stays behind them.

        Raises:
            ContextMessageError: one of them is no message.
        """
        known = set(map(id, messages))
        arrived = [message for message in self._arrived if id(message) not in known]
        kept = super().set_messages([*messages, *arrived], with_history=with_history)
        return kept[: len(messages)]

    async def add_messages(self, messages: Message | Sequence[Message]) -> list[Message]:
        """Let the processors see new messages, append what they leave, and return it.

        Raises:
            ContextMessageError: one of them is no message.
        """
        incoming = [messages] if isinstance(messages, BaseMessage) else messages
        if not isinstance(incoming, Sequence) or isinstance(incoming, str):
            raise ContextMessageError(f"no message: {type(messages).__name__}")
        entering = [own(message) for message in incoming]
        if self._compressing:
            self._arrived += entering
            self.debug.end(ENGINE, self.config.debug, "skipped", "busy", phase="add_messages")
            return self._append(entering)
        async with self._lock.held("add_messages"):
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
        async with self._lock.held("get_context_window"):
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
            for mutate in (*self.window_mutators, *window_mutators):
                window = await _mutated(window, mutate)
            tally = self.tally(window.context_messages)
            window.statistic = statistic(tally, window.system_messages, window.tools)
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
        if self._lock.is_taken:
            return ActiveCompression("busy", skipped(self, "busy"))
        async with self._lock.held("compress_context"):
            chain = on_demand(self.processors, processor_types)
            if not chain:
                return ActiveCompression("noop", skipped(self, "no_matching_processor"))
            self._compressing = True
            try:
                return await compress(self, chain, preserve_instruction)
            finally:
                self._compressing = False
                self._arrived = []

    def exclusive(self) -> AbstractAsyncContextManager[None]:
        """Return what keeps everybody else waiting for the length of an `async with` block."""
        return self._lock.held("exclusive")

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
            self.config.debug,
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
