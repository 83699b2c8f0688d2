"""One try to compress: model calls, what is done when one fails, the end (`engine.md` §5.5).

After an overflow the target shrinks to fit a smaller share of the capacity; what no longer fits
joins the tail. Transient errors are tried again after a pause. The two are counted apart and never
start over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from engine.conversation import Conversation
from engine.debug.records import CompressionRetry
from engine.errors.model_calls import TRANSIENT, ErrorKind, error_kind, error_text
from engine.messages import Message, UserMessage
from engine.operation import current_operation
from engine.processors.base import ContextProcessor
from engine.processors.spans import Span
from engine.summarizers.call import SummaryAnswer, SummaryCall
from engine.tokens.counters import LIST_FRAME
from engine.tokens.usage import valid_usage
from engine.window import ContextWindow
from engine.wording import BlockKind

OVERFLOW_RATIOS = (0.85, 0.65, 0.5)
"""Share of the capacity that the calls after the first, second and third overflow may fill."""

TRANSIENT_DELAYS = (0.05, 0.1)
"""Pauses in seconds before the calls after the first and second transient error."""


class GaveUp(Exception):
    """The attempt ended in nothing; the text is the reason."""


class Attempt:
    """One try of a compressor on one window.

    Attributes:
        span: the current split; overflows make its target smaller.
        original: the window's context messages as they were.
        current_usage: ids of those whose usage described the messages before them.
        before: tokens of the context messages as one list.
        after: tokens of the messages that would take their place, once known.
    """

    def __init__(
        self,
        compressor: ContextProcessor[Any],
        kind: BlockKind,
        context: Conversation,
        window: ContextWindow,
        span: Span,
        prompt: str,
        *,
        affine: bool = False,
    ) -> None:
        """Set out with the span as it was built.

        Args:
            compressor: whose attempt it is.
            kind: the memory block that it would write.
            context: what it would change.
            window: the window that it looks at.
            span: the window's parts.
            prompt: what the model is asked.
            affine: give the model calls a cache key of their own.
        """
        self.compressor = compressor
        self._kind: BlockKind = kind
        self._affine = affine
        self.context = context
        self.window = window
        self.span = span
        self.prompt = UserMessage(content=prompt)
        self.original = window.context_messages
        self.current_usage = {m.message_id for m in self.original if valid_usage(m)}
        self.before = context.counter.count_messages(self.original)
        self.after: int | None = None
        self.calls: list[SummaryCall] = []
        self._summarizers: list[str] = []
        self._error: ErrorKind | None = None
        self._overflows = 0
        self._transients = 0
        self._started = context.clock.now()

    async def ask(self) -> SummaryAnswer:
        """Return the model's answer, after as many calls as it takes.

        Raises:
            GaveUp: no call worked.
        """
        summarizer = self.context.summarizer
        assert summarizer is not None
        while True:
            call = self._next_call()
            self.calls.append(call)
            try:
                answer = await summarizer.summarize(call)
            except Exception as error:
                self._summarizers.append(getattr(error, "summarizer", "model"))
                await self._recover(error)
            else:
                self._summarizers.append(answer.summarizer)
                return answer

    def measure(self, new: Sequence[Message]) -> int:
        """Return the tokens of the messages that would take the old ones' place."""
        self.after = self.context.counter.count_messages(new)
        return self.after

    def close(self, outcome: Literal["compressed", "gave_up"], reason: str | None = None) -> None:
        """Record how the attempt ended."""
        self.compressor.end(
            self.context,
            outcome,
            reason,
            error_kind=self._error,
            span=self.span.counts,
            model_calls=len(self.calls),
            before_tokens=self.before,
            after_tokens=self.after,
            summarizers=self._summarizers,
            seconds=round(self.context.clock.now() - self._started, 3),
        )

    def _next_call(self) -> SummaryCall:
        processor = self.compressor.processor_type()
        operation = current_operation()
        return SummaryCall(
            processor=processor,
            kind=self._kind,
            messages=[
                *self.window.system_messages,
                *self.span.prefix,
                *self.span.target,
                self.prompt,
            ],
            target=self.span.target,
            tools=self.window.tools,
            operation_id=operation.id if operation else None,
            cache_id=f"{self.context.session.session_id}:{processor}" if self._affine else None,
        )

    async def _recover(self, error: Exception) -> None:
        """Make ready for the next call, or raise `GaveUp`."""
        kind = self._error = error_kind(error)
        message = error_text(error)
        if kind == "context_overflow":
            self._shrink(message)
        elif kind in TRANSIENT:
            await self._pause(kind, message)
        else:
            raise GaveUp(kind)

    def _shrink(self, message: str) -> None:
        self._overflows += 1
        failed = {"attempt": self._overflows, "error_type": "context_overflow"}
        if self._overflows > len(OVERFLOW_RATIOS):
            self._retry(failed, message, retried=False, reason="retry_budget_exhausted")
            raise GaveUp("overflow_exhausted")
        ratio = OVERFLOW_RATIOS[self._overflows - 1]
        smaller = self._smaller_span(ratio)
        if smaller is None:
            self._retry(failed, message, retried=False, reason="no_smaller_span")
            raise GaveUp("overflow_no_smaller_span")
        self._retry(failed, message, retried=True, reason="budget_ratio_shrink", budget_ratio=ratio)
        self.span = smaller

    async def _pause(self, kind: ErrorKind, message: str) -> None:
        if self._transients >= len(TRANSIENT_DELAYS):
            raise GaveUp("transient_exhausted")
        delay = TRANSIENT_DELAYS[self._transients]
        self._transients += 1
        failed = {"attempt": self._transients, "error_type": f"transient:{kind}"}
        self._retry(failed, message, retried=True, reason="transient_backoff", delay_seconds=delay)
        await self.context.clock.sleep(delay)

    def _smaller_span(self, ratio: float) -> Span | None:
        counter = self.context.counter
        budget = self.context.capacity.share(ratio)
        fixed = counter.count_messages(
            [*self.window.system_messages, *self.span.prefix, self.prompt]
        ) + counter.count_tools(self.window.tools)
        fitting = fitting_prefix(
            [counter.count_message(m) + LIST_FRAME for m in self.span.target], budget - fixed
        )
        if fitting is None:
            return None
        target = self.span.target
        return Span(self.span.prefix, target[:fitting], [*target[fitting:], *self.span.tail])

    def _retry(self, failed: dict[str, Any], message: str, **payload: Any) -> None:
        self.compressor.record(
            self.context, CompressionRetry, **failed, error_message=message, **payload
        )


def fitting_prefix(tokens: Sequence[int], room: int) -> int | None:
    """Return how many messages, from the front, make a smaller target; None when there is none.

    Args:
        tokens: tokens of each message of the target, each counted as a list of its own.
        room: tokens that the target may fill.
    """
    if room <= 0:
        return None
    used = fit = 0
    for size in tokens:
        used += size
        if used > room:
            break
        fit += 1
    if fit >= len(tokens):
        return len(tokens) - 1 or None
    if fit == 0:
        return 1 if len(tokens) > 1 else None
    return fit
