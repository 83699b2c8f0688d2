"""The coordinates of a chart: steps to the right, tokens upwards, and how the mouse moves them.

Only the steps can be zoomed and moved; the tokens are laid out so that everything is in sight, with
a number of pixels above and below it whatever the height.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal

from inspector.ui.charts.step_scale import StepScale

_HEAD = 32
"""Pixels over the largest number, for markers and labels."""
_FOOT = 15
"""Pixels below zero, for the rings of declines."""
_MARGIN = 0.6
"""Steps beside the first and the last one in sight."""


class Extent(NamedTuple):
    """How far a chart reaches."""

    first: int
    """First step."""
    last: int
    top: float
    """The largest number of tokens that is drawn."""


class StepBox(pg.ViewBox):
    """The steps in sight, over as many tokens as are drawn.

    Signals:
        step_clicked: a click came nearest to a step.
        double_clicked: anywhere in the chart.
        stretch_drawing: a drag covers the steps from a first to a last one.
        stretch_drawn: it ended.
    """

    step_clicked = Signal(int)
    double_clicked = Signal()
    stretch_drawing = Signal(int, int)
    stretch_drawn = Signal(int, int)

    def __init__(self, take_hold: Callable[[Any], bool]) -> None:
        """Show nothing yet.

        Args:
            take_hold: Tells whether a drag moves something else, in which case it marks no steps.
        """
        super().__init__(enableMenu=False)
        self.extent: Extent | None = None
        self._take_hold = take_hold
        self.setMouseEnabled(x=True, y=False)
        self.sigResized.connect(self._fit_height)

    def scale(self) -> StepScale:
        """Return how steps lie over the pixels just now."""
        (first, last), _ = self.viewRange()
        return StepScale(first, last, self.width())

    def tokens_per_pixel(self) -> float:
        """Return the height of a pixel."""
        _, (low, high) = self.viewRange()
        return float((high - low) / max(self.height(), 1))

    def step_at(self, position: QPointF) -> int | None:
        """Return the step nearest to a position of the scene; None beside the chart."""
        inside = self.extent is not None and self.sceneBoundingRect().contains(position)
        return self.scale().step_at(self.mapFromScene(position).x()) if inside else None

    def show_extent(self, extent: Extent | None) -> None:
        """Make room for what is drawn; the steps in sight stay where the range of steps does."""
        before, self.extent = self.extent, extent
        if extent is None:
            return
        self._fit_height()
        if before is None or before[:2] != extent[:2]:
            self._limit_range(extent)
            self.zoom_out()

    def grow_extent(self, extent: Extent, reveal: bool) -> None:
        """Make room for more steps; those in sight stay unless all were or `reveal` is given."""
        before = self.extent
        if before is None:
            self.show_extent(extent)
            return
        (left, right), _ = self.viewRange()
        everything = left <= before.first and right >= before.last
        self.extent = extent
        self._fit_height()
        if before[:2] != extent[:2]:
            self._limit_range(extent)
            if everything or reveal:
                self.zoom_out()

    def zoom_out(self) -> None:
        """Bring all steps into sight."""
        if self.extent is not None:
            first, last, _ = self.extent
            margin = max((last - first) * 0.012, _MARGIN)
            self.setXRange(first - margin, last + margin, padding=0)

    def zoom_to(self, first: int, last: int) -> None:
        """Bring a stretch of steps into sight."""
        self.setXRange(first - _MARGIN, last + _MARGIN, padding=0.02)

    def reveal(self, step: int) -> None:
        """Bring a step into sight if it is not."""
        (left, right), _ = self.viewRange()
        if not left <= step <= right:
            half = (right - left) / 2
            self.setXRange(step - half, step + half, padding=0)

    def _limit_range(self, extent: Extent) -> None:
        least = min(4, extent.last - extent.first + 1)
        self.setLimits(xMin=extent.first - 1, xMax=extent.last + 1, minXRange=least)

    def _fit_height(self) -> None:
        if self.extent is not None:
            pixel = self.extent.top / max(self.height() - _HEAD - _FOOT, 20)
            self.setYRange(-_FOOT * pixel, self.extent.top + _HEAD * pixel, padding=0)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        plain = ev.button() == Qt.MouseButton.LeftButton and not ev.modifiers()
        if not plain:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        if self._take_hold(ev) or axis is not None:
            return
        start, here = (self.mapFromScene(at).x() for at in (ev.buttonDownScenePos(), ev.scenePos()))
        told = self.stretch_drawn if ev.isFinish() else self.stretch_drawing
        told.emit(*self.scale().steps_between(start, here))

    def mouseClickEvent(self, ev: Any) -> None:
        here = self.mapFromScene(ev.scenePos())
        if ev.button() != Qt.MouseButton.LeftButton or not self.rect().contains(here):
            return
        ev.accept()
        if ev.double():
            self.double_clicked.emit()
        else:
            self.step_clicked.emit(self.scale().step_at(here.x()))
