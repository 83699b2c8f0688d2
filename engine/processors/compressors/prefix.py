"""What the three prefix compressors share: when they fire, and what they do then.

The trigger (`engine.md` §5.3) tests in a fixed order: a model, the threshold, a span, its size. The
procedure asks the model for a summary of the target, puts it in the target's place as one user
message, adds what the agent must not lose, and keeps the result only if it is smaller than what was
there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

from pydantic import Field, model_validator

from engine.conversation import Conversation
from engine.debug.directories import DebugSetting
from engine.debug.records import SpanBuilt, SpanMessage
from engine.messages import Message, UserMessage
from engine.operation import current_operation
from engine.processors.base import BELOW, REACHED, ContextEvent, ProcessorConfig
from engine.processors.compressors.archiving import archived
from engine.processors.compressors.attempt import Attempt, GaveUp
from engine.processors.compressors.dump import compression_dump, compression_usage
from engine.processors.compressors.summary import SummarizingProcessor, extracted_summary
from engine.processors.reinjection import recovered_message
from engine.processors.spans import Span
from engine.window import ContextWindow
from engine.wording import BlockKind

PREVIEW_CHARS = 200

_MISPLACED = ("enable_recall", "recall_chunk_overlap_tokens", "recall_chunk_size_tokens")


class PrefixCompressorConfig(ProcessorConfig):
    """Settings that all prefix compressors have."""

    trigger_context_ratio: float = Field(0.8, gt=0, lt=1)
    """Share of the capacity at which the compressor acts."""
    min_target_context_ratio: float = Field(0.1, ge=0, lt=1)
    """Share of the capacity that a span must hold to be worth a model call."""
    model: str | None = "default"
    """Model that writes the summary; without one the compressor is inert and leaves no record."""
    enable_compression_dump: bool = False
    """Write debug records and a dump of each compression."""
    compression_dump_dir: str | None = None
    """Directory of both; may hold `{session_id}` and `{context_id}`."""
    enable_kv_cache_affinity: bool = False
    """Give the model calls a cache key of their own; decides nothing."""

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write records and dumps."""
        return DebugSetting(self.enable_compression_dump, self.compression_dump_dir)

    @model_validator(mode="before")
    @classmethod
    def _recall_is_not_set_here(cls, data: object) -> object:
        misplaced = [name for name in _MISPLACED if isinstance(data, dict) and name in data]
        if misplaced:
            raise ValueError(
                f"{', '.join(misplaced)}: recall is set in "
                "ContextEngineConfig.compression_recall_config, not in a compressor"
            )
        return data


ConfigT = TypeVar("ConfigT", bound=PrefixCompressorConfig)


class PrefixCompressor(SummarizingProcessor[ConfigT]):
    """A compressor that replaces a contiguous span by a memory block."""

    kind: ClassVar[BlockKind]
    """Which memory block and prompt it uses."""
    reinjected: ClassVar[frozenset[str]]
    """Builders whose state is put back after the memory block."""

    @abstractmethod
    def split(self, messages: Sequence[Message]) -> Span:
        """Return the parts of a window's context messages."""

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether the window is full enough and holds a span worth compressing."""
        if self.is_inert(context, self.config.model):
            return False
        total = context.window_tokens(window)
        threshold = context.capacity.share(self.config.trigger_context_ratio)
        check = partial(self.check, context, total, threshold)
        if total < threshold:
            return check(BELOW)
        target = self.split(window.context_messages).target
        if not target:
            return check("no_compressible_span")
        tokens = context.counter.count_messages(target)
        least = int(context.capacity.tokens * self.config.min_target_context_ratio)
        if tokens < least:
            return check("target_below_min", target_tokens=tokens, min_target_tokens=least)
        return check(REACHED, target_tokens=tokens)

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Replace the window's target, and the buffer with it; or give up and change nothing."""
        original = window.context_messages
        span = self.split(original)
        if self.is_inert(context, self.config.model):
            return None, window
        if not span.target:
            self.decline_without_span(context)
            return None, window
        self.record(context, partial(_span_built, span))
        prompt, affine = self._prompt(context), self.config.enable_kv_cache_affinity
        attempt = Attempt(self, self.kind, context, window, span, prompt, affine=affine)
        try:
            answer = await attempt.ask()
            raw = answer.content or ""
            summary = extracted_summary(raw)
            if not summary:
                raise GaveUp("empty_answer")
            new = await self._compacted(attempt, summary)
        except GaveUp as reason:
            attempt.close("gave_up", str(reason))
            return None, window
        after = window.context_messages = context.set_messages(new)
        attempt.close("compressed")
        usage = compression_usage(answer)
        context.debug.dump(
            self.processor_type(),
            self.config.debug,
            lambda now: compression_dump(attempt, summary, raw, usage, after, now),
        )
        block = after[len(attempt.span.prefix)].text
        return (
            ContextEvent(self.processor_type(), range(len(original)), block, usage),
            window,
        )

    def _prompt(self, context: Conversation) -> str:
        operation = current_operation()
        kept = context.wording.preserve_instruction(
            operation.preserve_instruction if operation else ""
        )
        prompt = context.wording.block(self.kind).prompt
        return prompt.rstrip() + kept if kept else prompt

    async def _compacted(self, attempt: Attempt, summary: str) -> list[Message]:
        """Return the messages that take the window's place.

        Raises:
            GaveUp: they are no fewer tokens than those that were there.
        """
        context, span = attempt.context, attempt.span
        async with archived(context, self.processor_type(), span) as archive:
            memory_id = archive.memory_id if archive else None
            block = context.wording.memory_block(self.kind, summary, memory_id)
            kept = [*span.prefix, memory := UserMessage(content=block), *span.tail]
            original = attempt.window.context_messages
            recovered = recovered_message(context, self.reinjected, original, kept)
            new = [*span.prefix, memory, *([recovered] if recovered else []), *span.tail]
            after = attempt.measure(new)
            if attempt.before and after >= attempt.before:
                raise GaveUp("no_benefit")
            return new


def _span_built(span: Span, **head: Any) -> SpanBuilt:
    return SpanBuilt(
        **head,
        preserved_prefix=_listed(span.prefix),
        messages_to_compress=_listed(span.target),
        protected_tail=_listed(span.tail),
    )


def _listed(messages: Sequence[Message]) -> list[SpanMessage]:
    listed = []
    for idx, message in enumerate(messages):
        text = str(message.content or "")
        listed.append(
            SpanMessage(
                idx=idx,
                role=message.role,
                tokens=max(len(text) // 3, 1),
                preview=text[:PREVIEW_CHARS],
            )
        )
    return listed
