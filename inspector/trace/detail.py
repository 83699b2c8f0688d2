"""What a person sees of one decision: messages, spans, windows, summary, request, raw records.

Plain frozen structs, built on demand for the selected decision from the files
(`ContextTrace.detail`) or from a replay report. The window paints them and computes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from inspector.trace.evidence.archives import RecallView
from inspector.trace.evidence.markers import Payload
from inspector.trace.evidence.raw_records import RawRecord
from inspector.trace.evidence.recalls import Recall

Zone = Literal["prefix", "compress", "tail", "outside"]
"""Part of the span a message is in; `outside`: before the split, for want of a real user."""

Fate = Literal[
    "kept", "summarised", "offloaded", "folded", "re-injected", "dropped", "written", "added"
]
"""What became of a message; `written`: put in by the engine (memory block, recovered context);
`added`: new in the conversation since the request before."""

Evidence = Literal["recorded", "reconstructed", "verified", "missing"]
"""Where a window comes from; `verified`: rebuilt, and its token count equals the recorded one."""


@dataclass(frozen=True)
class ToolTie:
    """A tool call and its results within one window, by message position."""

    call_id: str
    name: str
    call: int | None
    """Position of the assistant message; None when the call is not in the window."""
    results: tuple[int, ...]
    """Positions of the tool messages; empty when unanswered."""


@dataclass(frozen=True)
class TraceMessage:
    """One message of a window."""

    position: int
    """0-based position within the window's context messages; -1 for system messages."""
    role: str
    content: str | list[Any]
    """Full content, or the recorded preview where the files hold no more (`partial`)."""
    tokens: int
    """Tokens by the window's method; an estimate where `estimated`."""
    estimated: bool = True
    partial: bool = False
    message_id: str | None = None
    name: str | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    """Nested OpenAI form."""
    tool_call_id: str | None = None


@dataclass(frozen=True)
class SpanView:
    """The split of a window, drawn over its messages."""

    messages: tuple[TraceMessage, ...]
    zones: tuple[Zone, ...]
    """One per message."""
    ties: tuple[ToolTie, ...]
    wanted_tail: int | None = None
    """Messages the tail would have held without tool ties; None when unknown."""
    moved_by: tuple[ToolTie, ...] = ()
    """The ties that pulled the boundary, in the order in which they did."""
    shrunk_from: int | None = None
    """Length of the first span to compress, where overflows shrank it."""
    evidence: Evidence = "recorded"


@dataclass(frozen=True)
class WindowRow:
    """One line of the aligned windows; at least one side is set."""

    before: TraceMessage | None
    after: TraceMessage | None
    fate: Fate
    changed: bool = False
    """Both sides are the same message with another content."""


@dataclass(frozen=True)
class WindowDiff:
    """The context messages before and after, aligned message by message."""

    rows: tuple[WindowRow, ...]
    tokens_before: int | None
    tokens_after: int | None
    evidence_before: Evidence
    evidence_after: Evidence


@dataclass(frozen=True)
class SummarySection:
    """A section of the summary, by its heading ("" for text before the first one)."""

    heading: str
    text: str


@dataclass(frozen=True)
class SummaryView:
    """What the model answered and what was used of it."""

    raw: str
    extracted: str
    coverage: str
    """Inner text of the coverage check; not part of the summary, "" when absent."""
    sections: tuple[SummarySection, ...]
    usage: dict[str, Any] | None = None
    snapshot_missing: bool = False
    """The answer has no closed snapshot, so all of it was taken as the summary."""


@dataclass(frozen=True)
class RequestView:
    """The call to the model that writes a summary or edits the notes, as it was recorded."""

    messages: tuple[TraceMessage, ...]
    """Without the prompt."""
    prompt: str
    system_count: int
    tools: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class RuleView:
    """A tool result and what a rule made of it."""

    rule: str
    """Kind of content: `LOG`, `JSON_ARRAY`, …"""
    original: str
    result: str
    details: dict[str, Any]
    """The rule's own figures."""
    cut: bool = False
    """The result was then cut to the characters allowed, so it did not stand like this."""


@dataclass(frozen=True)
class StoredView:
    """A marker that a message holds, and what it names."""

    payload: Payload
    call_id: str | None = None
    """The tool call whose result it stands for, where that is known without its file."""
    message: int | None = None
    """Position of the message in the window."""
    originals: tuple[TraceMessage, ...] = ()
    """The messages in its file."""
    recalls: tuple[Recall, ...] = ()
    """When the agent's model asked to have it back."""
    again: str | None = None
    """Handle under which it was stored again when it had come back."""


@dataclass(frozen=True)
class NotesVersion:
    """The session's notes as they were at one time."""

    label: str
    text: str
    time: float | None = None
    """Epoch seconds, where a file tells it."""
    path: str | None = None


@dataclass(frozen=True)
class Detail:
    """All there is to see about one decision; what the files do not hold is None or empty."""

    span: SpanView | None = None
    windows: WindowDiff | None = None
    summary: SummaryView | None = None
    request: RequestView | None = None
    records: tuple[RawRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about what is missing and why."""
    rule: RuleView | None = None
    stored: tuple[StoredView, ...] = ()
    """Every marker in the window, in order."""
    handles: tuple[StoredView, ...] = ()
    """With an offloader's decision: every original that the context's offloaders stored."""
    recall: RecallView | None = None
    versions: tuple[NotesVersion, ...] = ()
    """The session's notes over time, oldest first."""
    changes: WindowDiff | None = None
    """The agent's own request of this step beside the one before."""
