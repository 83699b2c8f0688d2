"""Two traces side by side: where they part, and what each of them cost.

Either side may be a recording or a replay. They are compared over the steps that both have, so that
a recording whose evidence ends early is not blamed for what it does not show; `steps` says how many
those are.

Counts come with every comparison. Cost and retention take as long as a replay, so they come when
whoever asks hands the judge over: of a replay in memory they are computed, of a report on disk they
are what it says if all its steps are compared, and a recording does not say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from inspector.replay.insights import INSIGHT_METRICS, Insights
from inspector.replay.report_trace import ReportTrace
from inspector.replay.run_trace import RunTrace
from inspector.trace.compressions.attempts import NOT_PREFIX
from inspector.trace.context_trace import ContextTrace
from inspector.trace.decision import Decision

_OFFLOADERS = frozenset({"MessageSummaryOffloader", "MessageOffloader"})
_UPDATED = frozenset({"notes_updated", "notes_unchanged"})

Figure = int | float | None
"""None: not known."""


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


class Place(NamedTuple):
    """A decision in its context: the step, the processor, and which of its decisions there."""

    step: int
    processor: str
    turn: int


class AlignedDecision(NamedTuple):
    """Rows of the same decision on both sides; -1 where there is none."""

    place: Place
    a: int
    b: int


def compare(a: ContextTrace, b: ContextTrace, insights: Insights | None = None) -> Comparison:
    """Compare two traces over the steps that both have.

    Args:
        a: one side.
        b: the other.
        insights: who judges cost and retention, if they are to be compared too.
    """
    last = {"a": _last_step(a), "b": _last_step(b)}
    compared = min(last.values())
    aligned = [pair for pair in align(a, b) if pair.place.step <= compared]
    differing = [pair for pair in aligned if _outcome(a, pair.a) != _outcome(b, pair.b)]
    return Comparison(
        first_divergence=_divergence(a, b, differing[0]) if differing else None,
        metrics=_metrics(measure(a, compared, insights), measure(b, compared, insights)),
        decisions=[
            Difference(
                step=pair.place.step,
                processor=pair.place.processor,
                a=_outcome(a, pair.a),
                b=_outcome(b, pair.b),
            )
            for pair in differing
        ],
        steps=ComparedSteps(a=last["a"], b=last["b"], compared=compared),
        summaries={"a": summaries(a, compared), "b": summaries(b, compared)},
    )


def align(a: ContextTrace, b: ContextTrace) -> list[AlignedDecision]:
    """Return the decisions of both, by step and in a step by `b`'s chain, then by `a`'s.

    What is no prefix compressor counts only where both sides tell of it: a case may be without it.
    So does a decline that measured no window, which the original does not record.
    """
    rows_a, rows_b = _rows_by_key(a), _rows_by_key(b)
    chain = {name: i for i, name in enumerate([*b.decisions.processors, *a.decisions.processors])}
    one_sided = set(a.decisions.processors) ^ set(b.decisions.processors)
    left_out = one_sided & NOT_PREFIX
    pairs = []
    for key in rows_a.keys() | rows_b.keys():
        row_a, row_b = rows_a.get(key, -1), rows_b.get(key, -1)
        step = max(_step(b, row_b), _step(a, row_a) if row_b < 0 or _step(b, row_b) < 1 else 0)
        counts = (row_a >= 0 or _counts(b, row_b)) and (row_b >= 0 or _counts(a, row_a))
        if step >= 1 and counts and key.processor not in left_out:
            pairs.append((step, chain[key.processor], row_b, row_a, key.processor))
    turns: defaultdict[tuple[int, str], int] = defaultdict(int)
    aligned = []
    for step, _, row_b, row_a, processor in sorted(pairs):
        place = Place(step, processor, turns[step, processor])
        turns[step, processor] += 1
        aligned.append(AlignedDecision(place, row_a, row_b))
    return aligned


def measure(
    trace: ContextTrace, last_step: int | None = None, insights: Insights | None = None
) -> dict[str, Figure]:
    """Return the metrics of a trace up to a step.

    `tokens_sent` is the sum over the windows of what went to the agent's model, summary calls
    apart; `peak_tokens` the largest window that the chain was given. Both leave out windows whose
    size is not known, and are None if none is. With `insights` its metrics follow.
    """
    steps, decisions = trace.steps, trace.decisions
    wanted = steps.number <= (last_step if last_step is not None else np.iinfo(np.int64).max)
    sent = steps.sent[wanted & (steps.sent >= 0)]
    total = steps.total[wanted & (steps.total >= 0)]
    rows = _attempts(trace, last_step)
    made = [row for row in rows if decisions.outcomes[decisions.outcome[row]] == "compressed"]
    counts: dict[str, Figure] = {
        "tokens_sent": int(sent.sum()) if len(sent) else None,
        "peak_tokens": int(total.max()) if len(total) else None,
        "compressions": len(made),
        "model_calls": sum(trace.decision(row).model_calls for row in rows),
    }
    return counts if insights is None else {**counts, **_judged(trace, last_step, insights)}


def _judged(trace: ContextTrace, last_step: int | None, insights: Insights) -> dict[str, Figure]:
    figures: Mapping[str, Figure] = {}
    if isinstance(trace, RunTrace):
        figures = insights.measures(trace.run, last_step)
    elif isinstance(trace, ReportTrace) and last_step in (None, _last_step(trace)):
        figures = trace.report.insights
    return {name: figures.get(name) for name in INSIGHT_METRICS}


def summaries(trace: ContextTrace, last_step: int | None = None) -> dict[str, int]:
    """Return how many model calls each summarizer answered up to a step, where that is known."""
    counts: defaultdict[str, int] = defaultdict(int)
    for row in _attempts(trace, last_step):
        for name in trace.decision(row).summarizers:
            counts[name] += 1
    return dict(counts)


def _attempts(trace: ContextTrace, last_step: int | None) -> list[int]:
    """Return the rows that may have called a model."""
    decisions = trace.decisions
    quiet = [i for i, name in enumerate(decisions.outcomes) if name == "declined"]
    rows = np.flatnonzero(~np.isin(decisions.outcome, quiet) & (decisions.step >= 1))
    return [int(row) for row in rows if last_step is None or decisions.step[row] <= last_step]


class _Key(NamedTuple):
    """What makes a decision the same one on both sides."""

    processor: str
    about: int | str | None
    """The step; of an offloader the tool call, of the end of an update nothing: files do not always
    tell their step.
    """
    turn: int
    """Which of several."""


_keys: WeakKeyDictionary[ContextTrace, Mapping[_Key, int]] = WeakKeyDictionary()


def _rows_by_key(trace: ContextTrace) -> Mapping[_Key, int]:
    """Return the row of each decision; reads an offloader's log once."""
    known = _keys.get(trace)
    if known is None:
        known = _keys[trace] = _read_keys(trace)
    return known


