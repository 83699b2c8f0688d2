"""The limits of a chart: levels across it, with their names in the margin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPen, QTransform

from inspector.ui import formats, theme
from inspector.ui.charts.limit_names import LimitName, LimitNames
from inspector.ui.charts.step_box import StepBox
from inspector.ui.charts.step_item import StepItem
from inspector.ui.models.marks import Tone

Limit = tuple[str, int]
"""Name and tokens."""

_TONES: tuple[Tone, ...] = ("compress", "summary", "prefix", "tail")
_DASHES, _DOTS = (4.0, 2.0), (1.0, 2.0)
"""Of a limit, and of the capacity; on and off, in widths of the line."""
_REACH = 4
"""Pixels from a line within which the pointer is on it."""


class LimitLines(StepItem):
    """A named line for each limit, and one for the capacity."""

    def __init__(self, box: StepBox, names: LimitNames) -> None:
        """Show none yet.

        Args:
            box: The coordinates they are drawn in.
            names: The margin of the plot.
        """
        super().__init__()
        self._box = box
        self._names = names
        self._limits: Sequence[Limit] = ()
        self._told: list[LimitName] = []
        """The limits in their order, and the capacity last."""
        self.setZValue(30)

    def show_limits(
        self, limits: Sequence[Limit], capacity: int | None, picked: int | None = None
    ) -> None:
        """Show other limits.

        Args:
            limits: Those of the processors.
            capacity: Tokens of the whole window.
            picked: The limit that keys move, drawn stronger.
        """
        told = [
            LimitName(formats.one_line(name), tokens, _TONES[at % len(_TONES)], at == picked)
            for at, (name, tokens) in enumerate(limits)
        ]
        if capacity is not None:
            told.append(LimitName(f"capacity {formats.number(capacity)}", capacity, "failure"))
        if told != self._told:
            self._limits, self._told = limits, told
            self._names.show_names([told[at] for at in self._order()])
            self.update()

    def name_area(self, at: int) -> QRectF:
        """Return where the name of a limit stands in the scene."""
        area: QRectF = self._names.mapRectToScene(self._names.areas()[self._order().index(at)])
        return area

    def at(self, position: QPointF) -> int | None:
        """Return which limit's name or line lies at a position of the scene, names first."""
        for at in range(len(self._limits)):
            if self.name_area(at).contains(position):
                return at
        tokens, pixel = self._box.mapSceneToView(position).y(), self._box.tokens_per_pixel()
        near = [(abs(limit - tokens) / pixel, at) for at, (_, limit) in enumerate(self._limits)]
        distance, at = min(near, default=(np.inf, 0))
        return at if distance <= _REACH else None

    def _order(self) -> list[int]:
        """Return which limits the names in the margin belong to, from the top."""
        return sorted(range(len(self._told)), key=lambda at: -self._told[at].tokens)

    def paint_pixels(self, painter: QPainter, turn: QTransform) -> None:
        chosen, sight = theme.colours(QGuiApplication.palette()), self.boundingRect()
        left, right = (x * turn.m11() + turn.dx() for x in (sight.left(), sight.right()))
        for each in self._told:
            pen = QPen(chosen.tone(each.tone), 2 if each.strong else 1)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern(_DOTS if each.tone == "failure" else _DASHES)
            painter.setPen(pen)
            y = round(each.tokens * turn.m22() + turn.dy())
            painter.drawLine(QPointF(left, y), QPointF(right, y))
