"""One line of marks and texts: legends, headers, badges."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.ui import theme
from inspector.ui.models.row_table import Cell, plain_tip
from inspector.ui.widgets.cell_painter import cell_width, paint_cell

_GAP = 2 * theme.GRID


class CellLine(QWidget):
    """Paints cells side by side; what does not fit is cut at the end and told by the tool tip."""

    def __init__(
        self, cells: Sequence[Cell] = (), parent: QWidget | None = None, right: bool = False
    ) -> None:
        """Show cells.

        Args:
            cells: What is shown.
            parent: The widget it is in.
            right: Whether the line ends at the right edge.
        """
        super().__init__(parent)
        self._cells: Sequence[Cell] = ()
        self._right = right
        fills = QSizePolicy.Policy.Expanding if right else QSizePolicy.Policy.Preferred
        self.setSizePolicy(fills, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.ROW)
        self.show_cells(cells)

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """Show other cells."""
        self._cells = tuple(cells)
        told = " · ".join(cell.tip or cell.text + cell.aside for cell in cells)
        self.setAccessibleName(told)
        self.setToolTip(plain_tip(told) if len(told) < 300 else "")
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return what the line says."""
        return self.accessibleName()

    def sizeHint(self) -> QSize:
        widths = [cell_width(cell) for cell in self._cells]
        return QSize(int(sum(widths) + _GAP * max(len(widths) - 1, 0)) + 2, theme.ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, theme.ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        chosen = theme.colours(self.palette())
        room = self.width() - self.sizeHint().width()
        left = float(max(room, 0)) if self._right else 0.0
        for cell in self._cells:
            rect = QRectF(left, 0, self.width() - left, self.height())
            left = paint_cell(painter, rect, cell, chosen) + _GAP
