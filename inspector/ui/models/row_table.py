"""A table model whose subclasses write only the cells.

A row is whatever the subclass keeps, often nothing but an index into numpy columns; a `Cell` is
made when it is painted and forgotten again. The one delegate (`widgets.row_view`) paints cells
without asking for roles; the roles are here for screen readers, tool tips and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex
from PySide6.QtGui import Qt

from inspector.ui.models.marks import Mark, Tone

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class Cell(NamedTuple):
    """What stands in one place of a table."""

    text: str
    tone: Tone = "text"
    mark: Mark | None = None
    """Painted before the text."""
    aside: str = ""
    """More text behind it, in the muted tone."""
    heading: bool = False
    """In the heavier weight."""
    tip: str = ""
    """Shown on hovering and told to screen readers; where empty, the text."""

    def told(self) -> str:
        """Return what it says to those who hover over it or cannot see it."""
        mark = self.mark.told if self.mark else ""
        return self.tip or " ".join(filter(None, (mark, self.text + self.aside)))


@dataclass(frozen=True)
class Column:
    """A column: its title, and how its cells are set."""

    title: str
    width: int
    """Pixels at the start; 0: takes what is left."""
    right: bool = False
    fixed: bool = False
    """In the fixed-width font."""
    tip: str = ""


def retitled(columns: tuple[Column, ...], at: int, title: str) -> tuple[Column, ...]:
    """Return columns of which one has another title."""
    return (*columns[:at], replace(columns[at], title=title), *columns[at + 1 :])


def plain_tip(text: str) -> str:
    """Return a tool tip that shows a text as it is, even where it looks like markup."""
    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


class RowTableModel(QAbstractTableModel):
    """The plumbing of a table with fixed columns."""

    COLUMNS: tuple[Column, ...] = ()

    def row_count(self) -> int:
        """Return the number of rows."""
        raise NotImplementedError

    def cell(self, row: int, column: int) -> Cell:
        """Return what stands in a row and column; must be quick, as every frame asks."""
        raise NotImplementedError

    def tip(self, row: int, column: int) -> str:
        """Return what hovering over a place tells; for what is too slow to find for every frame."""
        return self.cell(row, column).told()

    def lit(self, row: int) -> bool:
        """Whether a row is lit because it belongs to what the pointer or the selection is on."""
        return False

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self.row_count()

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            cell = self.cell(index.row(), index.column())
            return cell.text + cell.aside
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            tip = self.tip(index.row(), index.column())
            return plain_tip(tip) if role == Qt.ItemDataRole.ToolTipRole else tip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = self.COLUMNS[index.column()].right
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None
