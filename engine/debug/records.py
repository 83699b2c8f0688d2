"""Every record that the engine leaves on disk, defined once.

The engine writes these models, the inspector reads them. A model lists the keys whose meaning is
known; whatever else a record holds is kept (`extra="allow"`), so a newer writer loses nothing here.
The format is the one of openJiuwen agent-core 0.1.19.post2: one JSON object a line in
`{processor}.jsonl`, and one JSON document for each compression. The record `outcome` and the key
`context_before` of a dump are this engine's own additions, which the original's readers ignore.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

End = Literal[
    "compressed",
    "declined",
    "gave_up",
    "offloaded",
    "cut",
    "folded",
    "materialised",
    "update_started",
    "notes_updated",
    "notes_unchanged",
    "skipped",
]
"""How a processor's turn can end."""


class RecordPart(BaseModel):
    """A record, or a part of one; what it holds besides its fields is kept."""

    model_config = ConfigDict(extra="allow", frozen=True)


class DebugRecord(RecordPart):
    """Common head of a JSONL record; the payload follows in the subclasses, in this order."""

    timestamp: float
    """Epoch seconds at which the record was written."""
    event: str
    processor: str
    session_id: str
    context_id: str

    def to_json(self) -> dict[str, Any]:
        """Return the record as it stands in the file: head first, keys without a value left out."""
        return self.model_dump(mode="json", exclude_none=True)


class ThresholdCheck(DebugRecord):
    """A processor compared the window with its threshold."""

    event: Literal["threshold_check"] = "threshold_check"
    phase: str
    total_tokens: int
    """Tokens of the whole window as the processor counts them: usage plus tail, or the counter."""
    context_max: int
    """Capacity in tokens."""
    threshold: int
    """`max(int(capacity * ratio), 1)`, in tokens."""
    hit: bool
    reason: str
    target_tokens: int | None = None
    """Tokens of the span to compress, where the check came that far."""
    min_target_tokens: int | None = None
    """The least that a span must hold, with reason `target_below_min` only."""


class SpanMessage(RecordPart):
    """One message of a span list; `idx` restarts at 0 in each list."""

    idx: int
    role: str
    tokens: int
    """`max(len(str(content)) // 3, 1)`: content only, so these do not sum to `target_tokens`."""
    preview: str
    """The first 200 characters of the content."""


class SpanBuilt(DebugRecord):
    """The window was split; a model call follows."""

    event: Literal["span_built"] = "span_built"
    phase: str = "get_context_window"
    preserved_prefix: list[SpanMessage]
    messages_to_compress: list[SpanMessage]
    protected_tail: list[SpanMessage]


class CompressionRetry(DebugRecord):
    """A model call failed and was repeated, with less to compress or after a pause, or given up."""

    event: Literal["compression_retry"] = "compression_retry"
    attempt: int
    """From 1; overflows and transient errors are counted apart."""
    error_type: str
    """`context_overflow` or `transient:<kind>`."""
    error_message: str
    retried: bool
    reason: str
    """`budget_ratio_shrink`, `no_smaller_span`, `retry_budget_exhausted` or `transient_backoff`."""
    budget_ratio: float | None = None
    """Share of the capacity that the next call may fill, with `budget_ratio_shrink` only."""
    delay_seconds: float | None = None


class TestedGate(RecordPart):
    """One test on the way to an end, with what was measured."""

    gate: str
    passed: bool
    value: int | float | None = None
    limit: int | float | None = None
    unit: str | None = None
    """Of both: `tokens`, `messages`, `characters`, `rounds` or `seconds`."""

    @classmethod
    def of(
        cls,
        gate: str,
        passed: bool,
        value: int | float | None = None,
        limit: int | float | None = None,
        unit: str | None = None,
    ) -> Self:
        """Return a test of this name."""
        return cls(gate=gate, passed=passed, value=value, limit=limit, unit=unit)


