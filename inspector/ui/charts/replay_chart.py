"""The chart of a replay: the baseline dashed, the candidate solid, the limits as they are set.

While a candidate is replayed its curve grows; the rest of the last one stays until the new one is
done. Dragging over a stretch of steps zooms into it, dragging a threshold by its line or its name
moves it; Up and Down move the one that is picked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPen
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace, StepColumns
from inspector.ui import theme
from inspector.ui.charts.step_box import Extent
from inspector.ui.charts.step_curve import NO_LINE
from inspector.ui.charts.step_plot import StepPlot
from inspector.ui.charts.step_scale import Line
from inspector.ui.charts.timeline_data import (
    MarkerGroup,
    TimelineData,
    sawtooth,
    timeline_data,
)
from inspector.ui.models.replay.settings.thresholds import Threshold


class ReplayChart(StepPlot):
    """Two curves over the same steps.

    Signals:
        threshold_dragged: a processor's threshold was pulled to so many tokens.
        threshold_picked: a processor's threshold was taken hold of.
        threshold_pushed: a key wants the picked one so many hundredths higher.
    """

    threshold_dragged = Signal(str, float)
    threshold_picked = Signal(str)
    threshold_pushed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Tokens in the window, baseline and candidate", False, parent)
        self._baseline: TimelineData | None = None
        self._candidate: TimelineData | None = None
        self._thresholds: Mapping[str, Threshold] = {}
        self._tokens: int | None = None
        self._picked: str | None = None
        self._held: str | None = None
        self._offset = 0.0
        """Tokens from where the held threshold was pressed up to its line."""
        self._divergence = pg.InfiniteLine(angle=90, label="◆", labelOpts={"position": 0.985})
        self._left = self.add_curve()
        self._left_markers = self.add_markers("muted")
        self._old = self.add_curve()
        self._right = self.add_curve()
        self._right_markers = self.add_markers()
        self.plot.addItem(self._divergence, ignoreBounds=True)
        self._divergence.setZValue(-10)
        self._divergence.hide()
        self.stretch_chosen.connect(self._zoom)
        self.stretch_cleared.connect(self.zoom_out)
        self.dress()

    def show_baseline(self, trace: ContextTrace | None) -> None:
        """Draw another baseline, all of it in sight."""
        data = self._baseline = None if trace is None else timeline_data(trace)
        self._candidate = None
        self.show_extent(None)
        self._left.set_line(*_line(data))
        self._left_markers.show_groups(_acting(data, all_near=False))
        self.show_candidate(None, None)

    def show_candidate(self, trace: ContextTrace | None, divergence: int | None) -> None:
        """Draw another candidate.

        Args:
            trace: Its trace; None: there is none yet.
            divergence: The step where it first came out differently.
        """
        data = self._candidate = None if trace is None else timeline_data(trace)
        self._right.set_line(*_line(data))
        self._old.set_line(*NO_LINE)
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

    def show_settings(
        self, thresholds: Mapping[str, Threshold], capacity: int, picked: str | None = None
    ) -> None:
        """Draw the limits as they are set.

        Args:
            thresholds: Those of the processors, by name.
            capacity: Tokens of the window.
            picked: The processor whose threshold the keys move.
        """
        self._thresholds, self._tokens, self._picked = thresholds, capacity, picked
        self._show_thresholds()
        self._fit()

    def take_hold(self, event: Any) -> bool:
        """Move a threshold while it is held."""
        if event.isStart():
            self._held = self._threshold_at(event.buttonDownScenePos())
            if self._held is not None:
                pressed = self._tokens_at(event.buttonDownScenePos())
                self._offset = self._thresholds[self._held].tokens - pressed
                self.threshold_picked.emit(self._held)
        held = self._held
        if held is None:
            return False
        self.threshold_dragged.emit(held, self._tokens_at(event.scenePos()) + self._offset)
        if event.isFinish():
            self._held = None
        return True

    def _tokens_at(self, position: QPointF) -> float:
        return float(self.box.mapSceneToView(position).y())

    def _threshold_at(self, position: QPointF) -> str | None:
        at = self.limits.at(position)
        return None if at is None else list(self._thresholds)[at]

    def _show_thresholds(self) -> None:
        if self._tokens is None:
            return
        capacity, names = self._tokens, list(self._thresholds)
        limits = [(f"{limit.told} ⇕", limit.tokens) for limit in self._thresholds.values()]
        picked = names.index(self._picked) if self._picked in names else None
        self.limits.show_limits(limits, capacity, picked)

    def dress(self) -> None:
        super().dress()
        chosen = theme.colours(self.palette())
        dashed = QPen(QColor(chosen.muted), 1)
        dashed.setDashPattern([4, 3])
        self._left.set_pen(dashed)
        self._right.set_pen(pg.mkPen(chosen.accent, width=1.6))
        self._old.set_pen(pg.mkPen(chosen.faint, width=1))
        self._divergence.setPen(pg.mkPen(chosen.accent, width=1, style=Qt.PenStyle.DotLine))
        self._divergence.label.setColor(QColor(chosen.accent))

    def _fit(self) -> None:
        """Make room for both curves and the limits."""
        if self._baseline is None:
            return
        tops = [data.highest for data in (self._baseline, self._candidate) if data is not None]
        limits = [*(limit.tokens for limit in self._thresholds.values()), self._tokens or 0]
        self.show_extent(Extent(self._baseline.first, self._baseline.last, max(*tops, *limits)))

    def _zoom(self, first: int, last: int) -> None:
        self.show_stretch(None)
        if last > first:
            self.zoom_to(first, last)

    def _hover(self, position: QPointF) -> None:
        super()._hover(position)
        held = self._held is not None or self._threshold_at(position) is not None
        shape = Qt.CursorShape.SizeVerCursor if held else Qt.CursorShape.ArrowCursor
        self.plot.viewport().setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pushes = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        pushes |= {Qt.Key.Key_PageUp: 5, Qt.Key.Key_PageDown: -5}
        if event.key() in pushes and not event.modifiers() and self._picked is not None:
            self.threshold_pushed.emit(pushes[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


def _line(data: TimelineData | None) -> tuple[Line, Line]:
    return NO_LINE if data is None else (data.steps, data.tokens)


def _acting(data: TimelineData | None, all_near: bool) -> tuple[MarkerGroup, ...]:
    """Return the markers of what did something, and if wished of declines near the limit."""
    if data is None:
        return ()
    return tuple(
        group for group in data.groups if not group.declined or (all_near and group.near_limit)
    )
