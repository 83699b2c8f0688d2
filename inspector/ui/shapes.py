"""The shapes of marks, painted as polygons so that they look the same with every font.

A hollow shape is outlined.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from inspector.ui import theme
from inspector.ui.models.marks import Shape


@cache
def path_of(shape: Shape) -> QPainterPath:
    """Return a shape within the square from -1 to 1; empty for those that are text."""
    path = QPainterPath()
    if shape == "triangle":
        path.addPolygon([QPointF(-0.95, -0.75), QPointF(0.95, -0.75), QPointF(0, 0.9)])
        path.closeSubpath()
    elif shape == "diamond":
        path.addPolygon([QPointF(0, -1), QPointF(0.85, 0), QPointF(0, 1), QPointF(-0.85, 0)])
        path.closeSubpath()
    elif shape == "square":
        path.addRect(QRectF(-0.8, -0.8, 1.6, 1.6))
    elif shape == "ring":
        path.addEllipse(QPointF(0, 0), 0.72, 0.72)
    elif shape in ("cross", "scissors"):
        path = _cross(0.3)
    elif shape == "arrow":
        path.addPolygon(
            [
                QPointF(-0.22, -1),
                QPointF(0.22, -1),
                QPointF(0.22, 0),
                QPointF(0.8, 0),
                QPointF(0, 0.95),
                QPointF(-0.8, 0),
                QPointF(-0.22, 0),
            ]
        )
        path.closeSubpath()
    return path


def _cross(half: float) -> QPainterPath:
    """Return an upright cross with arms of twice `half`, turned by an eighth."""
    arm, h = 1.1, half
    corners = [(-h, -arm), (h, -arm), (h, -h), (arm, -h), (arm, h), (h, h)]
    corners += [(-x, -y) for x, y in corners]
    eighth = 0.5**0.5
    path = QPainterPath()
    path.addPolygon([QPointF((x - y) * eighth, (x + y) * eighth) for x, y in corners])
    path.closeSubpath()
    return path


def paint_shape(
    painter: QPainter, shape: Shape, centre: QPointF, size: float, colour: QColor, hollow: bool
) -> None:
    """Paint a shape around a point; the painter's pen and brush change."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    half = size / 2
    if shape in _STROKES:
        pen = QPen(colour, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        for line in _STROKES[shape]:
            painter.drawPolyline([QPointF(x * half, y * half) for x, y in line])
    elif shape == "question":
        font = theme.emphasised(theme.interface_font())
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(
            QRectF(-half - 2, -half - 4, size + 4, size + 8), Qt.AlignmentFlag.AlignCenter, "?"
        )
    else:
        outlined = hollow or shape == "ring"
        scale = half - (0.6 if outlined else 0)
        pen = QPen(colour, 1.2 / scale)
        if shape == "ring" and hollow:
            pen.setDashPattern([1.5, 1.5])
        painter.setPen(pen if outlined else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if outlined else colour)
        painter.scale(scale, scale)
        painter.drawPath(path_of(shape))
    painter.restore()


_STROKES: dict[str, list[list[tuple[float, float]]]] = {
    "check": [[(-0.75, 0.05), (-0.2, 0.6), (0.8, -0.6)]],
    "dash": [[(-0.6, 0), (0.6, 0)]],
    "dots": [[(-0.8, 0), (-0.8, 0.01)], [(0, 0), (0, 0.01)], [(0.8, 0), (0.8, 0.01)]],
}
