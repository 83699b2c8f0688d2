"""One line about a context: how long, how much, how it ended up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from inspector.trace.context_trace import NO_NUMBER_SAVED
from inspector.trace.recording import Recording


class ContextOverview(BaseModel):
    """The figures of one context, in the form of `inspect --json`."""

    model_config = ConfigDict(frozen=True)

    session_id: str
    context_id: str
    first: float | None
    """Epoch seconds of the first decision or request; `last` likewise."""
    last: float | None
    steps: int
    decisions: int
    outcomes: dict[str, int]
    capacity: int | None
    """Tokens."""
    peak_tokens: int | None
    """The largest window that was measured."""
    model_calls: int
    """Calls for summaries."""
    tokens_saved: int
    """Sum over all that shrank the context, where the tokens before and after are known."""
    findings: dict[str, int] = Field(default_factory=dict)
    """Findings by severity."""


def overview(trace: Recording) -> ContextOverview:
    """Sum up a trace."""
    columns, steps = trace.decisions, trace.steps
    times = np.concatenate([columns.time, steps.time])
    times = times[np.isfinite(times)]
    totals = np.concatenate([columns.total, steps.total])
    counts = np.bincount(columns.outcome, minlength=len(columns.outcomes))
    saved = columns.saved[columns.saved != NO_NUMBER_SAVED]
    first, last = _ends(times)
    return ContextOverview(
        session_id=trace.session_id,
        context_id=trace.context_id,
        first=first,
        last=last,
        steps=len(steps.number),
        decisions=len(columns),
        outcomes={name: int(n) for name, n in zip(columns.outcomes, counts, strict=True) if n},
        capacity=trace.capacity,
        peak_tokens=int(totals.max()) if len(totals) and totals.max() >= 0 else None,
        model_calls=trace.model_calls,
        tokens_saved=int(saved.sum()),
    )


def _ends(times: NDArray[np.float64]) -> tuple[float | None, float | None]:
    return (float(times.min()), float(times.max())) if len(times) else (None, None)
