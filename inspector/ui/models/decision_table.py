"""The list of decisions, straight from the columns of a trace.

No object per row: a cell is read from numpy when it is painted, and sorting is one `argsort` of the
listed rows, so a million decisions open and sort in a fraction of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from inspector.trace.context_trace import NO_NUMBER, NO_NUMBER_SAVED, DecisionColumns
from inspector.ui import formats
from inspector.ui.models.marks import outcome_mark
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.selection import Rows, Selection

TIME, STEP, PROCESSOR, OUTCOME, REASON, TOKENS, SAVED, TOOK = range(8)
_UNKNOWN = Cell(formats.UNKNOWN, "faint")


class DecisionTableModel(RowTableModel):
    """The listed decisions in the order of a column."""

    COLUMNS = (
        Column("time", 104, fixed=True, tip="Local time of the decision"),
        Column(
            "step",
            64,
            right=True,
            fixed=True,
            tip="Number of the window request within its context",
        ),
        Column("processor", 184, tip="Who decided"),
        Column("outcome", 144, tip="Filled: recorded. Hollow: inferred."),
        Column("reason", 0, tip="Why nothing came of it; `?` after the likeliest of several"),
        Column(
            "tokens / limit",
            152,
            right=True,
            fixed=True,
            tip="Tokens of the window against the threshold",
        ),
        Column(
            "saved",
            80,
            right=True,
            fixed=True,
            tip="Tokens before minus after; a dash where nothing was replaced",
        ),
        Column("took", 72, right=True, fixed=True, tip="Time from the check to the outcome"),
    )

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._order: Rows = selection.rows
        self._sorted_by: tuple[int, bool] = (TIME, False)
        selection.filter_changed.connect(self.relist)

    def trace_row(self, row: int) -> int:
        """Return the row of the trace that is listed in a row of the table."""
        return int(self._order[row])

    def listed_row(self, trace_row: int | None) -> int | None:
        """Return where a row of the trace is listed, None when it is filtered out."""
        if trace_row is None:
            return None
        at = np.flatnonzero(self._order == trace_row)
        return int(at[0]) if len(at) else None

    def relist(self) -> None:
        """List what the selection lists."""
        self.beginResetModel()
        rows = self._selection.rows
        column, descending = self._sorted_by
        trace = self._selection.trace
        if trace is not None and self._sorted_by != (TIME, False):
            key = _sort_key(trace.decisions, column)[rows]
            rows = rows[np.argsort(-key if descending else key, kind="stable")]
        self._order = rows
        self.endResetModel()

    def row_count(self) -> int:
        return len(self._order)

    def cell(self, row: int, column: int) -> Cell:
        trace = self._selection.trace
        assert trace is not None
        return _CELLS[column](
            trace.decisions, int(self._order[row]), formats.is_estimate(trace.method)
        )

    def tip(self, row: int, column: int) -> str:
        trace = self._selection.trace
        if column != TIME or trace is None:
            return super().tip(row, column)
        return formats.date_and_clock(float(trace.decisions.time[self._order[row]]))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order == Qt.SortOrder.DescendingOrder)
        self.relist()


def _sort_key(columns: DecisionColumns, column: int) -> NDArray[np.float64]:
    """Return numbers that order the rows by a column; NaN, which sorts last, where unknown."""
    if column == TIME:
        return np.arange(len(columns), dtype=np.float64)
    if column in (PROCESSOR, OUTCOME, REASON):
        codes, names = {
            PROCESSOR: (columns.processor, columns.processors),
            OUTCOME: (columns.outcome, columns.outcomes),
            REASON: (columns.reason, columns.reasons),
        }[column]
        ranks = np.array([*np.argsort(np.argsort(names)), np.nan])
        return ranks[codes]
    if column == TOOK:
        return columns.duration
    values, missing = {
        STEP: (columns.step, 0),
        TOKENS: (columns.tested, NO_NUMBER),
        SAVED: (columns.saved, NO_NUMBER_SAVED),
    }[column]
    return np.where(values == missing, np.nan, values)


def _time(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    return Cell(formats.clock(float(columns.time[row])), "muted")


def _step(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    step = int(columns.step[row])
    return _UNKNOWN if step <= 0 else Cell(formats.number(step))


def _processor(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    return Cell(columns.processors[columns.processor[row]])


def _outcome(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    mark = outcome_mark(columns.outcomes[columns.outcome[row]], bool(columns.inferred[row]))
    return Cell(mark.told, mark.tone, mark)


def _reason(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    inferred = bool(columns.inferred[row])
    code = int(columns.reason[row])
    if code < 0:
        return Cell("inferred", "muted") if inferred else _UNKNOWN
    return Cell(columns.reasons[code], "muted", aside=" · inferred" if inferred else "")


def _tokens(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    tested, threshold = int(columns.tested[row]), int(columns.threshold[row])
    if tested == NO_NUMBER and threshold == NO_NUMBER:
        return _UNKNOWN
    value = formats.UNKNOWN if tested == NO_NUMBER else formats.number(tested, estimated)
    limit = formats.UNKNOWN if threshold == NO_NUMBER else formats.number(threshold)
    return Cell(f"{value} / {limit}")


def _saved(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    saved = int(columns.saved[row])
    if saved == NO_NUMBER_SAVED:
        return _UNKNOWN
    return Cell(formats.number(saved, estimated), "failure" if saved < 0 else "text")


def _took(columns: DecisionColumns, row: int, estimated: bool) -> Cell:
    seconds = float(columns.duration[row])
    return _UNKNOWN if np.isnan(seconds) else Cell(formats.duration(seconds), "muted")


_CELLS = (_time, _step, _processor, _outcome, _reason, _tokens, _saved, _took)
