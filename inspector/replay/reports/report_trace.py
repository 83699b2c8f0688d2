"""A replay as a trace: the same decisions, gates and columns as a recording has, from a report.

Nothing is inferred here: the engine's own `outcome` records say how everything ended. Times are
those of the replay's virtual clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

from inspector.replay.reports.decisions.reading import told_decisions
from inspector.replay.reports.decisions.told import Surroundings, ToldDecision
from inspector.replay.reports.report import Report, StepReport
from inspector.replay.settings.edits import effective
from inspector.sources.recall_calls import recall_calls
from inspector.trace.context_trace import (
    NO_NUMBER,
    NO_NUMBER_SAVED,
    DecisionColumns,
    StepColumns,
)
from inspector.trace.decision import Decision, Method
from inspector.trace.detail import Detail
from inspector.trace.evidence.recalls import Recall
from inspector.trace.session_memory.story import MEMORY, UPDATER


class ReportTrace:
    """The trace of a replay report."""

    def __init__(self, report: Report) -> None:
        """Read the report's records."""
        self.report = report
        self.session_id = report.session_id
        self.context_id = report.context_id
        self.capacity: int | None = report.context_max
        self.method: Method = "string_length" if report.token_counter == "string" else "tiktoken"
        self.told = told_decisions(report.steps)
        self.thresholds: Mapping[str, int] = {
            d.processor: d.threshold
            for d in self.told
            if d.total is not None and d.threshold is not None and d.processor != UPDATER
        }
        self.steps = _step_columns(report.steps, self.told)
        self.decisions = _decision_columns(self.told, [name for name, _ in report.processors])
        self._min_ratios = _min_ratios(report)
        self._surroundings = Surroundings(
            self.session_id, self.context_id, self.method, self._min_target
        )

    @cached_property
    def recalls(self) -> tuple[Recall, ...]:
        """When the model asked for what had been taken out of its window; a report has no files."""
        found: dict[str, Recall] = {}
        windows = (step.window for step in self.report.steps if step.window is not None)
        for number, window in enumerate(windows, 1):
            for digest in window.messages.then if window.messages is not None else ():
                for call in recall_calls(self.report.texts.get(digest, {}).get("tool_calls")):
                    found.setdefault(call.call_id, Recall(call, number))
        return tuple(found.values())

    def decision(self, row: int) -> Decision:
        """Return the decision of a row, gates included."""
        return self.told[row].decision(self._surroundings)

    def detail(self, row: int) -> Detail:
        """Return a row's records; a report holds no windows in between."""
        note = "A report on disk holds the windows after the whole chain only."
        return Detail(records=tuple(self.told[row].raw_records()), notes=(note,))

    def _min_target(self, processor: str, step: int, capacity: int | None) -> int | None:
        """Return the tokens that a span had to hold then."""
        ratio = self._min_ratios.get(processor)
        for turn in self.report.turns:
            if turn.step <= step:
                ratio = turn.settings.get(f"{processor}.min_target_context_ratio", ratio)
        return None if ratio is None else int((capacity or self.report.context_max) * ratio)


def _step_columns(steps: Sequence[StepReport], told: Sequence[ToldDecision]) -> StepColumns:
    windows = [step.window for step in steps if step.window is not None]
    count = len(windows)
    time = np.full(count, np.nan)
    total = np.full(count, NO_NUMBER, np.int64)
    for decision in reversed(told):
        if decision.step <= count:
            time[decision.step - 1] = decision.time
            whole = decision.processor not in MEMORY or decision.outcome == "materialised"
            if decision.total is not None and whole:
                total[decision.step - 1] = decision.total
    for at, window in enumerate(windows):
        if window.given_tokens is not None:
            total[at] = window.given_tokens
    sent = [NO_NUMBER if w is None or w.window_tokens is None else w.window_tokens for w in windows]
    sent_column = np.array(sent, np.int64)
    return StepColumns(
        number=np.arange(1, count + 1, dtype=np.int64),
        time=time,
        total=np.where(total == NO_NUMBER, sent_column, total),
        sent=sent_column,
    )


def _decision_columns(told: Sequence[ToldDecision], chain: Sequence[str]) -> DecisionColumns:
    """Return the columns, with the processors in the order of the chain."""
    acted = dict.fromkeys(d.processor for d in told)
    processors = tuple(dict.fromkeys([*(name for name in chain if name in acted), *acted]))
    outcomes = tuple(dict.fromkeys(d.outcome for d in told))
    reasons = tuple(dict.fromkeys(d.reason for d in told if d.reason))
    return DecisionColumns(
        time=np.array([d.time for d in told], np.float64),
        step=np.array([d.step for d in told], np.int64),
        processor=np.array([processors.index(d.processor) for d in told], np.int16),
        processors=processors,
        outcome=np.array([outcomes.index(d.outcome) for d in told], np.int16),
        outcomes=outcomes,
        reason=np.array([reasons.index(d.reason) if d.reason else -1 for d in told], np.int16),
        reasons=reasons,
        total=_numbers(d.total for d in told),
        size=_numbers(d.size for d in told),
        threshold=_numbers(d.threshold for d in told),
        saved=_numbers((d.saved for d in told), NO_NUMBER_SAVED),
        duration=np.array([nan if d.duration is None else d.duration for d in told], np.float64),
        inferred=np.zeros(len(told), np.bool_),
    )


def _numbers(values: Iterable[int | None], unknown: int = NO_NUMBER) -> NDArray[np.int64]:
    return np.array([unknown if value is None else value for value in values], np.int64)


def _min_ratios(report: Report) -> dict[str, float]:
    """Return the share of the capacity that a span must hold, by processor."""
    settings = {name: effective(name, values) for name, values in report.processors}
    ratios = {name: values.get("min_target_context_ratio") for name, values in settings.items()}
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}
