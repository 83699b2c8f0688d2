"""A splitter whose handle is one thin line with room around it to take hold of."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from inspector.ui import theme

_GRIP = 5


class ThinSplitter(QSplitter):
    """Parts that share a side, parted by a thin line."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(_GRIP)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class _Handle(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        line = QColor(theme.colours(self.palette()).line)
        middle = _GRIP // 2
        across = self.orientation() == Qt.Orientation.Vertical
        QPainter(self).fillRect(
            QRect(0, middle, self.width(), 1) if across else QRect(middle, 0, 1, self.height()),
            line,
        )
