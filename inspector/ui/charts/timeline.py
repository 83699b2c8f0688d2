"""The timeline: tokens over steps, limits, decisions, the filtered stretch, the current step."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.ui import theme
from inspector.ui.charts.step_plot import Extent, StepPlot
from inspector.ui.charts.timeline_data import TimelineData, timeline_data


class Timeline(StepPlot):
    """The chart of one context."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Timeline of tokens in the window", parent)
        self._data: TimelineData | None = None
        self._region = pg.LinearRegionItem(swapMode="sort")
        self.plot.addItem(self._region, ignoreBounds=True)
        self._region.setZValue(-10)
        self._region.hide()
        self._region.sigRegionChangeFinished.connect(self._tell_region)
        self._curve = self.add_curve()
        self._markers = self.add_markers()

    def show_trace(self, trace: ContextTrace | None) -> None:
        """Draw another context, all of it in sight; nothing where it has no steps."""
        if trace is not None and not len(trace.steps.number):
            trace = None
        self.show_extent(None)
        if trace is None:
            self._data = None
            self._curve.set_line(np.empty(0), np.empty(0))
            self.show_limits((), None)
            return
        extent = self._draw(trace)
        self.dress()
        self.show_extent(extent)

    def grow(self, trace: ContextTrace, reveal: bool) -> None:
        """Draw more of the context; where all was in sight, or to reveal it, all of it in sight."""
        before, extent = self._data, self._draw(trace)
        assert self._data is not None
        limits = self._data.limits, self._data.capacity
        if before is None:
            self.dress()
        elif limits != (before.limits, before.capacity):
            self.show_limits(*limits)
        self.grow_extent(extent, reveal)

    def _draw(self, trace: ContextTrace) -> Extent:
        data = self._data = timeline_data(trace)
        self._curve.set_line(data.steps, data.tokens)
        self._markers.show_groups(data.groups)
        return Extent(data.first, data.last, data.top)

    def show_stretch(self, steps: tuple[int, int] | None) -> None:
        self._region.setVisible(steps is not None)
        if steps is not None:
            self._region.blockSignals(True)
            self._region.setRegion((steps[0] - 0.5, steps[1] + 0.5))
            self._region.blockSignals(False)

    def stretch(self) -> tuple[int, int] | None:
        if not self._region.isVisible():
            return None
        first, last = self._region.getRegion()
        return int(np.ceil(first)), max(int(np.floor(last)), int(np.ceil(first)))

    def dress(self) -> None:
        """Give everything its colours; lines with labels are made anew."""
        super().dress()
        chosen = theme.colours(self.palette())
        self._curve.set_pen(pg.mkPen(chosen.accent, width=1.5))
        for brush, strength in ((self._region.setBrush, 40), (self._region.setHoverBrush, 56)):
            tint = QColor(chosen.accent)
            tint.setAlpha(strength)
            brush(tint)
        for line in self._region.lines:
            line.setPen(pg.mkPen(chosen.accent, width=1))
            line.setHoverPen(pg.mkPen(chosen.accent, width=3))
        if self._data is not None:
            self.show_limits(self._data.limits, self._data.capacity)

    def _tell_region(self) -> None:
        stretch = self.stretch()
        if stretch is not None:
            self.stretch_chosen.emit(*stretch)
