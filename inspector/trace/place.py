"""What every decision has, whoever made it: whose it is, when, and where it is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from inspector.trace.decision import RecordRef
from inspector.trace.evidence.records import ContextRecords, record_offset

Place = Mapping[str, Any]
"""Session, context, time, bounds, step, processor and phase of a decision, by field."""


def references(records: ContextRecords, positions: Iterable[int]) -> list[RecordRef]:
    """Return where some records stand."""
    places = (record_offset(records, at) for at in positions)
    return [RecordRef(path=path, offset=offset) for path, offset, _length in places]


def bounded(place: Place, after: float, before: float) -> dict[str, Any]:
    """Return a place with bounds in epoch seconds, unless its time is known.

    What is not finite is not known.
    """
    if place["time"] is not None:
        return dict(place)
    return {
        **place,
        "after": after if math.isfinite(after) else None,
        "before": before if math.isfinite(before) else None,
    }