class Outcome(DebugRecord):
    """How a processor's turn ended: what the original leaves to be inferred. This engine's own.

    A check that was not passed states its own end, and no `Outcome` repeats it. Every other end has
    one: of a whole turn or, with a `tool_call_id`, of what became of one tool result.
    """

    event: Literal["outcome"] = "outcome"
    phase: str
    """That of the turn; of the notes' updates `should_update` or, once one runs, `update`."""
    outcome: End
    reason: str | None = None
    """Why nothing came of it; null when it worked."""
    error: str | None = None
    """Text of the exception that ended it."""
    gates: list[TestedGate] = Field(default_factory=list)
    """The tests that no other record states, in order."""
    tool_call_id: str | None = None
    """The tool result it is about; null when it is about the turn."""
    before_tokens: int | None = None
    """Tokens of the context messages before, counted as one list; or of the one tool result."""
    after_tokens: int | None = None
    """Tokens of what resulted or, with `no_benefit`, would have resulted."""
    replaced: list[dict[str, Any]] | None = None
    """The messages that went, where no other file keeps them."""
    replacement: list[dict[str, Any]] | None = None
    """Those that came in their place; one with the `context_message_id` of another is it, changed.
    """
    seconds: float | None = None
    """How long it took."""
    span: SpanCounts | None = None
    """Of a compressor: the final span, after every shrink."""
    model_calls: int = 0
    error_kind: str | None = None
    """Class of the last failed model call, if any."""
    summarizers: list[str] = Field(default_factory=list)
    """Who answered each model call: `recorded`, `extractive`, …"""

    def to_json(self) -> dict[str, Any]:
        """Return the record as it stands in the file: keys that say nothing are left out."""
        return {key: value for key, value in super().to_json().items() if value != []}


class PreCall(DebugRecord):
    """The agent's own model call, with the window that was sent."""

    event: Literal["pre_call"] = "pre_call"
    request_id: str | None = None
    sequence: int | None = None
    """Which of the agent's calls it is."""
    model: str | None = None
    provider: str | None = None
    context_window_tokens: int | None = None
    """Capacity in tokens."""
    message_count: int = 0
    system_message_count: int | None = None
    context_message_count: int | None = None
    tool_count: int = 0
    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    statistic: dict[str, Any] | None = None
    usage_report: dict[str, Any] | None = None


class DumpTrigger(RecordPart):
    """What was measured before the compression, over the context messages only."""

    context_max: int
    total_tokens_before: int
    target_tokens: int


class SpanCounts(RecordPart):
    """Messages in each part of the final span."""

    preserved_prefix_count: int
    messages_to_compress_count: int
    protected_tail_count: int


class DumpRequest(RecordPart):
    """The call to the model that writes the summary."""

    prompt: str
    exclude_recent_messages: int
    """Length of the protected tail, which was not sent."""
    system_messages_count: int
    tools_count: int
    tools: list[dict[str, Any]] = Field(default_factory=list)
    messages_sent_to_model: list[dict[str, Any]] = Field(default_factory=list)
    """System messages, kept context messages, and the prompt as last user message."""


class DumpResponse(RecordPart):
    """The answer, raw and as it was used."""

    raw_content: str
    extracted_summary: str
    usage: dict[str, Any] | None = None


class DumpAfter(RecordPart):
    """The context messages that took the old ones' place."""

    messages: list[dict[str, Any]] = Field(default_factory=list)
    total_tokens_after: int


class DumpBefore(RecordPart):
    """The context messages that were there before. This engine's own."""

    messages: list[dict[str, Any]] = Field(default_factory=list)


class DumpBenefit(RecordPart):
    """Token counts of the context messages before and after."""

    tokens_before: int
    tokens_after: int
    reduction: int
    """Tokens saved, at least 0."""
    reduction_ratio: float
    """Share of the tokens before."""


class CompressionDump(RecordPart):
    """One compression that replaced the context: `{epoch_ms}_{processor}_{session}.json`."""

    processor_type: str
    session_id: str
    context_id: str
    trigger: DumpTrigger
    span: SpanCounts
    compression_request: DumpRequest
    compression_response: DumpResponse
    context_after: DumpAfter
    benefit: DumpBenefit
    context_before: DumpBefore | None = None
    """None in what the original wrote."""
    timestamp: float
    """Epoch seconds."""
