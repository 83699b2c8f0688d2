"""State events: what each processor run looked like from outside (`engine.md` §4.5)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from engine.operation import Phase
from engine.window import ContextStats

Status = Literal["started", "completed", "noop", "skipped", "failed"]
SkipReason = Literal["busy", "no_matching_processor"]


class Metric(BaseModel):
    """Size of the context messages at one moment."""

    model_config = ConfigDict(frozen=True)

    time: str
    """Local time, ISO 8601 with milliseconds."""
    messages: int
    tokens: int
    context_percent: int
    """Share of the capacity, 0 to 100."""


class Saved(BaseModel):
    """What a run saved; negative when the context grew."""

    model_config = ConfigDict(frozen=True)

    messages: int
    tokens: int
    percent: float
    """Of the tokens before, 0 to 100 where the context did not grow."""


class ContextCompressionState(BaseModel):
    """One event of a processor run."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    type: Literal["context.compression_state"] = "context.compression_state"
    operation_id: str
    status: Status
    phase: Phase
    processor: str
    before: Metric
    after: Metric | None = None
    """None with `started` and `skipped`."""
    statistic: ContextStats | None = None
    saved: Saved | None = None
    compression_usage: dict[str, Any] | None = None
    duration_ms: int = 0
    context_max: int
    """Capacity in tokens."""
    summary: str
    """The event in one line, for people."""
    compact_summary: str | None = None
    """The summary that took the messages' place, if one did."""
    error: str | None = None


def metric(time: float, messages: int, tokens: int, capacity: int) -> Metric:
    """Return the metric of so many messages and tokens at `time` (epoch seconds)."""
    percent = round(tokens / capacity * 100) if capacity else 0
    return Metric(
        time=datetime.fromtimestamp(time).astimezone().isoformat(timespec="milliseconds"),
        messages=messages,
        tokens=tokens,
        context_percent=min(max(percent, 0), 100),
    )


def saving(before: Metric, after: Metric) -> Saved:
    """Return what lies between two metrics."""
    tokens = before.tokens - after.tokens
    return Saved(
        messages=before.messages - after.messages,
        tokens=tokens,
        percent=round(tokens / before.tokens * 100, 1) if before.tokens else 0.0,
    )


def skipped_state(
    before: Metric, statistic: ContextStats, capacity: int, reason: SkipReason
) -> ContextCompressionState:
    """Return the event of a compression on demand that no processor got to see."""
    return ContextCompressionState(
        operation_id=uuid4().hex,
        status="skipped",
        phase="active_compress",
        processor="",
        before=before,
        statistic=statistic,
        context_max=capacity,
        summary=f"Context processor skipped: {reason}",
    )


def summary_text(status: Status, before: Metric, after: Metric | None, modified: int = 0) -> str:
    """Return the event in one line."""
    if status == "started" or after is None:
        return f"Compressing {before.messages} messages, ~{short(before.tokens)} tokens"
    if status == "failed":
        return f"Context processor failed; context remains ~{short(after.tokens)} tokens"
    saved = saving(before, after)
    if status == "noop":
        return f"Context unchanged at ~{short(after.tokens)} tokens (saved {saved.percent}%)"
    text = (
        f"Compressed {before.messages} -> {after.messages} messages, "
        f"~{short(before.tokens)} -> ~{short(after.tokens)} tokens, "
        f"saved ~{short(saved.tokens)} tokens ({saved.percent}%)"
    )
    return f"{text}, modified {modified} messages" if modified else text


def short(number: int) -> str:
    """Return a number in at most four characters or so: `950`, `1.5k`, `2m`."""
    for size, unit in ((1_000_000, "m"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)
