"""Why a processor of the chain does nothing, as far as that can be told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from engine.session_memory.notes import NOTES_NAME
from inspector.replay.cases.case import Case
from inspector.replay.settings.fields import ProcessorCard
from inspector.trace.context_trace import ContextTrace


class Silence(NamedTuple):
    """A word for the head of a card, and the whole reason."""

    told: str
    reason: str


def inert(card: ProcessorCard, case: Case) -> Silence | None:
    """Return why a processor cannot act whatever the window holds; None where it can."""
    values: Mapping[str, Any] = {field.name: field.value for field in card.fields}
    if values.get("enabled") is False:
        return Silence("inert · not enabled", "Its own setting `enabled` is off.")
    if "model" in values and values["model"] is None:
        return Silence("inert · no model", "Without a model nobody writes its summaries.")
    if card.name == "SessionMemoryCompressor" and not _has_notes(case):
        return Silence("inert · no notes", "The case holds no notes of the session to use.")
    kept = values.get("keep_recent_messages", values.get("keep_recent"))
    if kept is not None and kept >= case.message_count:
        return Silence(
            "inert · keeps all", f"It keeps {kept:,} messages, and there are no more than that."
        )
    return None


def unreached(card: ProcessorCard, trace: ContextTrace) -> Silence | None:
    """Return why a processor did nothing in a run: its threshold was never reached."""
    columns = trace.decisions
    names = list(columns.processors)
    if card.name not in names or "declined" not in columns.outcomes:
        return None
    rows = np.flatnonzero(columns.processor == names.index(card.name))
    below = {code for code, reason in enumerate(columns.reasons) if "below_threshold" in reason}
    if not len(rows) or not set(columns.reason[rows].tolist()) <= below:
        return None
    largest = int(columns.tested[rows].max())
    what = "window" if (columns.size[rows] < 0).all() else "tool result"
    return Silence("unreached", f"The largest {what} that it saw holds {largest:,} tokens.")


def _has_notes(case: Case) -> bool:
    written = case.notes is not None or any(action.do == "notes" for action in case.actions)
    return written or any(PurePath(path).name == NOTES_NAME for path in case.workspace_files)
