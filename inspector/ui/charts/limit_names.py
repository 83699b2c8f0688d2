"""The names of a chart's limits, in the margin beside it, where they cover no curve and no mark."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPainter

from inspector.ui import theme
from inspector.ui.charts.step_box import StepBox
from inspector.ui.models.marks import Tone

_WIDTH = 156
"""Pixels of the margin; the same for all names, so that the plot keeps its width."""
_LEADER = 12
"""Pixels of the line that leads from a limit to its name."""
_ROOM = _WIDTH - _LEADER
"""Pixels of a name, which goes on in the next line where it is longer."""
_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class LimitName(NamedTuple):
    """What stands beside a limit."""

    text: str
    tokens: int
    tone: Tone
    strong: bool = False


class LimitNames(pg.AxisItem):
    """Each name at the height of its limit, or as near as the others let it."""

    def __init__(self, box: StepBox) -> None:
        """Show none yet.

        Args:
            box: The coordinates of the limits.
        """
        super().__init__("right")
        self._box = box
        self._names: Sequence[LimitName] = ()
        self.show_names(())

    def show_names(self, names: Sequence[LimitName]) -> None:
        """Show other names, the higher limits first."""
        self._names = [name._replace(text=_fitted(name.text)) for name in names]
        self.setWidth(_WIDTH if names else 0)
        self.update()

    def areas(self) -> list[QRectF]:
        """Return where the names stand, in the coordinates of the margin."""
        room = QRectF(0, 0, _ROOM, 1e4)
        heights = [
            _metrics(name.strong).boundingRect(room, _FLAGS, name.text).height()
            for name in self._names
        ]
        wanted = [
            self._level(name) - height / 2
            for name, height in zip(self._names, heights, strict=True)
        ]
        tops = spread(wanted, heights, self.height())
        return [
            QRectF(_LEADER, top, _ROOM, height) for top, height in zip(tops, heights, strict=True)
        ]

    def _level(self, name: LimitName) -> float:
        """Return the height of a limit, in pixels of the margin."""
        return float(self._box.mapViewToScene(QPointF(0, name.tokens)).y() - self.scenePos().y())

    def paint(self, painter: QPainter, *_: Any) -> None:
        chosen = theme.colours(QGuiApplication.palette())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, area in zip(self._names, self.areas(), strict=True):
            colour = chosen.tone(name.tone)
            painter.setPen(pg.mkPen(QColor(colour), width=1))
            level, middle = self._level(name), area.center().y()
            painter.drawLine(QPointF(0, level), QPointF(_LEADER - 4, middle))
            painter.setFont(_font(name.strong))
            painter.drawText(area, _FLAGS, name.text)


@cache
def _font(strong: bool) -> QFont:
    font = theme.interface_font()
    return theme.emphasised(font) if strong else font


@cache
def _metrics(strong: bool) -> QFontMetricsF:
    return QFontMetricsF(_font(strong))


def _fitted(text: str) -> str:
    """Return a name with every word cut to the margin."""
    cut = Qt.TextElideMode.ElideRight
    return " ".join(_metrics(True).elidedText(word, cut, _ROOM) for word in text.split(" "))


def spread(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Return tops near those wanted, in their order, so that nothing covers another.

    Args:
        wanted: Tops, ascending where they are not equal.
        heights: Of each.
        room: The lowest bottom, as far as all of them fit.
    """
    tops: list[float] = []
    free = 0.0
    for top, height in zip(wanted, heights, strict=True):
        tops.append(max(top, free))
        free = tops[-1] + height
    lowest = room
    for at in reversed(range(len(tops))):
        lowest = min(tops[at] + heights[at], lowest) - heights[at]
        tops[at] = max(lowest, 0.0)
    return tops
