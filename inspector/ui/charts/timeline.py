"""The timeline: tokens over steps, limits, decisions, the filtered stretch, the current step."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.ui import theme
from inspector.ui.charts.step_box import Extent
from inspector.ui.charts.step_curve import NO_LINE
from inspector.ui.charts.step_plot import StepPlot
from inspector.ui.charts.timeline_data import recall_marks, timeline_data


class Timeline(StepPlot):
    """The chart of one context."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Timeline of tokens in the window", movable=True, parent=parent)
        self._curve = self.add_curve()
        self._markers = self.add_markers()
        self.dress()

    def show_trace(self, trace: ContextTrace | None) -> None:
        """Draw another context, all of it in sight; nothing where it has no steps."""
        self.show_extent(None)
        if trace is not None and len(trace.steps.number):
            self.show_extent(self._draw(trace))
        else:
            self._curve.set_line(*NO_LINE)
            self._markers.show_groups(())
            self.limits.show((), None)

    def grow(self, trace: ContextTrace, reveal: bool) -> None:
        """Draw more of the context; where all was in sight, or to reveal it, all of it in sight."""
        self.grow_extent(self._draw(trace), reveal)

    def dress(self) -> None:
        super().dress()
        accent = theme.colours(self.palette()).accent
        self._curve.set_pen(pg.mkPen(accent, width=1.5))

    def _draw(self, trace: ContextTrace) -> Extent:
        data = timeline_data(trace)
        self._curve.set_line(data.steps, data.tokens)
        self._markers.show_groups((*data.groups, *recall_marks(trace)))
        self.limits.show(data.limits, data.capacity)
        return Extent(data.first, data.last, data.top)
