"""The dump of a compression, in the original's schema (`engine.md` §6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.debug.records import (
    CompressionDump,
    DumpAfter,
    DumpBefore,
    DumpBenefit,
    DumpRequest,
    DumpResponse,
    DumpTrigger,
)
from engine.messages import MESSAGE_ID, USAGE_STALE, Message
from engine.processors.compressors.attempt import Attempt
from engine.summarizers.call import SummaryAnswer


def compression_usage(answer: SummaryAnswer) -> dict[str, Any] | None:
    """Return what the provider reported for the call that worked, as events and dumps carry it."""
    usage = answer.usage
    if usage is None:
        return None
    return {
        "calls": 1,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "cache_tokens": usage.cache_tokens,
        "input_cost": 0.0,
        "output_cost": 0.0,
        "total_cost": 0.0,
        "model_name": usage.model_name,
        "details": [usage.model_dump(mode="json")],
    }


def compression_dump(
    attempt: Attempt,
    summary: str,
    raw: str,
    usage: Mapping[str, Any] | None,
    messages: Sequence[Message],
    timestamp: float,
) -> CompressionDump:
    """Return the dump of an attempt that worked.

    Args:
        attempt: the attempt, with its final span.
        summary: the summary as it was used.
        raw: the model's whole answer.
        usage: the provider's numbers, if any.
        messages: the context messages that resulted.
        timestamp: epoch seconds.
    """
    context, before, after = attempt.context, _chat(attempt.original), attempt.after or 0
    return CompressionDump(
        processor_type=attempt.compressor.processor_type(),
        session_id=context.session.session_id,
        context_id=context.context_id,
        trigger=DumpTrigger(
            context_max=context.capacity.tokens,
            total_tokens_before=attempt.before,
            target_tokens=context.counter.count_messages(attempt.span.target),
        ),
        span=attempt.span.counts,
        compression_request=_request(attempt, before),
        compression_response=DumpResponse(
            raw_content=raw, extracted_summary=summary, usage=dict(usage) if usage else None
        ),
        context_after=DumpAfter(messages=_chat(messages), total_tokens_after=after),
        benefit=_benefit(attempt.before, after),
        context_before=DumpBefore(messages=[_as_it_was(m, attempt) for m in before]),
        timestamp=timestamp,
    )


def _request(attempt: Attempt, before: Sequence[dict[str, Any]]) -> DumpRequest:
    """Return the last call: system messages, then those of `before` that were sent, and the prompt.

    What it sent of the context are the first messages of `before`, in the same words.
    """
    sent, system = attempt.calls[-1].messages, len(attempt.window.system_messages)
    kept = len(sent) - system - 1
    return DumpRequest(
        prompt=attempt.prompt.text,
        exclude_recent_messages=len(attempt.span.tail),
        system_messages_count=system,
        tools_count=len(attempt.window.tools),
        tools=[tool.model_dump(mode="json") for tool in attempt.window.tools],
        messages_sent_to_model=[*_chat(sent[:system]), *before[:kept], attempt.prompt.to_chat()],
    )


def _benefit(before: int, after: int) -> DumpBenefit:
    reduction = max(before - after, 0)
    return DumpBenefit(
        tokens_before=before,
        tokens_after=after,
        reduction=reduction,
        reduction_ratio=round(reduction / before, 4) if before else 0.0,
    )


def _chat(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [message.to_chat() for message in messages]


def _as_it_was(chat: dict[str, Any], attempt: Attempt) -> dict[str, Any]:
    """Return a message without the mark that the compression itself put on its usage."""
    metadata = chat.get("metadata", {})
    if USAGE_STALE not in metadata or metadata.get(MESSAGE_ID) not in attempt.current_usage:
        return chat
    return {**chat, "metadata": {k: v for k, v in metadata.items() if k != USAGE_STALE}}
