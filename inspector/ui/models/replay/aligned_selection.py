"""Which decisions of two runs are listed side by side, and which one is looked at.

A decision is known by its place (step, processor, turn), so it stays selected while candidates come
and go. Until the user picks one, the first that came out differently is looked at.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from inspector.replay.comparisons.alignment import AlignedDecision, Place
from inspector.trace.context_trace import ContextTrace
from inspector.ui.models.marks import OUTCOMES
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.selection import Rows

_NO_ROWS: Rows = np.empty(0, np.int64)


class AlignedSelection(QObject):
    """The listed rows of the bench's result, and the one that is current.

    Signals:
        rows_changed: `rows` are new, and with them the result they belong to.
        place_changed: `place` is new.
    """

    rows_changed = Signal()
    place_changed = Signal()

    def __init__(self, bench: ReplayBench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._picked = False
        self._fired: Rows = _NO_ROWS
        self.only_differing = False
        self.rows: Rows = _NO_ROWS
        """Listed rows of the aligned decisions, in order."""
        self.place: Place | None = None
        bench.result_changed.connect(self._take_result)
        bench.state_changed.connect(self._take_state)

    @property
    def pair(self) -> AlignedDecision | None:
        """The decision that is looked at, on both sides."""
        row = self.row
        return None if row is None else self._aligned()[row]

    @property
    def row(self) -> int | None:
        """Its row among the aligned decisions."""
        if self.place is None:
            return None
        return next(
            (at for at, pair in enumerate(self._aligned()) if pair.place == self.place), None
        )

    def list_differing(self, only: bool) -> None:
        """List only decisions that came out differently, or all of them."""
        if only != self.only_differing:
            self.only_differing = only
            self._list()

    def select(self, row: int | None) -> None:
        """Look at a row of the aligned decisions."""
        place = None if row is None else self._aligned()[row].place
        if place != self.place:
            self._picked = place is not None
            self._look_at(place)

    def select_step(self, step: int) -> None:
        """Look at the most telling decision of the step nearest to this one."""
        aligned = self._aligned()
        if not aligned:
            return
        steps = np.array([pair.place.step for pair in aligned], np.int64)
        near = np.flatnonzero(np.abs(steps - step) == np.abs(steps - step).min())
        telling = near[np.isin(near, self._fired)]
        self.select(int((telling if len(telling) else near)[0]))

    def move(self, direction: int, fired_only: bool = False) -> None:
        """Look at the next (1) or previous (-1) listed decision."""
        rows = self.rows[np.isin(self.rows, self._fired)] if fired_only else self.rows
        here = self.row if self.row is not None else -1
        if direction > 0:
            at = int(np.searchsorted(rows, here, side="right"))
        else:
            at = int(np.searchsorted(rows, here, side="left")) - 1
        if 0 <= at < len(rows):
            self.select(int(rows[at]))

    def _aligned(self) -> tuple[AlignedDecision, ...]:
        result = self._bench.result
        return result.aligned if result is not None else ()

    def _take_state(self) -> None:
        if self._bench.state != "ready":
            self._picked = False
            self.place = None

    def _take_result(self) -> None:
        result, baseline = self._bench.result, self._bench.baseline
        if result is None or baseline is None:
            self._fired = _NO_ROWS
        else:
            self._fired = _fired_rows(result, baseline)
        self._list()
        if not self._picked:
            first = self._first()
            self._look_at(None if first is None else self._aligned()[first].place)
        else:
            self.place_changed.emit()

    def _first(self) -> int | None:
        """Return the first row that differs, else the first that did something."""
        result = self._bench.result
        differing = _NO_ROWS if result is None else np.flatnonzero(result.differing)
        telling = differing if len(differing) else self._fired
        return int(telling[0]) if len(telling) else None

    def _list(self) -> None:
        result = self._bench.result
        if result is None:
            self.rows = _NO_ROWS
        elif self.only_differing:
            self.rows = np.flatnonzero(result.differing)
        else:
            self.rows = np.arange(len(result.aligned))
        self.rows_changed.emit()

    def _look_at(self, place: Place | None) -> None:
        if place != self.place:
            self.place = place
            self.place_changed.emit()


def _fired_rows(result: Result, baseline: ContextTrace) -> Rows:
    """Return the rows where either side did something."""
    left, right = _fires(baseline), _fires(result.trace)
    fired = [left[pair.a] or right[pair.b] for pair in result.aligned]
    return np.flatnonzero(np.array(fired, np.bool_))


def _fires(trace: ContextTrace) -> list[bool]:
    """Return for each row whether it did something; the last entry answers for a missing row."""
    by_code = [name in OUTCOMES and OUTCOMES[name].fired for name in trace.decisions.outcomes]
    return [*np.array(by_code, np.bool_)[trace.decisions.outcome].tolist(), False]
