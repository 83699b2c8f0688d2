"""One line of marks and texts: legends, headers, badges."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.ui import theme
from inspector.ui.models.row_table import Cell, plain_tip
from inspector.ui.widgets.mark_painter import mark_width, paint_mark
from inspector.ui.widgets.row_view import fitted

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

    def _width(self, cell: Cell) -> float:
        metrics = QFontMetricsF(theme.interface_font())
        bold = QFontMetricsF(theme.emphasised(theme.interface_font()))
        mark = mark_width(cell.mark) + 6 if cell.mark else 0
        text = (bold if cell.heading else metrics).horizontalAdvance(cell.text)
        return mark + text + metrics.horizontalAdvance(cell.aside)

    def sizeHint(self) -> QSize:
        widths = [self._width(cell) for cell in self._cells]
        return QSize(int(sum(widths) + _GAP * max(len(widths) - 1, 0)) + 2, theme.ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, theme.ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        chosen = theme.colours(self.palette())
        room = self.width() - self.sizeHint().width()
        left = float(max(room, 0)) if self._right else 0.0
        for cell in self._cells:
            left = self._paint(painter, cell, left, chosen) + _GAP

    def _paint(self, painter: QPainter, cell: Cell, left: float, chosen: theme.Colours) -> float:
        if cell.mark:
            paint_mark(painter, cell.mark, QRectF(left, 0, 0, self.height()), chosen)
            left += mark_width(cell.mark) + 6
        font = theme.interface_font()
        font = theme.emphasised(font) if cell.heading else font
        metrics = QFontMetricsF(font)
        baseline = round(self.height() / 2 + metrics.capHeight() / 2)
        text, width = fitted(metrics, cell.text, self.width() - left)
        painter.setFont(font)
        painter.setPen(chosen.tone(cell.tone))
        painter.drawText(QPointF(left, baseline), text)
        left += width
        if cell.aside:
            painter.setFont(theme.interface_font())
            aside, width = fitted(
                QFontMetricsF(theme.interface_font()), cell.aside, self.width() - left
            )
            painter.setPen(QColor(chosen.muted))
            painter.drawText(QPointF(left, baseline), aside)
            left += width
        return left
