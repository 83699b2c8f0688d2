"""The chart of a replay: the baseline dashed, the candidate solid, the limits as they are set.

While a candidate is replayed its curve grows; the rest of the last one stays until the new one is
done. Dragging over a stretch of steps zooms into it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace, StepColumns
from inspector.ui import theme
from inspector.ui.charts.step_plot import Extent, StepPlot
from inspector.ui.charts.step_scale import Line
from inspector.ui.charts.timeline_data import (
    MarkerGroup,
    TimelineData,
    sawtooth,
    timeline_data,
    told_limits,
)

_NOTHING = np.empty(0)


class ReplayChart(StepPlot):
    """Two curves over the same steps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Tokens in the window, baseline and candidate", parent)
        self._baseline: TimelineData | None = None
        self._candidate: TimelineData | None = None
        self._thresholds: Mapping[str, int] = {}
        self._tokens: int | None = None
        self._region = pg.LinearRegionItem(movable=False)
        self._divergence = pg.InfiniteLine(angle=90, label="◆", labelOpts={"position": 0.985})
        self._left = self.add_curve()
        self._left_markers = self.add_markers("muted")
        self._old = self.add_curve()
        self._right = self.add_curve()
        self._right_markers = self.add_markers()
        for item in (self._region, self._divergence):
            self.plot.addItem(item, ignoreBounds=True)
            item.setZValue(-10)
            item.hide()
        self.stretch_chosen.connect(self._zoom)
        self.stretch_cleared.connect(self.zoom_out)

    def show_baseline(self, trace: ContextTrace | None) -> None:
        """Draw another baseline, all of it in sight."""
        data = self._baseline = None if trace is None else timeline_data(trace)
        self._candidate = None
        self.show_extent(None)
        self._left.set_line(*_line(data))
        self._left_markers.show_groups(_acting(data, all_near=False))
        self.show_candidate(None, None)
        self.dress()

    def show_candidate(self, trace: ContextTrace | None, divergence: int | None) -> None:
        """Draw another candidate.

        Args:
            trace: Its trace; None: there is none yet.
            divergence: The step where it first came out differently.
        """
        data = self._candidate = None if trace is None else timeline_data(trace)
        self._right.set_line(*_line(data))
        self._old.set_line(_NOTHING, _NOTHING)
        self._right_markers.show_groups(_acting(data, all_near=True))
        self._divergence.setVisible(divergence is not None)
        if divergence is not None:
            self._divergence.setValue(divergence)
        self._fit()

    def show_growing(self, columns: StepColumns) -> None:
        """Draw a candidate that is still being replayed; what it has not reached yet fades."""
        steps, tokens = sawtooth(columns)
        self._right.set_line(steps, tokens)
        self._right_markers.show_groups(())
        self._divergence.hide()
        old, levels = _line(self._candidate)
        rest = old > (steps[-1] if len(steps) else 0)
        self._old.set_line(old[rest], levels[rest])

    def show_settings(self, thresholds: Mapping[str, int], capacity: int) -> None:
        """Draw the limits as they are set.

        Args:
            thresholds: Tokens by processor.
            capacity: Tokens of the window.
        """
        self._thresholds, self._tokens = thresholds, capacity
        self.show_limits(told_limits(thresholds, capacity), capacity)
        self._fit()

    def show_stretch(self, steps: tuple[int, int] | None) -> None:
        self._region.setVisible(steps is not None)
        if steps is not None:
            self._region.setRegion((steps[0] - 0.5, steps[1] + 0.5))

    def dress(self) -> None:
        """Give everything its colours; lines with labels are made anew."""
        super().dress()
        chosen = theme.colours(self.palette())
        dashed = QPen(QColor(chosen.muted), 1)
        dashed.setDashPattern([4, 3])
        self._left.set_pen(dashed)
        self._right.set_pen(pg.mkPen(chosen.accent, width=1.6))
        self._old.set_pen(pg.mkPen(chosen.faint, width=1))
        self._divergence.setPen(pg.mkPen(chosen.accent, width=1, style=Qt.PenStyle.DotLine))
        self._divergence.label.setColor(QColor(chosen.accent))
        tint = QColor(chosen.accent)
        tint.setAlpha(40)
        self._region.setBrush(tint)
        if self._tokens is not None:
            self.show_limits(told_limits(self._thresholds, self._tokens), self._tokens)

    def _fit(self) -> None:
        """Make room for both curves and the limits."""
        if self._baseline is None:
            return
        tops = [data.top for data in (self._baseline, self._candidate) if data is not None]
        limits = [*self._thresholds.values(), self._tokens or 0]
        self.show_extent(Extent(self._baseline.first, self._baseline.last, max(*tops, *limits)))

    def _zoom(self, first: int, last: int) -> None:
        self.show_stretch(None)
        if last > first:
            self.zoom_to(first, last)


def _line(data: TimelineData | None) -> tuple[Line, Line]:
    return (_NOTHING, _NOTHING) if data is None else (data.steps, data.tokens)


def _acting(data: TimelineData | None, all_near: bool) -> tuple[MarkerGroup, ...]:
    """Return the markers of what did something, and if wished of declines near the limit."""
    if data is None:
        return ()
    return tuple(
        group
        for group in data.groups
        if group.outcome != "declined" or (all_near and group.near_limit)
    )
