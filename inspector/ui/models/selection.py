"""What is looked at: one context, a filter over its decisions, one of them.

The one owner of filter and selection. Chart, table, tabs, keys and status bar change it through
these methods and learn of changes by its signals; no panel tells another anything. Filters are kept
in a history, so that a look aside can be taken back. Everything is index arithmetic on numpy
columns: a million decisions filter in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from inspector.trace.context_trace import ContextTrace, DecisionColumns
from inspector.trace.live import same_decision
from inspector.ui.models.marks import OUTCOMES

Rows = NDArray[np.int64]
_NO_ROWS: Rows = np.empty(0, np.int64)
_HISTORY = 100


@dataclass(frozen=True)
class Filter:
    """Which decisions are listed."""

    steps: tuple[int, int] | None = None
    """First and last step, both included."""
    outcomes: frozenset[str] = frozenset()
    """Empty: all of them."""

    def rows(self, columns: DecisionColumns) -> Rows:
        """Return the rows that pass, in order of time."""
        if self == EVERYTHING:
            return np.arange(len(columns))
        keep = np.ones(len(columns), np.bool_)
        if self.steps is not None:
            keep &= (columns.step >= self.steps[0]) & (columns.step <= self.steps[1])
        if self.outcomes:
            codes = [code for code, name in enumerate(columns.outcomes) if name in self.outcomes]
            keep &= np.isin(columns.outcome, codes)
        return np.flatnonzero(keep)


EVERYTHING = Filter()


@dataclass(frozen=True)
class _Place:
    trace: ContextTrace | None
    filter: Filter
    row: int | None


class Selection(QObject):
    """The context, the filter and the decision that the window is about.

    Signals:
        trace_changed: another context is shown; filter and row have been reset with it.
        filter_changed: `filter` and `rows` are new.
        row_changed: `row` is new.
        history_changed: going back or forward became possible or impossible.
        grew: the same context is known better: `trace` is new, `rows` and `row` point at what they
            pointed at before; carries the trace before. `row_changed` follows where the decision
            itself is another one now.
    """

    trace_changed = Signal()
    filter_changed = Signal()
    row_changed = Signal()
    history_changed = Signal()
    grew = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.trace: ContextTrace | None = None
        self.filter = EVERYTHING
        self.rows: Rows = _NO_ROWS
        self.row: int | None = None
        self._chosen = False
        self._past: list[_Place] = []
        self._future: list[_Place] = []

    def show_trace(self, trace: ContextTrace | None) -> None:
        """Show another context from its first decision that did something."""
        if trace is self.trace:
            return
        self._remember()
        self._go(_Place(trace, EVERYTHING, _telling_row(trace)))

    def reset(self, trace: ContextTrace | None) -> None:
        """Show a context of another input and forget the history."""
        self._past.clear()
        self._future.clear()
        self._chosen = False
        self._go(_Place(trace, EVERYTHING, _telling_row(trace)))

    def renew(self, traces: Sequence[ContextTrace]) -> None:
        """Go on with the traces of the same input as they are known now."""
        if self.trace is None:
            self.reset(traces[0] if traces else None)
            return
        newest = {(trace.session_id, trace.context_id): trace for trace in traces}
        self._past = [_renewed(place, newest) for place in self._past]
        self._future = [_renewed(place, newest) for place in self._future]
        before, place = self._place(), _renewed(self._place(), newest)
        if place.trace is before.trace or before.trace is None or place.trace is None:
            return
        self.trace, self.row = place.trace, place.row
        self.rows = self.filter.rows(place.trace.decisions)
        self.grew.emit(before.trace)
        if self.row == place.row and not _same(before, place):
            self.row_changed.emit()

    def set_filter(self, chosen: Filter) -> None:
        """List only what passes; the decision that is looked at stays, listed or not."""
        if chosen == self.filter:
            return
        self._remember()
        self._go(_Place(self.trace, chosen, self.row))

    def select(self, row: int | None) -> None:
        """Look at the decision in a row of the trace."""
        if row != self.row:
            self._chosen = True
            self.row = row
            self.row_changed.emit()

    def row_is_untouched(self) -> bool:
        """Whether the decision is the one that was shown first, without anybody's choice."""
        return not self._chosen

    def select_telling(self) -> None:
        """Look at the first decision that did something."""
        self.select(_telling_row(self.trace))
        self._chosen = False

    def select_step(self, step: int) -> None:
        """Look at the most telling listed decision of the step nearest to this one."""
        if self.trace is None or not len(self.rows):
            return
        steps = self.trace.decisions.step[self.rows]
        distance = np.where(steps > 0, np.abs(steps - step), np.iinfo(np.int64).max)
        near = self.rows[distance == distance.min()]
        telling = near[self.fired(near)]
        self.select(int((telling if len(telling) else near)[0]))

    def move(self, direction: int, fired_only: bool = False) -> bool:
        """Look at the next (1) or previous (-1) listed decision in time.

        Returns:
            Whether there was one.
        """
        rows = self.rows[self.fired(self.rows)] if fired_only else self.rows
        here = -1 if self.row is None else self.row
        if direction > 0:
            at = int(np.searchsorted(rows, here, side="right"))
        else:
            at = int(np.searchsorted(rows, here, side="left")) - 1
        if not 0 <= at < len(rows):
            return False
        self.select(int(rows[at]))
        return True

    def fired(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell for each row whether something was attempted or done there."""
        if self.trace is None:
            return np.zeros(len(rows), np.bool_)
        return fired(self.trace.decisions)[rows]

    def can_go_back(self) -> bool:
        """Whether an earlier filter or context is remembered."""
        return bool(self._past)

    def can_go_forward(self) -> bool:
        """Whether going back can be undone."""
        return bool(self._future)

    def go_back(self) -> None:
        """Return to the filter and context before this one."""
        if self._past:
            self._future.append(self._place())
            self._go(self._past.pop())

    def go_forward(self) -> None:
        """Undo going back."""
        if self._future:
            self._past.append(self._place())
            self._go(self._future.pop())

    def _place(self) -> _Place:
        return _Place(self.trace, self.filter, self.row)

    def _remember(self) -> None:
        self._past = [*self._past[1 - _HISTORY :], self._place()]
        self._future.clear()

    def _go(self, place: _Place) -> None:
        new_trace = place.trace is not self.trace
        new_row = new_trace or place.row != self.row
        self.trace, self.filter, self.row = place.trace, place.filter, place.row
        self.rows = _NO_ROWS if self.trace is None else self.filter.rows(self.trace.decisions)
        if new_trace:
            self.trace_changed.emit()
        self.filter_changed.emit()
        if new_row:
            self.row_changed.emit()
        self.history_changed.emit()


def _renewed(place: _Place, newest: dict[tuple[str, str], ContextTrace]) -> _Place:
    """Return a place in the newest trace of its context."""
    old = place.trace
    new = newest.get((old.session_id, old.context_id), old) if old is not None else None
    if old is None or new is None or new is old:
        return place
    row = place.row
    if row is not None:
        same = same_decision(old.decisions, row, new.decisions)
        row = same if same is not None else _nearest(old.decisions, row, new.decisions)
    return replace(place, trace=new, row=row)


def _nearest(before: DecisionColumns, row: int, after: DecisionColumns) -> int | None:
    at = int(np.searchsorted(after.time, before.time[row]))
    return min(at, len(after) - 1) if len(after) else None


def _same(before: _Place, after: _Place) -> bool:
    """Tell whether the decision says the same in both places."""
    if before.row is None or after.row is None or before.trace is None or after.trace is None:
        return before.row is after.row
    return before.trace.decision(before.row) == after.trace.decision(after.row)


def fired(columns: DecisionColumns) -> NDArray[np.bool_]:
    """Tell for each decision whether something was attempted or done."""
    by_code = [name in OUTCOMES and OUTCOMES[name].fired for name in columns.outcomes]
    return np.array([*by_code, False], np.bool_)[columns.outcome]


def _telling_row(trace: ContextTrace | None) -> int | None:
    """Return the first decision that did something, else the last one."""
    if trace is None or not len(trace.decisions):
        return None
    rows = np.flatnonzero(fired(trace.decisions))
    return int(rows[0]) if len(rows) else len(trace.decisions) - 1
