"""The timeline: tokens over steps, limits, decisions, the filtered stretch, the current step."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from inspector.ui import theme
from inspector.ui.charts.step_box import Extent
from inspector.ui.charts.step_curve import NO_LINE
from inspector.ui.charts.step_plot import StepPlot
from inspector.ui.charts.timeline_data import TimelineData


class Timeline(StepPlot):
    """The chart of one context."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Timeline of tokens in the window", movable=True, parent=parent)
        self._curve = self.add_curve()
        self._markers = self.add_markers()
        self.dress()

    def show_data(self, data: TimelineData | None) -> None:
        """Draw another context, all of it in sight; None: it has no steps."""
        self.show_extent(None)
        if data is not None:
            self.show_extent(self._draw(data))
        else:
            self._curve.set_line(*NO_LINE)
            self._markers.show_groups(())
            self.limits.show_limits((), None)

    def grow(self, data: TimelineData, reveal: bool) -> None:
        """Draw more of the context; where all was in sight, or to reveal it, all of it in sight."""
        self.grow_extent(self._draw(data), reveal)

    def dress(self) -> None:
        super().dress()
        accent = theme.colours(self.palette()).accent
        self._curve.set_pen(pg.mkPen(accent, width=1.5))

    def _draw(self, data: TimelineData) -> Extent:
        self._curve.set_line(data.steps, data.tokens)
        self._markers.show_groups(data.groups)
        self.limits.show_limits(data.limits, data.capacity)
        return Extent(data.first, data.last, data.top)
