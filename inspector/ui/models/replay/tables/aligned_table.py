"""The decisions of two runs side by side: one row a place, straight from the columns of both."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from inspector.trace.context_trace import NO_NUMBER, ContextTrace
from inspector.ui import formats
from inspector.ui.models.marks import Mark, Tone, outcome_mark
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.row_table import Cell, Column, RowTableModel, retitled

STEP, DIFFERS, PROCESSOR, LEFT, LEFT_TOKENS, RIGHT, RIGHT_TOKENS = range(7)
_DIFFERS = Mark("diamond", "accent", "came out differently", hollow=True)
_FIRST = Mark("diamond", "accent", "first divergence")


class AlignedTableModel(RowTableModel):
    """Step, processor, outcome and tokens of each side."""

    COLUMNS: tuple[Column, ...] = (
        Column("step", 46, right=True, fixed=True, tip="Number of the window request"),
        Column("", 22, tip="Filled: the first divergence. Hollow: came out differently."),
        Column("processor", 0),
        Column("baseline", 106),
        Column("tokens", 68, right=True, fixed=True, tip="Tokens of the window, checked"),
        Column("candidate", 106),
        Column("tokens", 68, right=True, fixed=True, tip="Tokens of the window, checked"),
    )

    def __init__(
        self, bench: ReplayBench, selection: AlignedSelection, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._selection = selection
        self._first = -1
        selection.rows_changed.connect(self._relist)

    def aligned_row(self, row: int) -> int:
        """Return the aligned decision that is listed in a row of the table."""
        return int(self._selection.rows[row])

    def listed_row(self, aligned_row: int | None) -> int | None:
        """Return where an aligned decision is listed, None when it is filtered out."""
        if aligned_row is None:
            return None
        at = int(self._selection.rows.searchsorted(aligned_row))
        listed = at < len(self._selection.rows) and self._selection.rows[at] == aligned_row
        return at if listed else None

    def row_count(self) -> int:
        return len(self._selection.rows) if self._bench.result is not None else 0

    def cell(self, row: int, column: int) -> Cell:
        result, baseline = self._bench.result, self._bench.baseline
        assert result is not None
        assert baseline is not None
        at = self.aligned_row(row)
        pair, differs = result.aligned[at], bool(result.differing[at])
        tone: Tone = "text" if differs else "muted"
        if column == STEP:
            return Cell(formats.number(pair.place.step), tone)
        if column == DIFFERS:
            mark = (_FIRST if at == self._first else _DIFFERS) if differs else None
            return Cell("", mark=mark)
        if column == PROCESSOR:
            name = formats.one_line(pair.place.processor)
            return Cell(name.removesuffix("Compressor"), tone, tip=name)
        trace, side = (
            (baseline, pair.a) if column in (LEFT, LEFT_TOKENS) else (result.trace, pair.b)
        )
        if column in (LEFT, RIGHT):
            return _outcome(trace, side, differs)
        return _tokens(trace, side)

    def _relist(self) -> None:
        self.beginResetModel()
        result = self._bench.result
        differs = result is not None and bool(result.differing.any())
        self._first = int(np.argmax(result.differing)) if result is not None and differs else -1
        self.COLUMNS = retitled(self.COLUMNS, LEFT, self._bench.baseline_name)
        self.endResetModel()


def _outcome(trace: ContextTrace, row: int, differs: bool) -> Cell:
    if row < 0:
        return Cell("none", "faint", tip="The processor decided nothing here")
    columns = trace.decisions
    mark = outcome_mark(columns.outcomes[columns.outcome[row]], bool(columns.inferred[row]))
    code = int(columns.reason[row])
    reason = columns.reasons[code] if code >= 0 else ""
    tip = f"{mark.told}: {reason}" if reason else mark.told
    return Cell(mark.told, mark.tone if differs or mark.shape != "ring" else "muted", mark, tip=tip)


def _tokens(trace: ContextTrace, row: int) -> Cell:
    total = int(trace.decisions.total[row]) if row >= 0 else NO_NUMBER
    if total == NO_NUMBER:
        return Cell(formats.UNKNOWN, "faint")
    return Cell(formats.number(total, formats.is_estimate(trace.method)), "muted")
