"""What happens to one large tool result: a rule, the store, the cut (`engine.md` §5.8, C, E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.conversation import Conversation
from engine.debug.offload_records import (
    MessageOffloaded,
    OffloadRecord,
    PassName,
    RuleCompleted,
    RuleTriggered,
    TtlTriggered,
)
from engine.debug.records import End, TestedGate
from engine.messages import Message, ToolCall, ToolMessage
from engine.processors.base import ContextProcessor
from engine.processors.offloaders.marker import cut, marker, preview
from engine.processors.offloaders.originals import keep_in_file, keep_in_memory
from engine.processors.rules.content import ContentKind
from engine.processors.rules.query_terms import query_terms
from engine.processors.rules.router import RuleCompression, compress

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


class _Made(NamedTuple):
    """What became of a tool result."""

    message: ToolMessage
    outcome: End
    reason: str | None = None
    gates: Sequence[TestedGate] = ()


@dataclass(frozen=True)
class Shortening:
    """One pass of an offloader, message by message."""

    offloader: ContextProcessor[Any]
    context: Conversation
    limits: Limits
    conversation: Sequence[Message]
    """All messages among which the tool results stand."""
    gates: Sequence[TestedGate] = ()
    """The tests that led to the pass."""

    def decline(self, message: ToolMessage, reason: str) -> None:
        """Record that a large tool result stays as it is, whatever could be saved."""
        tests = [TestedGate.of("protected", False)]
        if self.limits.pass_name == "ttl":
            tokens = self.context.counter.count_messages([message])
            tests.insert(0, TestedGate.of("size", True, tokens, self.limits.tokens, "tokens"))
        self._end(message, _Made(message, "declined", reason, tests))

    def shortened(self, message: ToolMessage, call: ToolCall | None) -> ToolMessage:
        """Return what takes a tool result's place; the message itself where nothing does."""
        started = self.context.clock.now()
        made = self._made(message, call)
        self._end(message, made, round(self.context.clock.now() - started, 3))
        return made.message

    def _end(self, message: ToolMessage, made: _Made, seconds: float | None = None) -> None:
        self.offloader.end(
            self.context,
            made.outcome,
            made.reason,
            gates=[*self.gates, *made.gates],
            tool_call_id=message.tool_call_id,
            before=[message],
            after=[] if made.message is message else [made.message],
            seconds=seconds,
        )

    def _made(self, message: ToolMessage, call: ToolCall | None) -> _Made:
        text, adding = message.text, self.limits.pass_name == "add"
        if not adding:
            self._record(
                TtlTriggered,
                message,
                **self._facts(text),
                content_tokens=self.context.counter.count_messages([message]),
                content_chars=len(text),
            )
            if RULE_TYPE in message.metadata:
                already = TestedGate.of("protected", False)
                return _Made(message, "declined", "already_shortened", [already])
        self._record(RuleTriggered, message, **self._facts(text))
        allowed = TestedGate.of("protected", True)
        fits = len(text) <= self.limits.chars
        if adding and fits:
            return self._previewed(message, [allowed])
        ruled = self._rule(text, call)
        if ruled is not None:
            return self._ruled(message, ruled, allowed)
        tests = [allowed, TestedGate.of("rule", False)]
        if fits:
            return _Made(message, "declined", "nothing_to_save", tests)
        return self._previewed(message, tests)

    def _rule(self, text: str, call: ToolCall | None) -> RuleCompression | None:
        """Return what the rule of its kind makes of a tool result's text."""
        terms = query_terms(self.conversation, call)
        notices = self.context.wording.rule_compression_notices
        return compress(text, terms, self.limits.chars, notices)

    def _previewed(self, message: ToolMessage, tests: list[TestedGate]) -> _Made:
        """Store the original of a tool result and leave its ends."""
        ends = preview(message.text, self.context.wording.offload)
        return _written(message, self._stored(message, message, ends), tests)

    def _ruled(self, message: ToolMessage, made: RuleCompression, allowed: TestedGate) -> _Made:
        """Store the original of a tool result that a rule shortened, and cut what is left."""
        wording = self.context.wording.offload
        text = made.shortened.text
        ruled = message.revised(content=text, metadata=self._metadata(message, made))
        self._record(
            RuleCompleted,
            ruled,
            **self._facts(message.text),
            compressed_content=text,
            compressed_metadata=ruled.metadata,
        )
        rule = TestedGate.of("rule", True, len(text), len(message.text), "characters")
        details = made.shortened.details or {}
        lossy_diff = bool(details.get("should_offload_original"))
        if lossy_diff:
            text += wording.diff_suffix
        stored = self._stored(message, ruled, text)
        result = _written(message, stored, [allowed, rule])
        if lossy_diff or len(result.message.text) <= self.limits.chars:
            return result
        short = cut(result.message.text, self.limits.chars, wording)
        outcome: End = "cut" if stored is None else "offloaded"
        return result._replace(message=result.message.revised(content=short), outcome=outcome)

    def _stored(self, original: ToolMessage, source: ToolMessage, text: str) -> ToolMessage | None:
        """Store an original and return its stand-in; None if that failed.

        A file that cannot be written is no loss: the original then stays in memory. Only a faithful
        replay gives up there, as openJiuwen does.
        """
        context = self.context
        kept = keep_in_file(context, self.offloader.processor_type(), original)
        if kept is None and context.faithful:
            return None
        kept = kept or keep_in_memory(context, original)
        text += marker(kept, context.wording.offload)
        self._record(
            MessageOffloaded,
            source,
            original_message=_shown(original) if self.offloader.config.debug.enabled else "",
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
        return self.context.debug.rule_dump(
            self.offloader.config.debug,
            tool_call_id=message.tool_call_id,
            rule_compression_type=made.kind.value,
            rule_compression_pass=self.limits.pass_name,
            original_chars=len(message.text),
            compressed_chars=len(made.shortened.text),
            details=made.shortened.details or {},
            original_content=message.text,
            compressed_content=made.shortened.text,
        )

    def _facts(self, text: str) -> dict[str, Any]:
        """Return what each record of the pass tells of a tool result."""
        return {
            "pass_name": self.limits.pass_name,
            "threshold_tokens": self.limits.tokens,
            "max_chars": self.limits.chars,
            "original_content": text,
        }

    def _record(self, kind: type[OffloadRecord], message: ToolMessage, **payload: Any) -> None:
        self.context.debug.offload(kind, message, self.offloader.config.debug, **payload)


def _written(original: ToolMessage, stored: ToolMessage | None, tests: list[TestedGate]) -> _Made:
    """Return what came of storing an original: its stand-in, or the original itself."""
    gates = [*tests, TestedGate.of("write", stored is not None)]
    if stored is None:
        return _Made(original, "gave_up", "write_failed", gates)
    return _Made(stored, "offloaded", None, gates)


def _shown(message: ToolMessage) -> str:
    """Return a message as openJiuwen's log shows it."""
    return (
        f"role={message.role!r} content={message.content!r} name={message.name!r} "
        f"metadata={message.metadata!r} tool_call_id={message.tool_call_id!r}"
    )
