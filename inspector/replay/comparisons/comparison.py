"""Two traces side by side: where they part, and what each of them cost.

Either side may be a recording or a replay. They are compared over the steps that both have, so that
a recording whose evidence ends early is not blamed for what it does not show; `steps` says how many
those are.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from inspector.replay.comparisons.alignment import AlignedDecision, align, outcome_at
from inspector.replay.comparisons.insights import Insights
from inspector.replay.comparisons.metrics import Figure, last_step, measure, summaries
from inspector.trace.context_trace import ContextTrace
from inspector.trace.decision import Decision


class Metric(BaseModel):
    """One figure of both sides."""

    model_config = ConfigDict(frozen=True)

    name: str
    a: Figure
    b: Figure
    delta: Figure
    """`b - a`; None where a side does not say."""


class Difference(BaseModel):
    """A decision that came out differently; None: there was none on this side."""

    model_config = ConfigDict(frozen=True)

    step: int
    processor: str
    a: str | None
    b: str | None


class Divergence(BaseModel):
    """The first decision that came out differently, in full."""

    model_config = ConfigDict(frozen=True)

    step: int
    a: Decision | None
    b: Decision | None


class ComparedSteps(BaseModel):
    """Window requests on each side, and how many were compared."""

    model_config = ConfigDict(frozen=True)

    a: int
    b: int
    compared: int


class Comparison(BaseModel):
    """The whole comparison."""

    model_config = ConfigDict(frozen=True)

    first_divergence: Divergence | None
    metrics: list[Metric]
    decisions: list[Difference]
    """Only those that differ."""
    steps: ComparedSteps
    summaries: dict[str, dict[str, int]] = Field(default_factory=dict)
    """For each side, how many model calls each summarizer answered, where that is known."""


def compare(a: ContextTrace, b: ContextTrace, insights: Insights | None = None) -> Comparison:
    """Compare two traces over the steps that both have.

    Args:
        a: one side.
        b: the other.
        insights: who judges cost and retention, if they are to be compared too.
    """
    last_a, last_b = last_step(a), last_step(b)
    compared = min(last_a, last_b)
    aligned = [pair for pair in align(a, b) if pair.place.step <= compared]
    differing = [pair for pair in aligned if outcome_at(a, pair.a) != outcome_at(b, pair.b)]
    return Comparison(
        first_divergence=_divergence(a, b, differing[0]) if differing else None,
        metrics=_metrics(measure(a, compared, insights), measure(b, compared, insights)),
        decisions=[
            Difference(
                step=pair.place.step,
                processor=pair.place.processor,
                a=outcome_at(a, pair.a),
                b=outcome_at(b, pair.b),
            )
            for pair in differing
        ],
        steps=ComparedSteps(a=last_a, b=last_b, compared=compared),
        summaries={"a": summaries(a, compared), "b": summaries(b, compared)},
    )


def _divergence(a: ContextTrace, b: ContextTrace, pair: AlignedDecision) -> Divergence:
    return Divergence(
        step=pair.place.step,
        a=a.decision(pair.a) if pair.a >= 0 else None,
        b=b.decision(pair.b) if pair.b >= 0 else None,
    )


def _metrics(a: Mapping[str, Figure], b: Mapping[str, Figure]) -> list[Metric]:
    metrics = []
    for name, left in a.items():
        right = b[name]
        delta = right - left if left is not None and right is not None else None
        metrics.append(Metric(name=name, a=left, b=right, delta=delta))
    return metrics
