"""How far a replay is, and the curve up to there, so that it can be drawn as it grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from engine.debug.records import ThresholdCheck
from inspector.replay.cases.case import Case
from inspector.replay.runs.run import Step
from inspector.replay.runs.runner import window_requests
from inspector.trace.context_trace import StepColumns
from inspector.ui.tasks.jobs import Ticket

_INTERVAL = 0.03
"""Seconds between two reports; nobody would see more of them."""


@dataclass(frozen=True)
class ReplayProgress:
    """How far a replay is."""

    step: int
    """Window requests made so far."""
    steps: int
    """All of them; 0 before the first report."""
    curve: StepColumns | None
    """The windows so far."""
    held: bool = False
    """Whether it waits there."""
    asked: int = 0
    """The model's call whose answer it waits for; 0 where none was asked."""


class StepWatch:
    """Reports the steps of a run as they are made; called on the engine's thread."""

    def __init__(self, case: Case, ticket: Ticket) -> None:
        self._ticket = ticket
        self._steps = window_requests(case)
        self._total: list[int] = []
        self._sent: list[int] = []
        self._asked = 0
        self._reported = monotonic()

    def take_over(self, steps: Sequence[Step]) -> None:
        """Take steps that need not be run, and report them at once."""
        for step in steps:
            self._add(step)
        self._report()

    def hold(self) -> None:
        """Report that the run waits."""
        self._report(held=True)

    def ask(self, call: int) -> None:
        """Report that a model is asked for the so-manieth time."""
        self._asked = call
        self._report()

    def __call__(self, step: Step) -> None:
        """Take the next step of the run."""
        self._add(step)
        if monotonic() - self._reported >= _INTERVAL:
            self._report()

    def _add(self, step: Step) -> None:
        if step.window is None:
            return
        sent = step.window.tokens
        checks = (record for record in step.records if isinstance(record, ThresholdCheck))
        first = next(checks, None)
        self._total.append(first.total_tokens if first is not None else sent)
        self._sent.append(sent)

    def _report(self, held: bool = False) -> None:
        self._reported = monotonic()
        self._ticket.report(
            ReplayProgress(len(self._sent), self._steps, self._curve(), held, self._asked)
        )

    def _curve(self) -> StepColumns:
        count = len(self._sent)
        return StepColumns(
            number=np.arange(1, count + 1, dtype=np.int64),
            time=np.full(count, np.nan),
            total=np.array(self._total, np.int64),
            sent=np.array(self._sent, np.int64),
        )
