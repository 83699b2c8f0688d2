"""The failed calls of one decision, and what was done about each."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.trace.decision import Retry
from inspector.ui import formats
from inspector.ui.models.marks import Mark
from inspector.ui.models.row_table import Cell, Column, RowTableModel

_FAILED = Mark("cross", "failure", "failed")

ACTIONS = {
    "budget_ratio_shrink": "asked again with a smaller span",
    "no_smaller_span": "gave up: no smaller span was left",
    "retry_budget_exhausted": "gave up: every smaller budget was tried",
    "transient_backoff": "asked again after a pause",
}
"""What was done, in words."""


class RetryListModel(RowTableModel):
    """One row a failed call."""

    COLUMNS = (
        Column("attempt", 96),
        Column("error", 232),
        Column("what was done", 288),
        Column(
            "budget",
            88,
            right=True,
            fixed=True,
            tip="Share of the capacity that the next call may fill",
        ),
        Column("pause", 88, right=True, fixed=True, tip="Wait before the next call"),
        Column("", 0),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.retries: list[Retry] = []

    def show_retries(self, retries: list[Retry]) -> None:
        """Show other retries."""
        self.beginResetModel()
        self.retries = retries
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.retries)

    def cell(self, row: int, column: int) -> Cell:
        retry = self.retries[row]
        if column == 0:
            return Cell(str(retry.attempt), mark=_FAILED)
        if column == 1:
            return Cell(formats.one_line(retry.error.replace("_", " ").replace(":", ": ")))
        if column == 2:
            return Cell(ACTIONS.get(retry.action, formats.one_line(retry.action)), "muted")
        if column == 3:
            return Cell("" if retry.ratio is None else f"{retry.ratio:.0%}")
        if column == 4:
            return Cell("" if retry.delay is None else formats.duration(retry.delay))
        return Cell("")
