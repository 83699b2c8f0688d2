"""Figures over two settings: one cell a combination, stronger the better; a click chooses one.

The arrow keys go from cell to cell, Enter chooses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from inspector.ui import theme

_LEFT, _TOP, _BOTTOM, _RIGHT = 84, 24, 40, 12
_WEAKEST, _STRONGEST = 24, 200
"""Opacity of the worst and of the best cell, of 255."""

Place = tuple[int, int]
"""Column and row."""


class HeatCell(NamedTuple):
    """A cell of the map."""

    at: int
    """The place of its combination in the list."""
    share: float
    """From 0, the worst, to 1, the best."""
    told: str


class HeatMap(QWidget):
    """A grid of cells.

    Signals:
        cell_chosen: the place of a combination in the list.
    """

    cell_chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells: Mapping[Place, HeatCell] = {}
        self._columns: Sequence[str] = ()
        self._rows: Sequence[str] = ()
        self._titles = ("", "")
        self._current: Place = (0, 0)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_cells(
        self,
        cells: Mapping[Place, HeatCell],
        columns: Sequence[str],
        rows: Sequence[str],
        titles: tuple[str, str],
    ) -> None:
        """Show another map.

        Args:
            cells: What is known, by column and row; rows count from the bottom.
            columns: The values across.
            rows: The values upwards.
            titles: Of the settings across and upwards.
        """
        self._cells, self._columns, self._rows, self._titles = cells, columns, rows, titles
        self._current = (0, 0)
        self.update()

    def rect_of(self, place: Place) -> QRectF:
        """Return where a cell is painted."""
        area = QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)
        width = area.width() / max(len(self._columns), 1)
        height = area.height() / max(len(self._rows), 1)
        column, row = place
        return QRectF(
            area.left() + column * width, area.bottom() - (row + 1) * height, width, height
        )

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for place, cell in self._cells.items():
            if self.rect_of(place).contains(event.position()):
                self._go_to(place)
                self.cell_chosen.emit(cell.at)
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1),
            Qt.Key.Key_Down: (0, -1),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is not None:
            place = self._current[0] + move[0], self._current[1] + move[1]
            if place in self._cells:
                self._go_to(place)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._current in self._cells:
                self.cell_chosen.emit(self._cells[self._current].at)
        else:
            super().keyPressEvent(event)

    def _go_to(self, place: Place) -> None:
        self._current = place
        self.setAccessibleDescription(self._cells[place].told)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._cells:
            return
        painter = QPainter(self)
        chosen = theme.colours(self.palette())
        painter.setFont(theme.small_font())
        metrics = QFontMetricsF(theme.small_font())
        for place, cell in self._cells.items():
            box = self.rect_of(place).adjusted(0.5, 0.5, -0.5, -0.5)
            colour = QColor(chosen.accent)
            colour.setAlpha(round(_WEAKEST + cell.share * (_STRONGEST - _WEAKEST)))
            painter.fillRect(box, colour)
            if metrics.horizontalAdvance(cell.told) < box.width() and box.height() > 14:
                painter.setPen(QColor(chosen.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, cell.told)
        if self._current in self._cells:
            painter.setPen(QPen(QColor(chosen.text), 1.5))
            painter.drawRect(self.rect_of(self._current).adjusted(1, 1, -1, -1))
        self._paint_axes(painter, chosen)

    def _paint_axes(self, painter: QPainter, chosen: theme.Colours) -> None:
        flags = Qt.AlignmentFlag
        painter.setPen(QColor(chosen.muted))
        below = self.rect_of((0, 0)).bottom()
        for column, text in enumerate(self._columns):
            box = self.rect_of((column, 0))
            painter.drawText(
                QRectF(box.left(), below + 3, box.width(), 16), flags.AlignHCenter, text
            )
        for row, text in enumerate(self._rows):
            box = self.rect_of((0, row))
            painter.drawText(
                QRectF(0, box.top(), _LEFT - 6, box.height()),
                flags.AlignRight | flags.AlignVCenter,
                text,
            )
        across, up = self._titles
        middle = QPointF(self.rect_of((0, 0)).left(), below + 20)
        painter.drawText(QRectF(middle.x(), middle.y(), self.width() - _LEFT, 16), 0, f"{across} →")
        above = QRectF(6, 2, self.width() - 6 - _RIGHT, 16)
        painter.drawText(above, flags.AlignLeft, f"{up} ↑")
        painter.drawText(above, flags.AlignRight, "stronger is better")
