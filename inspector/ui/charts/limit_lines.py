"""The limits of a chart: levels with their names, of which none hides another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication

from inspector.ui import formats, theme
from inspector.ui.charts.step_box import StepBox
from inspector.ui.models.marks import Tone

Limit = tuple[str, int]
"""Name and tokens."""

_TONES: tuple[Tone, ...] = ("compress", "summary", "prefix", "tail")
_NAME_HEIGHT = 18
_NAME_LEFT = 4
"""Pixels from the edge, and between two names."""
_REACH = 4
"""Pixels from a line within which the pointer is on it."""


class LimitLines:
    """A labelled line for each limit, and one for the capacity."""

    def __init__(self, plot: pg.PlotWidget, box: StepBox) -> None:
        """Show none yet.

        Args:
            plot: What they are drawn in.
            box: Its coordinates.
        """
        self._plot = plot
        self._box = box
        self._lines: list[_LimitLine] = []
        self._shown: tuple[Sequence[Limit], int | None, int | None] = (), None, None
        self._capacity = self._add(_LimitLine(Qt.PenStyle.DotLine, 0.996, (1, 1)))
        for signal in (box.sigResized, box.sigYRangeChanged):
            signal.connect(self._place_names)

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
        limits, capacity, picked = self._shown
        while len(self._lines) < len(limits):
            self._lines.append(self._add(_LimitLine(Qt.PenStyle.DashLine, 0.004, (0, 0))))
        for at, (line, limit) in enumerate(zip_longest(self._lines, limits)):
            line.show_limit(limit, _TONES[at % len(_TONES)], strong=at == picked)
        whole = None if capacity is None else (f"capacity {formats.number(capacity)}", capacity)
        self._capacity.show_limit(whole, "failure")
        self._place_names()

    def name_area(self, at: int) -> QRectF:
        """Return where the name of a limit stands in the scene."""
        area: QRectF = self._lines[at].label.sceneBoundingRect()
        return area

    def at(self, position: QPointF) -> int | None:
        """Return which limit's name or line lies at a position of the scene, names first."""
        shown = [(at, line) for at, line in enumerate(self._lines) if line.isVisible()]
        for at, _ in shown:
            if self.name_area(at).contains(position):
                return at
        tokens, pixel = self._box.mapSceneToView(position).y(), self._box.tokens_per_pixel()
        near = [(abs(line.value() - tokens) / pixel, at) for at, line in shown]
        distance, at = min(near, default=(np.inf, 0))
        return at if distance <= _REACH else None

    def _add(self, line: _LimitLine) -> _LimitLine:
        self._plot.addItem(line, ignoreBounds=True)
        return line

    def _place_names(self) -> None:
        """Set the names of limits that lie close together side by side."""
        pixel, width = self._box.tokens_per_pixel(), max(self._box.width(), 1)
        above, left = np.inf, 0.0
        for line in sorted(self._lines, key=lambda line: -line.value()):
            if line.isVisible():
                left = left if (above - line.value()) / pixel < _NAME_HEIGHT else 0.0
                line.label.setPosition((_NAME_LEFT + left) / width)
                left += line.label.boundingRect().width() + _NAME_LEFT
                above = line.value()


class _LimitLine(pg.InfiniteLine):
    """A level with its name; it is moved rather than made anew, which is quicker by far."""

    def __init__(self, style: Qt.PenStyle, place: float, anchor: tuple[int, int]) -> None:
        """Prepare a line.

        Args:
            style: Of the line.
            place: Where the label stands, as a share of the width.
            anchor: Which corner of the label stands there.
        """
        super().__init__(
            angle=0, label="", labelOpts={"position": place, "anchors": [anchor, anchor]}
        )
        self._style = style
        self.setZValue(30)
        self.label.setFont(theme.interface_font())
        self.hide()

    def show_limit(self, limit: Limit | None, tone: Tone, strong: bool = False) -> None:
        """Show a name and its tokens, or nothing."""
        self.setVisible(limit is not None)
        if limit is None:
            return
        name, tokens = limit
        chosen = theme.colours(QGuiApplication.palette())
        fill = QColor(chosen.surface)
        fill.setAlpha(130)
        self.setPen(pg.mkPen(chosen.tone(tone), width=2 if strong else 1, style=self._style))
        self.label.setColor(chosen.tone(tone))
        self.label.fill = pg.mkBrush(fill)
        self.label.setFormat(formats.one_line(name).replace("{", "{{").replace("}", "}}"))
        self.setValue(tokens)
