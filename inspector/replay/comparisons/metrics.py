"""The metrics of a trace, up to a step.

Counts are there for any trace. Cost and retention take as long as a replay, so they come when
whoever asks hands the judge over: of a replay in memory they are computed, of a report on disk they
are what it says if all its steps are asked for, and a recording does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from inspector.replay.comparisons.insights import INSIGHT_METRICS, Insights
from inspector.replay.reports.report_trace import ReportTrace
from inspector.replay.reports.run_trace import RunTrace
from inspector.trace.context_trace import ContextTrace

Figure = int | float | None
"""None: not known."""


def measure(
    trace: ContextTrace, until: int | None = None, insights: Insights | None = None
) -> dict[str, Figure]:
    """Return the metrics of a trace up to a step.

    `tokens_sent` is the sum over the windows of what went to the agent's model, summary calls
    apart; `peak_tokens` the largest window that the chain was given. Both leave out windows whose
    size is not known, and are None if none is. With `insights` its metrics follow.
    """
    steps, decisions = trace.steps, trace.decisions
    wanted = steps.number <= (until if until is not None else np.iinfo(np.int64).max)
    sent = steps.sent[wanted & (steps.sent >= 0)]
    total = steps.total[wanted & (steps.total >= 0)]
    rows = _attempts(trace, until)
    made = [row for row in rows if decisions.outcomes[decisions.outcome[row]] == "compressed"]
    counts: dict[str, Figure] = {
        "tokens_sent": int(sent.sum()) if len(sent) else None,
        "peak_tokens": int(total.max()) if len(total) else None,
        "compressions": len(made),
        "model_calls": sum(trace.decision(row).model_calls for row in rows),
    }
    return counts if insights is None else {**counts, **_judged(trace, until, insights)}


def _judged(trace: ContextTrace, until: int | None, insights: Insights) -> dict[str, Figure]:
    figures: Mapping[str, Figure] = {}
    if isinstance(trace, RunTrace):
        figures = insights.measures(trace.run, until)
    elif isinstance(trace, ReportTrace) and until in (None, last_step(trace)):
        figures = trace.report.insights
    return {name: figures.get(name) for name in INSIGHT_METRICS}


def summaries(trace: ContextTrace, until: int | None = None) -> dict[str, int]:
    """Return how many model calls each summarizer answered up to a step, where that is known."""
    rows = _attempts(trace, until)
    return dict(Counter(name for row in rows for name in trace.decision(row).summarizers))


def _attempts(trace: ContextTrace, until: int | None) -> list[int]:
    """Return the rows that may have called a model."""
    decisions = trace.decisions
    quiet = [i for i, name in enumerate(decisions.outcomes) if name == "declined"]
    rows = np.flatnonzero(~np.isin(decisions.outcome, quiet) & (decisions.step >= 1))
    return [int(row) for row in rows if until is None or decisions.step[row] <= until]


def last_step(trace: ContextTrace) -> int:
    """Return the last window request that a trace tells of; 0 where there is none."""
    return int(trace.steps.number.max()) if len(trace.steps.number) else 0
