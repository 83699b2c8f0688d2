"""Points by two figures, with the line through the best of them; a click chooses one.

The arrow keys go from point to point by the horizontal figure, Enter chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from inspector.ui import theme

_LEFT, _RIGHT, _TOP, _BOTTOM = 68, 24, 24, 40
_POINT, _BEST = 3.5, 5.0
_REACH = 12
"""Pixels from a point within which the pointer is on it."""


class ScatterPoint(NamedTuple):
    """A point with what is said of it."""

    x: float
    y: float
    best: bool
    told: str
    group: str = ""
    """Each group has a line of its own."""


class ScatterPlot(QWidget):
    """Two axes, points, a front.

    Signals:
        point_chosen: the place of a point in the list.
    """

    point_chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: Sequence[ScatterPoint] = ()
        self._titles = ("", "")
        self._write: tuple[Callable[[float], str], Callable[[float], str]] = (str, str)
        self._current: int | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def show_points(
        self,
        points: Sequence[ScatterPoint],
        titles: tuple[str, str],
        write: tuple[Callable[[float], str], Callable[[float], str]],
    ) -> None:
        """Show other points.

        Args:
            points: In any order.
            titles: Of the horizontal and the vertical axis.
            write: How the numbers of each are written.
        """
        self._points, self._titles, self._write = points, titles, write
        self._current = None
        self.update()

    def place_of(self, at: int) -> QPointF:
        """Return where a point is painted."""
        (left, right), (low, high) = self._ranges()
        point, area = self._points[at], self._area()
        x = area.left() + (point.x - left) / (right - left) * area.width()
        y = area.bottom() - (point.y - low) / (high - low) * area.height()
        return QPointF(x, y)

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)

    def _ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return _range([p.x for p in self._points]), _range([p.y for p in self._points])

    def _at(self, position: QPointF) -> int | None:
        distances = [
            ((self.place_of(at) - position).manhattanLength(), at)
            for at in range(len(self._points))
        ]
        distance, at = min(distances, default=(_REACH + 1, 0))
        return at if distance <= _REACH else None

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position())
        self.setCursor(
            Qt.CursorShape.ArrowCursor if at is None else Qt.CursorShape.PointingHandCursor
        )
        QToolTip.showText(
            event.globalPosition().toPoint(), "" if at is None else self._points[at].told, self
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self._go_to(at)
            self.point_chosen.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        order = sorted(range(len(self._points)), key=lambda at: self._points[at][:2])
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None and order:
            here = order.index(self._current) if self._current is not None else -step
            self._go_to(order[min(max(here + step, 0), len(order) - 1)])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.point_chosen.emit(self._current)
        else:
            super().keyPressEvent(event)

    def _go_to(self, at: int) -> None:
        self._current = at
        self.setAccessibleDescription(self._points[at].told)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._points:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = theme.colours(self.palette())
        self._paint_axes(painter, chosen)
        painter.setPen(QPen(QColor(chosen.accent), 1))
        for group in dict.fromkeys(point.group for point in self._points):
            best = sorted(
                (p.x, p.y, at) for at, p in enumerate(self._points) if p.best and p.group == group
            )
            painter.drawPolyline([self.place_of(at) for _, _, at in best])
        painter.setPen(Qt.PenStyle.NoPen)
        for at, point in enumerate(self._points):
            painter.setBrush(QColor(chosen.accent if point.best else chosen.faint))
            size = _BEST if point.best else _POINT
            painter.drawEllipse(self.place_of(at), size, size)
        if self._current is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(chosen.text), 1.5))
            painter.drawEllipse(self.place_of(self._current), _BEST + 3, _BEST + 3)

    def _paint_axes(self, painter: QPainter, chosen: theme.Colours) -> None:
        area = self._area()
        painter.setFont(theme.small_font())
        painter.setPen(QColor(chosen.grid))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        painter.setPen(QColor(chosen.muted))
        flags = Qt.AlignmentFlag
        for point in (min(self._points), max(self._points)):
            x = self.place_of(self._points.index(point)).x()
            box = QRectF(min(x - 60, self.width() - 122), area.bottom() + 4, 120, 16)
            painter.drawText(box, flags.AlignHCenter, self._write[0](point.x))
        for point in sorted(self._points, key=lambda p: p.y)[:: len(self._points) - 1 or 1]:
            y = self.place_of(self._points.index(point)).y()
            box = QRectF(0, y - 8, _LEFT - 6, 16)
            painter.drawText(box, flags.AlignRight | flags.AlignVCenter, self._write[1](point.y))
        painter.drawText(
            QRectF(area.left(), area.bottom() + 20, area.width(), 16),
            flags.AlignHCenter,
            f"{self._titles[0]} →",
        )
        painter.drawText(QRectF(6, 2, self.width(), 16), flags.AlignLeft, f"{self._titles[1]} ↑")


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return a range around the values that is not empty."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return low - margin, high + margin
