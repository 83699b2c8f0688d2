"""Summarises the middle of the window when it is over budget.

The second strategy of the minimal compaction loop (`engine.md`, Appendix B): the first system
message, a summary, the newest messages. Unlike the loop it keeps a call and its results together,
and lets everything be when the summary brings nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.debug.records import Outcome, SpanCounts
from engine.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from engine.model_errors import error_kind
from engine.operation import current_operation
from engine.processors.base import ContextEvent, ContextProcessor
from engine.processors.budget import BudgetConfig, estimated_tokens, over_budget
from engine.processors.compressors.prefix import extracted_summary
from engine.processors.registry import register
from engine.processors.spans import Span, protected_tail
from engine.summarizers.call import SummaryCall
from engine.tokens.text import content_text
from engine.window import ContextWindow

if TYPE_CHECKING:
    from engine.context import ModelContext

COMPACTED = "compacted"
"""Metadata key of a message that is a summary."""


class BudgetedSummaryConfig(BudgetConfig):
    """Settings of `BudgetedSummary`."""

    model: str | None = "default"
    """Model that writes the summary; without one the processor is inert."""


@register
class BudgetedSummary(ContextProcessor[BudgetedSummaryConfig]):
    """Replaces everything between the first system message and the newest ones by a summary."""

    config_model = BudgetedSummaryConfig

    async def trigger_get_context_window(
        self, context: ModelContext, window: ContextWindow
    ) -> bool:
        """Return whether the window is over budget and has a middle."""
        if context.summarizer is None or self.config.model is None:
            return False
        over = over_budget(context, window, self.config, self.processor_type())
        return over and bool(self._split(window.context_messages).target)

    async def on_get_context_window(
        self, context: ModelContext, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Replace the middle, in the buffer too; or change nothing."""
        original = window.context_messages
        span = self._split(original)
        if not span.target or context.summarizer is None or self.config.model is None:
            return None, window
        call = self._call(context, span)
        reason: str | None = None
        new: list[Message] = []
        try:
            answer = await context.summarizer.summarize(call)
        except Exception as error:
            reason = error_kind(error)
        else:
            summary = extracted_summary(answer.content or "")
            new = [*span.prefix, _summary_message(context, summary), *span.tail]
            if not summary:
                reason = "empty_answer"
            elif estimated_tokens(new) >= estimated_tokens(original):
                reason = "no_benefit"
        self._record(context, span, original, new, reason)
        if reason is not None:
            return None, window
        window.context_messages = context.set_messages(new)
        text = new[len(span.prefix)].text
        return ContextEvent(self.processor_type(), range(len(original)), text), window

    def _split(self, messages: Sequence[Message]) -> Span:
        first = messages[:1]
        head = [m for m in first if isinstance(m, SystemMessage) and COMPACTED not in m.metadata]
        start = min(protected_tail(messages, self.config.keep_recent).start, _pending(messages))
        start = max(start, len(head))
        return Span([*head], list(messages[len(head) : start]), list(messages[start:]))

    def _call(self, context: ModelContext, span: Span) -> SummaryCall:
        history = "\n".join(f"[{m.role}] {content_text(m)}" for m in span.target)
        operation = current_operation()
        return SummaryCall(
            processor=self.processor_type(),
            kind="round",
            messages=[UserMessage(content=context.wording.budgeted_summary.request(history))],
            target=span.target,
            tools=(),
            operation_id=operation.id if operation else None,
        )

    def _record(
        self,
        context: ModelContext,
        span: Span,
        before: Sequence[Message],
        after: Sequence[Message],
        reason: str | None,
    ) -> None:
        if not self.config.enable_context_debug:
            return
        operation = current_operation()
        context.debug.write(
            Outcome,
            self.processor_type(),
            self.config.context_debug_dir,
            phase=operation.phase if operation else "get_context_window",
            outcome="gave_up" if reason else "compressed",
            reason=reason,
            span=SpanCounts(
                preserved_prefix_count=len(span.prefix),
                messages_to_compress_count=len(span.target),
                protected_tail_count=len(span.tail),
            ),
            model_calls=1,
            before_tokens=context.counter.count_messages(before),
            after_tokens=context.counter.count_messages(after) if after else None,
        )


def _pending(messages: Sequence[Message]) -> int:
    """Return the position of the latest answer if a call of it waits for its result, else the end.

    Its results have to find it when they come.
    """
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AssistantMessage):
            called = {call.id for call in message.tool_calls or ()}
            results = (m for m in messages[position:] if isinstance(m, ToolMessage))
            waiting = called - {result.tool_call_id for result in results}
            return position if waiting else len(messages)
    return len(messages)


def _summary_message(context: ModelContext, summary: str) -> SystemMessage:
    content = context.wording.budgeted_summary.message(summary)
    return SystemMessage(content=content, metadata={COMPACTED: True})
