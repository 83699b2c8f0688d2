"""A line that shows where something would be dropped."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector.ui import theme

_THICK = 2


class DropLine(QWidget):
    """Lies over its parent, hidden at first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def show_at(self, y: int, width: int) -> None:
        """Show the line at a height of the parent."""
        self.setGeometry(theme.GRID, y - _THICK // 2, width - 2 * theme.GRID, _THICK)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(theme.colours(self.palette()).accent))
