"""What happens to one large tool result: a rule, the store, the cut (`engine.md` §5.8, C, E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.debug.offload_records import (
    MessageOffloaded,
    OffloadRecord,
    PassName,
    RuleCompleted,
    RuleTriggered,
    TtlTriggered,
)
from engine.messages import Message, ToolCall, ToolMessage
from engine.processors.offloaders.marker import cut, marker, preview
from engine.processors.offloaders.originals import keep_in_file, keep_in_memory
from engine.processors.rules.content import ContentKind
from engine.processors.rules.query_terms import query_terms
from engine.processors.rules.router import RuleCompression, compress

if TYPE_CHECKING:
    from engine.context import ModelContext
    from engine.processors.offloaders.message_summary import MessageSummaryOffloader

RULE_TYPE = "rule_compression_type"
"""Metadata key of a tool result that a rule has shortened."""

_DETAILED = frozenset(
    {ContentKind.LOG, ContentKind.GIT_DIFF, ContentKind.SEARCH_RESULTS, ContentKind.HTML}
)
"""Kinds whose figures stand in the metadata."""


@dataclass(frozen=True)
class Limits:
    """A pass and what is large in it."""

    pass_name: PassName
    tokens: int
    """Tokens above which a tool result is large."""
    chars: int
    """Characters that a shortened one may have."""


@dataclass(frozen=True)
class Shortening:
    """One pass of an offloader, message by message."""

    offloader: MessageSummaryOffloader
    context: ModelContext
    limits: Limits
    conversation: Sequence[Message]
    """All messages among which the tool results stand."""

    def shortened(self, message: ToolMessage, call: ToolCall | None) -> ToolMessage:
        """Return what takes a tool result's place; the message itself where nothing does."""
        text = message.text
        if self.limits.pass_name == "ttl":
            self._record(
                TtlTriggered,
                message,
                **self._figures(text),
                content_tokens=self.context.counter.count_messages([message]),
                content_chars=len(text),
            )
            if RULE_TYPE in message.metadata:
                return message
        self._record(RuleTriggered, message, **self._named(text))
        fits = len(text) <= self.limits.chars
        if self.limits.pass_name == "ttl" or not fits:
            made = compress(
                text,
                query_terms(self.conversation, call),
                self.limits.chars,
                self.context.wording.rule_compression_notices,
            )
            if made is not None:
                return self._ruled(message, made)
        if self.limits.pass_name == "ttl" and fits:
            return message
        return self._stored(message, message, preview(text, self.context.wording.offload))

    def _ruled(self, message: ToolMessage, made: RuleCompression) -> ToolMessage:
        """Store the original of a tool result that a rule shortened, and cut what is left."""
        wording = self.context.wording.offload
        text = made.shortened.text
        ruled = message.revised(content=text, metadata=self._metadata(message, made))
        self._record(
            RuleCompleted,
            ruled,
            **self._named(message.text),
            compressed_content=text,
            compressed_metadata=ruled.metadata,
        )
        details = made.shortened.details or {}
        lossy_diff = bool(details.get("should_offload_original"))
        if lossy_diff:
            text += wording.diff_suffix
        stored = self._stored(message, ruled, text)
        if lossy_diff or len(stored.text) <= self.limits.chars:
            return stored
        return stored.revised(content=cut(stored.text, self.limits.chars, wording))

    def _stored(self, original: ToolMessage, source: ToolMessage, text: str) -> ToolMessage:
        """Store an original and return its stand-in; the original itself if that failed.

        A file that cannot be written is no loss: the original then stays in memory. Only a faithful
        replay gives up there, as openJiuwen does.
        """
        context = self.context
        kept = keep_in_file(context, self.offloader.processor_type(), original)
        if kept is None and context.faithful:
            return original
        kept = kept or keep_in_memory(context, original)
        text += marker(kept, context.wording.offload)
        self._record(
            MessageOffloaded,
            source,
            original_message=_shown(original) if self.offloader.config.enable_debug_dump else "",
            offload_handle=kept.handle,
            offload_type=kept.type,
            offload_path=kept.path,
            offloaded_content=text,
        )
        return source.revised(content=text, offload_type=kept.type, offload_handle=kept.handle)

    def _metadata(self, message: ToolMessage, made: RuleCompression) -> dict[str, Any]:
        metadata = {
            **message.metadata,
            "rule_compressed_at": self.context.clock.now(),
            RULE_TYPE: made.kind.value,
            "rule_compression_pass": self.limits.pass_name,
        }
        if made.kind in _DETAILED:
            metadata["rule_compression_details"] = made.shortened.details
        path = self._dump(message, made)
        if path is not None:
            metadata["rule_compression_dump_path"] = path
        return metadata

    def _dump(self, message: ToolMessage, made: RuleCompression) -> str | None:
        config = self.offloader.config
        if not config.enable_debug_dump:
            return None
        return self.context.debug.rule_dump(
            config.debug_dump_dir,
            tool_call_id=message.tool_call_id,
            rule_compression_type=made.kind.value,
            rule_compression_pass=self.limits.pass_name,
            original_chars=len(message.text),
            compressed_chars=len(made.shortened.text),
            details=made.shortened.details or {},
            original_content=message.text,
            compressed_content=made.shortened.text,
        )

    def _figures(self, text: str) -> dict[str, Any]:
        return {
            "threshold_tokens": self.limits.tokens,
            "max_chars": self.limits.chars,
            "original_content": text,
        }

    def _named(self, text: str) -> dict[str, Any]:
        return {"pass_name": self.limits.pass_name, **self._figures(text)}

    def _record(self, kind: type[OffloadRecord], message: ToolMessage, **payload: Any) -> None:
        config = self.offloader.config
        if config.enable_debug_dump:
            self.context.debug.offload(kind, message, config.debug_dump_dir, **payload)


def _shown(message: ToolMessage) -> str:
    """Return a message as openJiuwen's log shows it."""
    return (
        f"role={message.role!r} content={message.content!r} name={message.name!r} "
        f"metadata={message.metadata!r} tool_call_id={message.tool_call_id!r}"
    )
