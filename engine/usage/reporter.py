"""Builds the usage reports of one context, and tells what changed since the one before."""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from uuid import uuid4

from engine.conversation import Conversation
from engine.tokens.capacity import Capacity
from engine.usage.measure import FALLBACK, Measured, Measurements, measured_parts, reconciled
from engine.usage.report import (
    Attribution,
    ComponentSignatures,
    ContextChanges,
    ContextWindowTokenReport,
    MeasurementCache,
    Phase,
    PromptSection,
    Source,
    UsageMeasurement,
    UsagePart,
    UsageSnapshot,
    WindowUsage,
)
from engine.window import ContextWindow

_LOG = logging.getLogger(__name__)

KEPT_REPORTS = 32
_MEASUREMENT_SOURCES = {"string": f"string_length{FALLBACK}"}


class UsageReporter:
    """Reports on the windows of one context.

    Attributes:
        reports: the latest reports.
        listeners: called with each snapshot; what they raise is logged.
    """

    def __init__(self, context: Conversation, attribution: Attribution | None = None) -> None:
        """Report on this context."""
        self.reports: deque[ContextWindowTokenReport] = deque(maxlen=KEPT_REPORTS)
        self.listeners: list[Callable[[UsageSnapshot], None]] = []
        self._context = context
        self._attribution = attribution or Attribution()
        self._measurements = Measurements(context.counter)
        self._revisions = {"system_prompt": 0, "skills": 0, "attachments": 0}

    def build(
        self,
        window: ContextWindow,
        sections: Sequence[PromptSection] | None = None,
        *,
        provider_tokens: int | None = None,
        snapshot_id: str | None = None,
    ) -> ContextWindowTokenReport:
        """Return the report on a window.

        Args:
            window: what is sent to the model.
            sections: what the system prompt is made of; without them skills are not reported.
            provider_tokens: input tokens that the provider counted for this very window.
            snapshot_id: id of the window; a new one when None.
        """
        counter = self._context.counter
        if counter is not self._measurements.counter:
            self._measurements = Measurements(counter)
        measurements = self._measurements
        measurements.reused = measurements.recomputed = 0
        local = measured_parts(window, sections, measurements)
        local_total = sum(part.tokens for part in local)
        origin = _MEASUREMENT_SOURCES.get(counter.name, counter.name)
        parts, source = local, _local_source(local)
        if provider_tokens is not None:
            parts, source = reconciled(local, provider_tokens, origin)
        total = local_total if provider_tokens is None else provider_tokens
        snapshot = snapshot_id or uuid4().hex
        signatures = _signatures(local)
        changes = self._changes(signatures)
        report = ContextWindowTokenReport(
            **self._attribution.model_dump(),
            context_snapshot_id=snapshot,
            context_id=self._context.context_id,
            session_id=self._context.session.session_id,
            message_revision=self._context.message_revision,
            prompt_revision=self._revisions["system_prompt"],
            skills_revision=self._revisions["skills"],
            attachment_revision=self._revisions["attachments"],
            tools_signature=signatures.tools,
            tokenizer_identity=counter.name,
            component_signatures=signatures,
            context_window=_window_usage(
                self._context.capacity, total, local_total, provider_tokens, snapshot
            ),
            parts=_parts(parts, self._context.capacity.tokens, total, counter.name, origin),
            context_stats=vars(window.statistic),
            measurement=UsageMeasurement(
                category_source=source,
                total_source="local" if provider_tokens is None else "provider",
                tokenizer=counter.name,
                estimated=origin.endswith(FALLBACK),
                authoritative_total=provider_tokens is not None,
                context_snapshot_id=snapshot,
            ),
            context_changes=changes,
            measurement_cache=MeasurementCache(
                hit=measurements.recomputed == 0,
                reused_parts=measurements.reused,
                recomputed_parts=measurements.recomputed,
                message_revision=self._context.message_revision,
            ),
        )
        self.reports.append(report)
        return report

    def snapshot(self, phase: Phase, report: ContextWindowTokenReport) -> UsageSnapshot:
        """Hand a report to whoever listens, and return it as it was handed out."""
        made = UsageSnapshot(phase=phase, report=report)
        for listener in self.listeners:
            try:
                listener(made)
            except Exception:
                _LOG.exception("a listener failed on a usage snapshot")
        return made

    def _changes(self, signatures: ComponentSignatures) -> ContextChanges:
        event = self._context.last_change
        if not self.reports:
            return ContextChanges(message_event=event)
        before = self.reports[-1].component_signatures
        changed = {
            name: getattr(before, name) != getattr(signatures, name)
            for name in ("system_prompt", "skills", "attachments", "tools")
        }
        for name in self._revisions:
            self._revisions[name] += changed[name]
        return ContextChanges(
            message_event=event,
            stable_prefix_changed=any(changed.values()),
            **{f"{name}_changed": value for name, value in changed.items()},
        )


def _local_source(parts: Sequence[Measured]) -> Source:
    missing = any(part.source == "not_reported" for part in parts)
    return "not_reported" if missing else "measured"


def _parts(
    parts: Sequence[Measured], capacity: int, total: int, tokenizer: str, origin: str
) -> dict[str, UsagePart]:
    estimated = origin.endswith(FALLBACK)
    return {
        part.name: UsagePart(
            category=part.category,
            tokens=part.tokens,
            percentage_of_window=_percent(part.tokens, capacity),
            percentage_of_input=_percent(part.tokens, total),
            estimated=estimated,
            tokenizer=tokenizer,
            carrier=part.carrier,
            source=part.source,
            measurement_source=origin,
            fallback_reason="model_tokenizer_missing" if estimated else None,
            order=order,
            stable_id=_digest(part.name, part.text)[:16],
        )
        for order, part in enumerate(parts)
    }


def _window_usage(
    capacity: Capacity, total: int, local: int, provider: int | None, snapshot: str
) -> WindowUsage:
    return WindowUsage(
        limit_tokens=capacity.tokens,
        input_tokens=total,
        occupancy_rate=round(total / capacity.tokens, 6),
        tokens_source="local" if provider is None else "provider",
        local_estimated_input_tokens=local,
        reconciliation_delta_tokens=0 if provider is None else provider - local,
        context_snapshot_id=snapshot,
    )


def _signatures(parts: Sequence[Measured]) -> ComponentSignatures:
    def of(*, category: str, attached: bool) -> str:
        return _digest(
            *(
                p.text
                for p in parts
                if p.category == category and p.name.startswith("message:") == attached
            )
        )

    attachments = [p.text for p in parts if p.name.startswith("message:")]
    return ComponentSignatures(
        system_prompt=of(category="system_prompt", attached=False),
        skills=of(category="skills", attached=False),
        attachments=_digest(*attachments),
        tools=of(category="tools", attached=False),
        messages=of(category="messages", attached=False),
    )


def _digest(*texts: str) -> str:
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _percent(tokens: int, of: int) -> float:
    return round(tokens / of * 100, 2) if of else 0.0
