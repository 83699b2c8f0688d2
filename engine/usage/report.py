"""What a usage report holds (`engine.md` §3.8)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MEASUREMENT_VERSION = "1"
SCHEMA_VERSION = "context-usage.v1"

Category = Literal["system_prompt", "skills", "tools", "messages"]
CATEGORIES: tuple[Category, ...] = ("system_prompt", "skills", "tools", "messages")

Source = Literal[
    "measured", "not_reported", "provider_usage_proportional", "provider_usage_residual"
]
"""Where a figure comes from: counted, unknown, or counted and brought to the provider's total."""

Phase = Literal["pre_call", "post_call", "post_compact"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Attribution(_Part):
    """Whose window it is; all of it is for the reader, none is looked at."""

    product_session_id: str | None = None
    execution_session_id: str | None = None
    context_owner_id: str | None = None
    agent_id: str | None = None
    team_id: str | None = None
    member_name: str | None = None
    invocation_id: str | None = None
    parent_invocation_id: str | None = None
    delegation_id: str | None = None
    agent_path: str | None = None
    depth: int | None = None
    cache_identity: str | None = None
    parent_cache_identity: str | None = None
    cache_mode: str | None = None
    cache_scope: str | None = None


class PromptSection(_Part):
    """A part of the system prompt, as the agent put it together."""

    category: Literal["system_prompt", "memory", "skills", "tools", "messages"]
    text: str
    carrier: str = "system"
    """What carries it: `system`, or a message's role."""


class UsagePart(_Part):
    """One entry of a report."""

    category: Category
    tokens: int
    percentage_of_window: float
    """Of the capacity, 0 to 100."""
    percentage_of_input: float
    """Of all that is sent, 0 to 100."""
    estimated: bool
    tokenizer: str
    carrier: str
    source: Source
    measurement_source: str
    fallback_reason: str | None = None
    fallback_tokenizer_model: str | None = None
    order: int
    stable_id: str
    """The same for the same text in the same place."""


class WindowUsage(_Part):
    """The window as a whole."""

    limit_tokens: int
    input_tokens: int
    occupancy_rate: float
    """Share of the limit, from 0."""
    tokens_source: Literal["provider", "local"]
    local_estimated_input_tokens: int
    reconciliation_delta_tokens: int
    """Provider's total less the count made here; 0 without a provider's total."""
    context_snapshot_id: str


class UsageMeasurement(_Part):
    """How the figures were made."""

    category_source: Source
    total_source: Literal["provider", "local"]
    tokenizer: str
    estimated: bool
    authoritative_total: bool
    measurement_version: str = MEASUREMENT_VERSION
    context_snapshot_id: str


class ContextChanges(_Part):
    """What is different from the report before."""

    message_event: str
    """Last thing that happened to the buffer: `initial`, `append`, `compress`, …"""
    system_prompt_changed: bool = False
    skills_changed: bool = False
    attachments_changed: bool = False
    tools_changed: bool = False
    stable_prefix_changed: bool = False
    """Whether anything changed that stands before the messages."""


class MeasurementCache(_Part):
    """How much of the counting was new."""

    hit: bool
    reused_parts: int
    recomputed_parts: int
    message_revision: int
    measurement_version: str = MEASUREMENT_VERSION


class ComponentSignatures(_Part):
    """SHA-256 of each component, in hex."""

    system_prompt: str
    skills: str
    attachments: str
    tools: str
    messages: str


class ContextWindowTokenReport(Attribution):
    """What a window holds, in tokens."""

    context_snapshot_id: str
    context_id: str
    session_id: str
    message_revision: int
    prompt_revision: int
    skills_revision: int
    attachment_revision: int
    tools_signature: str
    tokenizer_identity: str
    measurement_version: str = MEASUREMENT_VERSION
    component_signatures: ComponentSignatures
    context_window: WindowUsage
    parts: dict[str, UsagePart]
    context_stats: dict[str, int] = Field(default_factory=dict)
    """The window's statistic."""
    measurement: UsageMeasurement
    context_changes: ContextChanges
    measurement_cache: MeasurementCache

    def tokens_of(self, category: Category) -> int:
        """Return the tokens of all parts of a category."""
        return sum(part.tokens for part in self.parts.values() if part.category == category)


class UsageSnapshot(_Part):
    """A report at one moment, as it is handed to whoever listens."""

    type: Literal["context.usage"] = "context.usage"
    schema_version: str = SCHEMA_VERSION
    phase: Phase
    report: ContextWindowTokenReport
