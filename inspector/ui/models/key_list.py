"""What can be done, and with which key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from inspector.ui.models.row_table import Cell, Column, RowTableModel


class KeyListModel(RowTableModel):
    """One row an action that has a key."""

    COLUMNS = (Column("key", 136, fixed=True), Column("does", 0))

    def __init__(self, told: Sequence[tuple[str, str]], parent: QObject | None = None) -> None:
        """Show actions.

        Args:
            told: Text and keys of each action.
            parent: What owns the model.
        """
        super().__init__(parent)
        self._told = told

    def row_count(self) -> int:
        return len(self._told)

    def cell(self, row: int, column: int) -> Cell:
        text, keys = self._told[row]
        return Cell(keys, "accent") if column == 0 else Cell(text)
