"""What is drawn over the steps in sight, in pixels whatever the zoom."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform


class StepItem(pg.GraphicsObject):
    """The base of curves, marks and limits; they reach over all that is in sight."""

    def paint_pixels(self, painter: QPainter, turn: QTransform) -> None:
        """Paint; `turn` leads from steps and tokens to pixels, without a rotation."""
        raise NotImplementedError

    def viewRangeChanged(self, view: Any = None, range: Any = None) -> None:
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return QRectF() if box is None else QRectF(box.viewRect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        turn = painter.transform()
        painter.save()
        painter.resetTransform()
        self.paint_pixels(painter, turn)
        painter.restore()
