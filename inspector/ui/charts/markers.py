"""The marks of a chart: above the curve what was done, below it recalls, along the foot declines.

They are thinned to what a pixel can show, so a million of them cost as much as the chart is wide.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication, QPainter, QTransform

from inspector.ui import theme
from inspector.ui.charts.step_item import StepItem
from inspector.ui.charts.step_scale import StepScale
from inspector.ui.charts.timeline_data import MarkerGroup
from inspector.ui.models.marks import Shape, Tone
from inspector.ui.shapes import paint_shapes

_RING = 6.0
_MARK = 12.0
"""Width of a shape, in pixels."""
_RING_SPACING = {True: 6.0, False: 13.0}
"""Pixels from ring to ring, near the limit and far from it."""
_MARK_SPACING = 7.0
_FOOT = 10
"""Pixels of a ring below the line of no tokens."""
_LIFTS: dict[Shape, float] = {"cross": 20, "arrow_up": -11}
_LIFT = 9
"""Pixels above the curve."""
_LOWEST = 8
"""Pixels above the line of no tokens that a mark is at least, so that it covers no ring."""


class Markers(StepItem):
    """The marks of one session."""

    def __init__(self, tone: Tone | None = None) -> None:
        """Show none yet.

        Args:
            tone: Of all of them; where none is given, each has that of its kind.
        """
        super().__init__()
        self._tone = tone
        self._groups: tuple[MarkerGroup, ...] = ()
        self.setZValue(20)

    def show_groups(self, groups: tuple[MarkerGroup, ...]) -> None:
        """Show other marks."""
        self._groups = groups
        self.update()

    def _tone_of(self, group: MarkerGroup) -> Tone:
        if self._tone is not None:
            return self._tone
        if not group.near_limit:
            return "faint"
        return "text" if group.declined else group.mark.tone

    def paint_pixels(self, painter: QPainter, turn: QTransform) -> None:
        chosen, scale = theme.colours(QGuiApplication.palette()), self.getViewBox().scale()
        for group in self._groups:
            paint_shapes(
                painter,
                group.mark.shape,
                _centres(group, scale, turn),
                _RING if group.declined else _MARK,
                chosen.tone(self._tone_of(group)),
                group.mark.hollow,
            )


def _centres(group: MarkerGroup, scale: StepScale, turn: QTransform) -> list[QPointF]:
    """Return where the marks of a group stand in the chart, in pixels."""
    spacing = _RING_SPACING[group.near_limit] if group.declined else _MARK_SPACING
    steps = group.steps[scale.thinned(group.steps, spacing)]
    x = steps * turn.m11() + turn.dx()
    if group.declined:
        y = np.full(len(x), turn.dy() + _FOOT)
    else:
        lift = _LIFTS.get(group.mark.shape, _LIFT)
        levels = np.nan_to_num(group.levels[steps]) * turn.m22() + turn.dy()
        y = np.minimum(levels - lift, turn.dy() - _LOWEST)
    return [QPointF(*place) for place in zip(x.tolist(), y.tolist(), strict=True)]
