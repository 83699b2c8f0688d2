"""The shapes of marks, painted as polygons so that they look the same with every font.

A hollow shape is outlined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QTransform

from inspector.ui import theme
from inspector.ui.models.marks import Shape

_Corners = list[tuple[float, float]]


@cache
def path_of(shape: Shape) -> QPainterPath:
    """Return a shape within the square from -1 to 1; empty for those that are strokes or text."""
    path = QPainterPath()
    if shape == "ring":
        path.addEllipse(QPointF(0, 0), 0.72, 0.72)
    for corners in _POLYGONS.get(shape, ()):
        path.addPolygon([QPointF(x, y) for x, y in corners])
        path.closeSubpath()
    return path


def _rectangle(left: float, top: float, right: float, bottom: float) -> _Corners:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _cross(half: float) -> _Corners:
    """Return an upright cross with arms of twice `half`, turned by an eighth."""
    arm, h = 1.1, half
    corners = [(-h, -arm), (h, -arm), (h, -h), (arm, -h), (arm, h), (h, h)]
    corners += [(-x, -y) for x, y in corners]
    eighth = 0.5**0.5
    return [((x - y) * eighth, (x + y) * eighth) for x, y in corners]


_ARROW = [(-0.22, 0), (-0.22, -1), (0.22, -1), (0.22, 0), (0.8, 0), (0, 0.95), (-0.8, 0)]
_POLYGONS: Mapping[Shape, Sequence[_Corners]] = {
    "triangle": [[(-0.95, -0.75), (0.95, -0.75), (0, 0.9)]],
    "diamond": [[(0, -1), (0.85, 0), (0, 1), (-0.85, 0)]],
    "bars": [_rectangle(-0.9, -0.8, 0.9, -0.2), _rectangle(-0.9, 0.2, 0.9, 0.8)],
    "page": [[(-0.7, -1), (0.2, -1), (0.7, -0.5), (0.7, 1), (-0.7, 1)]],
    "square": [_rectangle(-0.8, -0.8, 0.8, 0.8)],
    "cross": [_cross(0.3)],
    "arrow": [_ARROW],
    "arrow_up": [[(x, -y) for x, y in _ARROW]],
}


def paint_shape(
    painter: QPainter, shape: Shape, centre: QPointF, size: float, colour: QColor, hollow: bool
) -> None:
    """Paint a shape around a point."""
    paint_shapes(painter, shape, (centre,), size, colour, hollow)


def paint_shapes(
    painter: QPainter,
    shape: Shape,
    centres: Iterable[QPointF],
    size: float,
    colour: QColor,
    hollow: bool,
) -> None:
    """Paint a shape around each of several points."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if shape == "question":
        _paint_questions(painter, centres, size, colour)
    else:
        area = _area(shape, size, hollow)
        for centre in centres:
            painter.fillPath(area.translated(centre), colour)
    painter.restore()


@cache
def _area(shape: Shape, size: float, hollow: bool) -> QPainterPath:
    """Return what is filled for a shape, so many pixels wide; of an outline, the line itself."""
    outlined = hollow or shape == "ring"
    if shape in _STROKES:
        pen = QPen(Qt.GlobalColor.black, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        path, scale = _strokes(shape), size / 2
    elif outlined:
        pen = QPen(Qt.GlobalColor.black, 1.2)
        if shape == "ring" and hollow:
            pen.setDashPattern([1.5, 1.5])
        path, scale = path_of(shape), size / 2 - 0.6
    else:
        return _scaled(path_of(shape), size / 2)
    return QPainterPathStroker(pen).createStroke(_scaled(path, scale))


def _scaled(path: QPainterPath, scale: float) -> QPainterPath:
    return QTransform.fromScale(scale, scale).map(path)


def _paint_questions(
    painter: QPainter, centres: Iterable[QPointF], size: float, colour: QColor
) -> None:
    painter.setFont(theme.emphasised(theme.interface_font()))
    painter.setPen(colour)
    for centre in centres:
        room = QRectF(0, 0, size + 4, size + 8)
        room.moveCenter(centre)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, "?")


def _strokes(shape: Shape) -> QPainterPath:
    path = QPainterPath()
    for start, *others in _STROKES[shape]:
        path.moveTo(*start)
        for point in others:
            path.lineTo(*point)
    return path


_STROKES: Mapping[Shape, Sequence[_Corners]] = {
    "check": [[(-0.75, 0.05), (-0.2, 0.6), (0.8, -0.6)]],
    "dash": [[(-0.6, 0), (0.6, 0)]],
    "dots": [[(-0.8, 0), (-0.8, 0.01)], [(0, 0), (0, 0.01)], [(0.8, 0), (0.8, 0.01)]],
}
