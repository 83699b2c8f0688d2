"""A line over steps that costs as much as the chart is wide, however many steps it has.

As long as there is room the line is drawn point by point and smoothed. Beyond that each pixel
keeps the first, smallest, largest and last value (measured: 8 ms for a million points, where
smoothing all of them takes seconds).
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QTransform

from inspector.ui.charts.step_item import StepItem
from inspector.ui.charts.step_scale import Line

_CROWDED = 2.0
"""Points a pixel beyond which the line is thinned."""
_SPARSE = 24
"""Pixels a point from which each point is a dot, so that a single one can be seen."""
_DOT = 4.0
"""Pixels across."""
NO_LINE: tuple[Line, Line] = np.empty(0), np.empty(0)


class StepCurve(StepItem):
    """One line of a chart."""

    def __init__(self) -> None:
        super().__init__()
        self._steps, self._tokens = NO_LINE
        self._pen = QPen()

    def set_line(self, steps: Line, tokens: Line) -> None:
        """Show another line; steps ascend, NaN among the tokens parts it."""
        self._steps, self._tokens = steps, tokens
        self.prepareGeometryChange()
        self.update()

    def set_pen(self, pen: QPen) -> None:
        """Draw with another pen, whose width is in pixels."""
        self._pen = pen
        self.update()

    def paint_pixels(self, painter: QPainter, turn: QTransform) -> None:
        scale = self.getViewBox().scale()
        steps, tokens = scale.seen(self._steps, self._tokens)
        if not len(steps):
            return
        crowded = len(steps) > _CROWDED * scale.width
        if crowded:
            steps, tokens = scale.envelope(steps, tokens)
        path = pg.arrayToQPath(
            steps * turn.m11() + turn.dx(), tokens * turn.m22() + turn.dy(), connect="finite"
        )
        pen = QPen(self._pen)
        pen.setCosmetic(False)  # so that a screen of high density gets its share of pixels
        if crowded:
            pen.setWidthF(1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, not crowded)
        painter.setPen(pen)
        painter.drawPath(path)
        if len(steps) * _SPARSE < scale.width:
            _paint_dots(painter, steps * turn.m11() + turn.dx(), tokens * turn.m22() + turn.dy())


def _paint_dots(painter: QPainter, x: Line, y: Line) -> None:
    known = np.isfinite(y)
    pen = QPen(painter.pen().color(), _DOT, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    for left, top in zip(x[known], y[known], strict=True):
        painter.drawPoint(QPointF(float(left), float(top)))
