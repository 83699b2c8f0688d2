"""Builds the usage reports of one context, and tells what changed since the one before."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from uuid import uuid4

from engine.conversation import Conversation
from engine.usage.figures import Figures
from engine.usage.measure import Measurements, measured_parts
from engine.usage.report import (
    Attribution,
    ComponentSignatures,
    ContextChanges,
    ContextWindowTokenReport,
    MeasurementCache,
    Phase,
    PromptSection,
    UsageSnapshot,
)
from engine.window import ContextWindow

_LOG = logging.getLogger(__name__)

KEPT_REPORTS = 32


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
        context, measurements = self._context, self._begun_measurements()
        local = measured_parts(window, sections, measurements)
        figures = Figures(context.counter.name, local, provider_tokens)
        snapshot_id = snapshot_id or uuid4().hex
        signatures = figures.signatures()
        changes = self._changes(signatures)
        report = ContextWindowTokenReport(
            **self._attribution.model_dump(),
            context_snapshot_id=snapshot_id,
            context_id=context.context_id,
            session_id=context.session.session_id,
            message_revision=context.message_revision,
            prompt_revision=self._revisions["system_prompt"],
            skills_revision=self._revisions["skills"],
            attachment_revision=self._revisions["attachments"],
            tools_signature=signatures.tools,
            tokenizer_identity=context.counter.name,
            component_signatures=signatures,
            context_window=figures.window(context.capacity.tokens, snapshot_id),
            parts=figures.parts(context.capacity.tokens),
            context_stats=vars(window.statistic),
            measurement=figures.measurement(snapshot_id),
            context_changes=changes,
            measurement_cache=MeasurementCache(
                hit=measurements.recomputed == 0,
                reused_parts=measurements.reused,
                recomputed_parts=measurements.recomputed,
                message_revision=context.message_revision,
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

    def _begun_measurements(self) -> Measurements:
        """Return what counts with the context's counter, nothing counted yet for this report."""
        if self._context.counter is not self._measurements.counter:
            self._measurements = Measurements(self._context.counter)
        self._measurements.reused = self._measurements.recomputed = 0
        return self._measurements

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
