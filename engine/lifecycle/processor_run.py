"""One processor's turn: trigger, action, state events, and what an exception leaves behind.

This is `engine.md` §4.2 to §4.4 and §4.7. An exception in a processor never reaches the caller: its
input passes on unchanged and the next processor has its turn. Cancellation does reach the caller.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from engine.conversation import Conversation
from engine.conversation.states import ContextCompressionState, Metric, Status, saving, summary_text
from engine.messages import Message
from engine.operation import Operation, Phase
from engine.processors.base import ContextEvent
from engine.processors.registry import Processor
from engine.window import ContextStats, ContextWindow

_LOG = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")
"""What passes through a phase: the incoming messages or the window."""


@dataclass
class ProcessorRun(Generic[ValueT]):
    """A processor's turn in one phase."""

    context: Conversation
    processor: Processor
    phase: Phase
    trigger: Callable[[ValueT], Awaitable[bool]]
    act: Callable[[ValueT], Awaitable[tuple[ContextEvent | None, ValueT]]]
    messages: Callable[[ValueT], list[Message]]
    """The messages that its state events measure."""
    preserve_instruction: str = ""
    event: ContextEvent | None = None
    """What the processor did, once it has run; None while nothing changed."""
    states: list[ContextCompressionState] = field(default_factory=list)
    """The events of this turn."""

    async def __call__(self, value: ValueT) -> ValueT:
        """Run the processor on a value and return what it made of it."""
        self._before: Metric | None = None
        with Operation(self.phase, self.preserve_instruction) as self._operation:
            try:
                if not await self.trigger(value):
                    return value
                self._begin(value)
                self.event, result = await self.act(value)
            except asyncio.CancelledError:
                if self._before is not None:
                    self._fail(value, "cancelled")
                raise
            except Exception as error:
                _LOG.warning("%s failed in %s: %s", self._name, self.phase, error)
                self._fail(value, str(error))
                return value
        self._end("completed" if self.event else "noop", result, self.event)
        return result

    @property
    def _name(self) -> str:
        return self.processor.processor_type()

    def _begin(self, value: ValueT) -> None:
        self._started = self.context.clock.now()
        self._before, statistic = self.context.measure(self.messages(value))
        self._emit("started", self._before, None, statistic)

    def _fail(self, value: ValueT, error: str) -> None:
        self.processor.end(self.context, "gave_up", "interrupted", error=error)
        self._end("failed", value, error=error)

    def _end(
        self,
        status: Status,
        value: ValueT,
        event: ContextEvent | None = None,
        error: str | None = None,
    ) -> None:
        after, statistic = self.context.measure(self.messages(value))
        self._emit(status, self._before or after, after, statistic, event, error)

    def _emit(
        self,
        status: Status,
        before: Metric,
        after: Metric | None,
        statistic: ContextStats,
        event: ContextEvent | None = None,
        error: str | None = None,
    ) -> None:
        elapsed = self.context.clock.now() - self._started if after and self._before else 0.0
        modified = len(event.messages_to_modify) if event else 0
        state = ContextCompressionState(
            operation_id=self._operation.id,
            status=status,
            phase=self.phase,
            processor=self._name,
            before=before,
            after=after,
            statistic=statistic,
            saved=saving(before, after) if after else None,
            compression_usage=event.compression_usage if event else None,
            duration_ms=int(elapsed * 1000),
            context_max=self.context.capacity.tokens,
            summary=summary_text(status, before, after, modified),
            compact_summary=event.compact_summary if event else None,
            error=error,
        )
        self.states.append(state)
        self.context.emit(state)


def adding(context: Conversation, processor: Processor) -> ProcessorRun[list[Message]]:
    """Return a processor's turn on messages that are about to enter a context."""
    return ProcessorRun(
        context,
        processor,
        "add_messages",
        trigger=lambda messages: processor.trigger_add_messages(context, messages),
        act=lambda messages: processor.on_add_messages(context, messages),
        messages=lambda messages: [*context.get_messages(), *messages],
    )


def windowing(context: Conversation, processor: Processor) -> ProcessorRun[ContextWindow]:
    """Return a processor's turn on a window that is being built."""
    return ProcessorRun(
        context,
        processor,
        "get_context_window",
        trigger=lambda window: processor.trigger_get_context_window(context, window),
        act=lambda window: processor.on_get_context_window(context, window),
        messages=lambda window: window.context_messages,
    )