def _read_keys(trace: ContextTrace) -> Mapping[_Key, int]:
    decisions = trace.decisions
    rows: dict[_Key, int] = {}
    turns: defaultdict[tuple[str, int | str | None], int] = defaultdict(int)
    for row in range(len(decisions)):
        processor = decisions.processors[decisions.processor[row]]
        about: int | str | None = int(decisions.step[row])
        if processor in _OFFLOADERS:
            about = trace.decision(row).tool_call_id or about
        elif decisions.outcomes[decisions.outcome[row]] in _UPDATED:
            about = None
        rows[_Key(processor, about, turns[processor, about])] = row
        turns[processor, about] += 1
    return rows


def _step(trace: ContextTrace, row: int) -> int:
    return int(trace.decisions.step[row]) if row >= 0 else 0


def _counts(trace: ContextTrace, row: int) -> bool:
    """Return whether a decision would have left a trace on the other side too."""
    measured = trace.decisions.total[row] >= 0
    return bool(measured) or _outcome(trace, row) not in ("declined", "skipped", "undecided")


def _outcome(trace: ContextTrace, row: int) -> str | None:
    return trace.decisions.outcomes[trace.decisions.outcome[row]] if row >= 0 else None


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


def _last_step(trace: ContextTrace) -> int:
    return int(trace.steps.number.max()) if len(trace.steps.number) else 0
