"""One processor run: trigger, action, state events, and what an exception leaves behind.

This is `engine.md` §4.2 to §4.4 and §4.7. An exception in a processor never reaches the caller: its
input passes on unchanged and the next processor has its turn. Cancellation does reach the caller.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar
from uuid import uuid4

from engine.clock import Clock
from engine.debug.records import Phase
from engine.messages import Message
from engine.operation import Operation, operating
from engine.processors.base import ContextEvent
from engine.states import ContextCompressionState, Metric, Status, metric, saving, summary_text
from engine.window import ContextStats, ContextWindow

if TYPE_CHECKING:
    from engine.context import ModelContext
    from engine.processors.registry import Processor

_LOG = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")
"""What passes through a phase: the incoming messages or the window."""


@dataclass(frozen=True)
class Size:
    """What a state event tells about the context messages."""

    messages: int
    tokens: int
    statistic: ContextStats


@dataclass
class ProcessorRun(Generic[ValueT]):
    """A processor's turn in one phase."""

    processor: str
    phase: Phase
    trigger: Callable[[ValueT], Awaitable[bool]]
    act: Callable[[ValueT], Awaitable[tuple[ContextEvent | None, ValueT]]]
    size: Callable[[ValueT], Size]
    emit: Callable[[ContextCompressionState], None]
    clock: Clock
    capacity: int
    preserve_instruction: str = ""
    event: ContextEvent | None = None
    """What the processor did, once it has run; None while nothing changed."""

    async def __call__(self, value: ValueT) -> ValueT:
        """Run the processor on a value and return what it made of it."""
        self._operation_id = ""
        self._before: Metric | None = None
        try:
            if not await self.trigger(value):
                return value
            self._begin(value)
            operation = Operation(self._operation_id, self.phase, self.preserve_instruction)
            with operating(operation):
                self.event, result = await self.act(value)
        except asyncio.CancelledError:
            if self._before is not None:
                self._end("failed", value, error="cancelled")
            raise
        except Exception as error:
            _LOG.warning("%s failed in %s: %s", self.processor, self.phase, error)
            self._end("failed", value, error=str(error))
            return value
        self._end("completed" if self.event else "noop", result, self.event)
        return result

    def _measure(self, value: ValueT) -> tuple[Metric, ContextStats]:
        size = self.size(value)
        return (
            metric(self.clock.now(), size.messages, size.tokens, self.capacity),
            size.statistic,
        )

    def _begin(self, value: ValueT) -> None:
        self._operation_id = uuid4().hex
        self._started = self.clock.now()
        self._before, statistic = self._measure(value)
        self._emit("started", self._before, None, statistic)

    def _end(
        self,
        status: Status,
        value: ValueT,
        event: ContextEvent | None = None,
        error: str | None = None,
    ) -> None:
        after, statistic = self._measure(value)
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
        elapsed = self.clock.now() - self._started if after and self._before else 0.0
        self.emit(
            ContextCompressionState(
                operation_id=self._operation_id or uuid4().hex,
                status=status,
                phase=self.phase,
                processor=self.processor,
                before=before,
                after=after,
                statistic=statistic,
                saved=saving(before, after) if after else None,
                compression_usage=event.compression_usage if event else None,
                duration_ms=int(elapsed * 1000),
                context_max=self.capacity,
                summary=summary_text(
                    status, before, after, len(event.messages_to_modify) if event else 0
                ),
                compact_summary=event.compact_summary if event else None,
                error=error,
            )
        )


def adding(context: ModelContext, processor: Processor) -> ProcessorRun[list[Message]]:
    """Return a processor's turn on messages that are about to enter a context."""
    return ProcessorRun(
        processor=processor.processor_type(),
        phase="add_messages",
        trigger=lambda messages: processor.trigger_add_messages(context, messages),
        act=lambda messages: processor.on_add_messages(context, messages),
        size=lambda messages: context.measure([*context.get_messages(), *messages]),
        emit=context.emit,
        clock=context.clock,
        capacity=context.capacity.tokens,
    )


def windowing(context: ModelContext, processor: Processor) -> ProcessorRun[ContextWindow]:
    """Return a processor's turn on a window that is being built."""
    return ProcessorRun(
        processor=processor.processor_type(),
        phase="get_context_window",
        trigger=lambda window: processor.trigger_get_context_window(context, window),
        act=lambda window: processor.on_get_context_window(context, window),
        size=lambda window: context.measure(window.context_messages),
        emit=context.emit,
        clock=context.clock,
        capacity=context.capacity.tokens,
    )
