"""The limits of a chart: levels across it, with their names in the margin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication

from inspector.ui import formats, theme
from inspector.ui.charts.limit_names import LimitName, LimitNames
from inspector.ui.charts.step_box import StepBox
from inspector.ui.models.marks import Tone

Limit = tuple[str, int]
"""Name and tokens."""

_TONES: tuple[Tone, ...] = ("compress", "summary", "prefix", "tail")
_REACH = 4
"""Pixels from a line within which the pointer is on it."""


class LimitLines:
    """A named line for each limit, and one for the capacity."""

    def __init__(self, plot: pg.PlotWidget, box: StepBox, names: LimitNames) -> None:
        """Show none yet.

        Args:
            plot: What they are drawn in.
            box: Its coordinates.
            names: The margin of the plot.
        """
        self._plot = plot
        self._box = box
        self._names = names
        self._lines: list[pg.InfiniteLine] = []
        self._order: list[int] = []
        """Which line the names in the margin belong to, from the top."""
        self._shown: tuple[Sequence[Limit], int | None, int | None] = (), None, None

    def show(
        self, limits: Sequence[Limit], capacity: int | None, picked: int | None = None
    ) -> None:
        """Show other limits.

        Args:
            limits: Those of the processors.
            capacity: Tokens of the whole window.
            picked: The limit that keys move, drawn stronger.
        """
        if (limits, capacity, picked) != self._shown:
            self._shown = limits, capacity, picked
            self.dress()

    def dress(self) -> None:
        """Draw the limits in the colours that are in force."""
        names = self._told()
        while len(self._lines) < len(names):
            self._lines.append(self._new_line())
        for line in self._lines[len(names) :]:
            line.hide()
        chosen = theme.colours(QGuiApplication.palette())
        for line, name in zip(self._lines, names, strict=False):
            style = Qt.PenStyle.DotLine if name.tone == "failure" else Qt.PenStyle.DashLine
            line.setPen(pg.mkPen(chosen.tone(name.tone), width=1 + name.strong, style=style))
            line.setValue(name.tokens)
            line.show()
        self._order = sorted(range(len(names)), key=lambda at: -names[at].tokens)
        self._names.show_names([names[at] for at in self._order])

    def name_area(self, at: int) -> QRectF:
        """Return where the name of a limit stands in the scene."""
        area: QRectF = self._names.mapRectToScene(self._names.areas()[self._order.index(at)])
        return area

    def at(self, position: QPointF) -> int | None:
        """Return which limit's name or line lies at a position of the scene, names first."""
        limits, _, _ = self._shown
        for at in range(len(limits)):
            if self.name_area(at).contains(position):
                return at
        tokens, pixel = self._box.mapSceneToView(position).y(), self._box.tokens_per_pixel()
        near = [(abs(limit - tokens) / pixel, at) for at, (_, limit) in enumerate(limits)]
        distance, at = min(near, default=(np.inf, 0))
        return at if distance <= _REACH else None

    def _told(self) -> list[LimitName]:
        """Return what stands beside each limit, the capacity last."""
        limits, capacity, picked = self._shown
        names = [
            LimitName(formats.one_line(name), tokens, _TONES[at % len(_TONES)], at == picked)
            for at, (name, tokens) in enumerate(limits)
        ]
        if capacity is not None:
            names.append(LimitName(f"capacity {formats.number(capacity)}", capacity, "failure"))
        return names

    def _new_line(self) -> pg.InfiniteLine:
        """Return a line; lines are moved rather than made anew, which is quicker by far."""
        line = pg.InfiniteLine(angle=0)
        line.setZValue(30)
        self._plot.addItem(line, ignoreBounds=True)
        return line
