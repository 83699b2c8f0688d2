"""The trace of one context: its steps and decisions as columns, its details on demand.

Two things are a `ContextTrace`: what the files tell (`trace.recording`) and what a replay did
(`replay.reports`). Everything above reads this protocol only, so a panel does not know which
of the two it shows. Columns are numpy arrays of equal length; there is no object per row until
`decision` or `detail` is asked for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines import columns
from inspector.trace.decision import Decision, Method
from inspector.trace.detail import Detail
from inspector.trace.evidence.recalls import Recall

NO_NUMBER = columns.NO_NUMBER
"""Stands for "not known" in integer columns, as it does in those of the records."""


@dataclass(frozen=True)
class StepColumns:
    """One row per window request."""

    number: NDArray[np.int64]
    """1-based step."""
    time: NDArray[np.float64]
    """Epoch seconds, NaN where unknown."""
    total: NDArray[np.int64]
    """Tokens of the window when the first processor looked at it; NO_NUMBER where unknown."""
    sent: NDArray[np.int64]
    """Tokens of the window after the chain; NO_NUMBER where unknown."""


@dataclass(frozen=True)
class DecisionColumns:
    """One row per decision, in order of time. Codes index the tuples of names beside them."""

    time: NDArray[np.float64]
    step: NDArray[np.int64]
    processor: NDArray[np.int16]
    processors: tuple[str, ...]
    outcome: NDArray[np.int16]
    outcomes: tuple[str, ...]
    reason: NDArray[np.int16]
    """-1: no reason."""
    reasons: tuple[str, ...]
    """Reasons, and for inferred give-ups the likeliest candidate followed by `?`."""
    total: NDArray[np.int64]
    """Tokens of the whole window; NO_NUMBER where unknown."""
    size: NDArray[np.int64]
    """Tokens of the one tool result that an offloader looked at; NO_NUMBER for all others."""
    threshold: NDArray[np.int64]
    """Tokens; of the window or, for an offloader, of one tool result."""
    saved: NDArray[np.int64]
    """Tokens before minus after; negative when it grew; NO_NUMBER_SAVED where unknown."""
    duration: NDArray[np.float64]
    inferred: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def tested(self) -> NDArray[np.int64]:
        """Tokens that were compared with the threshold; NO_NUMBER where unknown."""
        return np.where(self.size == NO_NUMBER, self.total, self.size)


NO_NUMBER_SAVED = np.iinfo(np.int64).min
"""Stands for "not known" in the `saved` column, where -1 is a number."""


class ContextTrace(Protocol):
    """What happened in one context of one session."""

    @property
    def session_id(self) -> str:
        """Id of the session, as recorded."""

    @property
    def context_id(self) -> str:
        """Id of the context within the session."""

    @property
    def capacity(self) -> int | None:
        """Latest capacity in tokens."""

    @property
    def thresholds(self) -> Mapping[str, int]:
        """Latest threshold in tokens by processor, in the order of the chain."""

    @property
    def method(self) -> Method | None:
        """How the totals were counted."""

    @property
    def steps(self) -> StepColumns:
        """The window requests."""

    @property
    def decisions(self) -> DecisionColumns:
        """The decisions, in order of time."""

    @property
    def recalls(self) -> Sequence[Recall]:
        """When the agent's model asked for what had been taken out of its window, in order."""

    def decision(self, row: int) -> Decision:
        """Return the decision of a row, gates included."""
        ...

    def detail(self, row: int) -> Detail:
        """Return what there is to see about a row; reads files, so call it off the UI thread."""
        ...
