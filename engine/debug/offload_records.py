"""What the offloaders leave on disk: their log, the dumps of their rules, the originals.

The log (`message_offloader_debug.jsonl`, `engine.md` §6.4) differs from every other: a line has
neither time nor processor. The other two are documents of their own (§6.5, §6.6).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from engine.debug.records import RecordPart

PassName = Literal["add", "ttl"]
"""`add`: on the way into the buffer; `ttl`: in a window request after a pause."""


class OffloadRecord(RecordPart):
    """One line of the log: the message it is about, then the payload of the subclasses."""

    event: str
    session_id: str
    context_id: str
    role: str | None = None
    tool_call_id: str | None = None
    message_metadata: dict[str, Any] = Field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the record as it stands in the file."""
        return self.model_dump(mode="json")


class OffloadCheck(OffloadRecord):
    """An incoming tool result was small enough."""

    event: Literal["threshold_check"] = "threshold_check"
    pass_name: PassName = "add"
    message_index: int
    """Position in the incoming batch."""
    threshold_tokens: int
    content_tokens: int
    """Tokens of the message as a list of its own."""
    hit: bool = False
    reason: str = "message_below_threshold"


class AddTriggered(OffloadRecord):
    """An incoming tool result is too large; protected ones are not told apart yet."""

    event: Literal["add_message_triggered_offload"] = "add_message_triggered_offload"
    pass_name: PassName = "add"
    message_index: int
    """Position in the incoming batch."""
    threshold_tokens: int
    content_tokens: int
    """Tokens of the message as a list of its own."""
    content_chars: int
    original_content: str


class TtlTriggered(OffloadRecord):
    """A tool result of the buffer is too large after a pause."""

    event: Literal["ttl_message_triggered_offload"] = "ttl_message_triggered_offload"
    pass_name: PassName = "ttl"
    threshold_tokens: int
    max_chars: int
    """Characters that the shortened text may have."""
    content_tokens: int
    content_chars: int
    original_content: str


class RuleTriggered(OffloadRecord):
    """A rule is about to be tried."""

    event: Literal["rule_compression_triggered"] = "rule_compression_triggered"
    pass_name: PassName
    threshold_tokens: int
    max_chars: int
    """Characters that the shortened text may have."""
    original_content: str


class RuleCompleted(OffloadRecord):
    """A rule shortened the message."""

    event: Literal["rule_compression_completed"] = "rule_compression_completed"
    pass_name: PassName
    threshold_tokens: int
    max_chars: int
    original_content: str
    compressed_content: str
    compressed_metadata: dict[str, Any]
    """The message's metadata with what the rule added."""


class MessageOffloaded(OffloadRecord):
    """The original was stored and another message stands in its place."""

    event: Literal["message_offloaded"] = "message_offloaded"
    original_message: str
    """The original as Python shows it."""
    offload_handle: str
    offload_type: str
    offload_path: str | None = None
    """Declared path of the file; null when there is none."""
    offloaded_content: str
    """The content that took the original's place, before it was cut."""


OFFLOAD_RECORDS: dict[str, type[OffloadRecord]] = {
    "threshold_check": OffloadCheck,
    "add_message_triggered_offload": AddTriggered,
    "ttl_message_triggered_offload": TtlTriggered,
    "rule_compression_triggered": RuleTriggered,
    "rule_compression_completed": RuleCompleted,
    "message_offloaded": MessageOffloaded,
}
"""The model of each known `event`; an unknown event is read as a plain `OffloadRecord`."""


class RuleDump(RecordPart):
    """What a rule was given and made of it: `{epoch_ms}_{pass}_{kind}_{tool_call_id}.json`."""

    timestamp: float
    """Epoch seconds."""
    session_id: str
    context_id: str
    tool_call_id: str
    rule_compression_type: str
    rule_compression_pass: PassName
    original_chars: int
    compressed_chars: int
    details: dict[str, Any] = Field(default_factory=dict)
    original_content: str
    compressed_content: str


class OffloadFile(RecordPart):
    """The originals behind one handle: `{processor}_{handle}.json`."""

    offload_handle: str
    messages: list[dict[str, Any]]
    """Chat messages with the engine's metadata."""
