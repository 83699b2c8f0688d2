"""Summarises the middle of the window when it is over budget.

The second strategy of the minimal compaction loop (`engine.md`, Appendix B): the first system
message, a summary, the newest messages. Unlike the loop it keeps a call and its results together,
and lets everything be when the summary brings nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.conversation import Conversation
from engine.errors.model_calls import ErrorKind, error_kind
from engine.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from engine.operation import current_operation
from engine.processors.base import ContextEvent
from engine.processors.budget import COMPACTED, BudgetConfig, estimated_tokens, over_budget
from engine.processors.compressors.summary import SummarizingProcessor, extracted_summary
from engine.processors.registry import register
from engine.processors.spans import Span, protected_tail
from engine.summarizers.call import Summarizer, SummaryCall
from engine.tokens.text import content_text
from engine.window import ContextWindow


class BudgetedSummaryConfig(BudgetConfig):
    """Settings of `BudgetedSummary`."""

    model: str | None = "default"
    """Model that writes the summary; without one the processor is inert."""


class _Reply(NamedTuple):
    """What came of asking for a summary."""

    summarizer: str
    """Who was asked."""
    summary: str = ""
    failure: ErrorKind | None = None


@register
class BudgetedSummary(SummarizingProcessor[BudgetedSummaryConfig]):
    """Replaces everything between the first system message and the newest ones by a summary."""

    config_model = BudgetedSummaryConfig

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether the window is over budget and has a middle."""
        if self.is_inert(context, self.config.model):
            return False
        if not over_budget(self, context, window):
            return False
        if not self._split(window.context_messages).target:
            self.decline_without_span(context)
            return False
        return True

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Replace the middle, in the buffer too; or change nothing."""
        original = window.context_messages
        span = self._split(original)
        if context.summarizer is None or self.config.model is None or not span.target:
            return None, window
        started = context.clock.now()
        reply = await self._reply(context.summarizer, self._call(context, span))
        new: list[Message] = []
        if reply.failure is None:
            new = [*span.prefix, _summary_message(context, reply.summary), *span.tail]
        facts: dict[str, Any] = {
            "before": original,
            "after": new,
            "span": span.counts,
            "model_calls": 1,
            "summarizers": [reply.summarizer],
            "seconds": round(context.clock.now() - started, 3),
        }
        reason = reply.failure or _objection(reply.summary, original, new)
        if reason is not None:
            self.end(context, "gave_up", reason, **facts)
            return None, window
        window.context_messages = context.set_messages(new)
        block = window.context_messages[len(span.prefix)]
        self.end(context, "compressed", replaced=span.target, replacement=[block], **facts)
        return ContextEvent(self.processor_type(), range(len(original)), block.text), window

    async def _reply(self, summarizer: Summarizer, call: SummaryCall) -> _Reply:
        try:
            answer = await summarizer.summarize(call)
        except Exception as error:
            return _Reply(getattr(error, "summarizer", "model"), failure=error_kind(error))
        return _Reply(answer.summarizer, extracted_summary(answer.content or ""))

    def _split(self, messages: Sequence[Message]) -> Span:
        first = messages[:1]
        head = [m for m in first if isinstance(m, SystemMessage) and COMPACTED not in m.metadata]
        start = min(protected_tail(messages, self.config.keep_recent).start, _pending(messages))
        start = max(start, len(head))
        return Span([*head], list(messages[len(head) : start]), list(messages[start:]))

    def _call(self, context: Conversation, span: Span) -> SummaryCall:
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


def _objection(summary: str, old: Sequence[Message], new: Sequence[Message]) -> str | None:
    """Return why a summary is not used; None when it is."""
    if not summary:
        return "empty_answer"
    return "no_benefit" if estimated_tokens(new) >= estimated_tokens(old) else None


def _pending(messages: Sequence[Message]) -> int:
    """Return the position of the latest answer if a call of it waits for its result, else the end.

    Its results have to find it when they come.
    """
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AssistantMessage):
            called = {call.id for call in message.calls}
            results = (m for m in messages[position:] if isinstance(m, ToolMessage))
            waiting = called - {result.tool_call_id for result in results}
            return position if waiting else len(messages)
    return len(messages)


def _summary_message(context: Conversation, summary: str) -> SystemMessage:
    content = context.wording.budgeted_summary.message(summary)
    return SystemMessage(content=content, metadata={COMPACTED: True})
