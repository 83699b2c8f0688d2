"""Why a processor of the chain does nothing, as far as that can be told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from engine.session_memory.notes import NOTES_NAME
from inspector.replay.cases.case import Case
from inspector.replay.settings.fields import ProcessorCard
from inspector.trace.context_trace import NO_NUMBER, ContextTrace
from inspector.ui.models.marks import OUTCOMES


class Silence(NamedTuple):
    """A word for the head of a card, and the whole reason."""

    told: str
    reason: str


def inert(card: ProcessorCard, case: Case) -> Silence | None:
    """Return why a processor cannot act whatever the window holds; None where it can."""
    values: Mapping[str, Any] = {field.name: field.value for field in card.fields}
    if values.get("enabled") is False:
        return Silence("not enabled", "Its own setting `enabled` is off.")
    if "model" in values and values["model"] is None:
        return Silence("no model", "Without a model nobody writes its summaries.")
    if card.name == "SessionMemoryCompressor" and not _has_notes(case):
        return Silence("no notes", "The case holds no notes of the session to use.")
    kept = values.get("keep_recent_messages", values.get("keep_recent"))
    if kept is not None and kept >= case.message_count:
        return Silence("keeps all", f"It keeps {kept:,} messages, and there are no more than that.")
    return None


def idle(card: ProcessorCard, trace: ContextTrace) -> Silence | None:
    """Return why a processor did nothing in a run; None where it did something."""
    columns = trace.decisions
    names = list(columns.processors)
    mine = columns.processor == (names.index(card.name) if card.name in names else NO_NUMBER)
    rows = np.flatnonzero(mine)
    if not len(rows):
        return Silence("idle", "It found nothing to act on in this run.")
    if any(_fired(columns.outcomes[code]) for code in np.unique(columns.outcome[rows])):
        return None
    codes = columns.reason[rows]
    known, counts = np.unique(codes[codes >= 0], return_counts=True)
    reasons = [(columns.reasons[code], count) for code, count in zip(known, counts, strict=True)]
    over = [told for told in reasons if "below_threshold" not in told[0]]
    if reasons and not over:
        largest = int(columns.tested[rows].max())
        what = "window" if (columns.size[rows] < 0).all() else "tool result"
        return Silence("unreached", f"The largest {what} that it saw holds {largest:,} tokens.")
    told = ", ".join(f"{reason.replace('_', ' ')} ({count:,})" for reason, count in over)
    return Silence(
        "declines", f"Where it might have acted it declined: {told or 'nobody says why'}."
    )


def _fired(outcome: str) -> bool:
    return outcome not in OUTCOMES or OUTCOMES[outcome].fired


def _has_notes(case: Case) -> bool:
    written = case.notes is not None or any(action.do == "notes" for action in case.actions)
    return written or any(PurePath(path).name == NOTES_NAME for path in case.workspace_files)
