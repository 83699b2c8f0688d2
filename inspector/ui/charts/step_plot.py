"""What every chart over steps has: axes, limits, marks, a current step, a marked stretch, and keys.

A click goes to the nearest step, a drag marks a stretch of steps, the wheel zooms, dragging with
Ctrl moves the view; the same by arrow keys. A chart is a subclass that draws its curves and says
how far they reach.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui import theme
from inspector.ui.charts.limit_lines import LimitLines
from inspector.ui.charts.limit_names import LimitNames
from inspector.ui.charts.markers import Markers
from inspector.ui.charts.step_axes import StepAxis, TokenAxis
from inspector.ui.charts.step_box import Extent, StepBox
from inspector.ui.charts.step_curve import StepCurve
from inspector.ui.models.marks import Tone

_STEPPING = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ZOOMING = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Minus: 1.25}


class StepPlot(QWidget):
    """The base of a chart over steps.

    Signals:
        step_chosen: a step was clicked or reached by key.
        stretch_chosen: first and last step of the stretch that was marked.
        stretch_cleared: no stretch is marked any more.
        step_hovered: the step under the pointer; 0 beside the chart.
    """

    step_chosen = Signal(int)
    stretch_chosen = Signal(int, int)
    stretch_cleared = Signal()
    step_hovered = Signal(int)

    def __init__(self, name: str, movable: bool, parent: QWidget | None = None) -> None:
        """Lay out an empty chart.

        Args:
            name: What it shows, for screen readers.
            movable: Whether a marked stretch can be pulled at its ends.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._step: int | None = None
        self.box = StepBox(self.take_hold)
        names = LimitNames(self.box)
        self.plot = pg.PlotWidget(
            viewBox=self.box,
            axisItems={"left": TokenAxis("left"), "bottom": StepAxis("bottom"), "right": names},
        )
        self._cursor = pg.InfiniteLine(angle=90)
        self._stretch = pg.LinearRegionItem(swapMode="sort", movable=movable)
        self.limits = LimitLines(self.box, names)
        self.setAccessibleName(name)
        self._build()
        self._connect()

    def show_stretch(self, steps: tuple[int, int] | None) -> None:
        """Mark a stretch of steps, or none."""
        self._stretch.setVisible(steps is not None)
        if steps is not None:
            self._stretch.blockSignals(True)
            self._stretch.setRegion((steps[0] - 0.5, steps[1] + 0.5))
            self._stretch.blockSignals(False)

    def stretch(self) -> tuple[int, int] | None:
        """Return the stretch that is marked."""
        if not self._stretch.isVisible():
            return None
        first, last = self._stretch.getRegion()
        return int(np.ceil(first)), max(int(np.floor(last)), int(np.ceil(first)))

    def show_step(self, step: int | None) -> None:
        """Mark the current step and bring it into sight."""
        self._step = step
        self._cursor.setVisible(step is not None)
        if step is not None:
            self._cursor.setValue(step)
            self.box.reveal(step)

    def zoom_out(self) -> None:
        """Bring all steps into sight."""
        self.box.zoom_out()

    def zoom_to(self, first: int, last: int) -> None:
        """Bring a stretch of steps into sight."""
        self.box.zoom_to(first, last)

    def show_extent(self, extent: Extent | None) -> None:
        """Make room for what is drawn; None: there is nothing."""
        self.plot.setVisible(extent is not None)
        self.box.show_extent(extent)

    def grow_extent(self, extent: Extent, reveal: bool) -> None:
        """Make room for more; the steps in sight stay unless all were or `reveal` is given."""
        self.plot.show()
        self.box.grow_extent(extent, reveal)

    def x_of(self, step: int) -> float:
        """Return where a step lies in the plot's viewport, in pixels."""
        return float(self.box.mapToScene(QPointF(self.box.scale().x_of(step), 0)).x())

    def y_of(self, tokens: float) -> float:
        """Return where a number of tokens lies in the scene, in pixels."""
        return float(self.box.mapViewToScene(QPointF(0, tokens)).y())

    def take_hold(self, event: Any) -> bool:
        """Return whether a drag moves something of the chart's own rather than marking steps."""
        return False

    def add_curve(self) -> StepCurve:
        """Return a new curve of the plot."""
        curve = StepCurve()
        self.plot.addItem(curve, ignoreBounds=True)
        return curve

    def add_markers(self, tone: Tone | None = None) -> Markers:
        """Return a new layer of marks, all in one tone where one is given."""
        markers = Markers(tone)
        self.plot.addItem(markers, ignoreBounds=True)
        return markers

    def dress(self) -> None:
        """Give everything its colours."""
        chosen = theme.colours(self.palette())
        self.plot.setBackground(QColor(chosen.surface))
        self._cursor.setPen(pg.mkPen(chosen.muted, width=1))
        self._dress_axes(chosen)
        self._dress_stretch(chosen)

    def _dress_axes(self, chosen: theme.Colours) -> None:
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setTextPen(QColor(chosen.muted))
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(pg.mkPen(chosen.grid))
            axis.setStyle(
                tickFont=theme.small_font(), tickLength=0, tickAlpha=255 if side == "left" else 0
            )
            axis.setZValue(-100)
        self.plot.getAxis("left").setGrid(255)
        self.plot.getAxis("left").setWidth(48)
        self.plot.getAxis("bottom").setHeight(20)

    def _dress_stretch(self, chosen: theme.Colours) -> None:
        for brush, strength in ((self._stretch.setBrush, 40), (self._stretch.setHoverBrush, 56)):
            tint = QColor(chosen.accent)
            tint.setAlpha(strength)
            brush(tint)
        for line in self._stretch.lines:
            line.setPen(pg.mkPen(chosen.accent, width=1))
            line.setHoverPen(pg.mkPen(chosen.accent, width=3))

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.plot.addItem(self.limits, ignoreBounds=True)
        for item in (self._cursor, self._stretch):
            self.plot.addItem(item, ignoreBounds=True)
            item.hide()
        self._stretch.setZValue(-10)

    def _connect(self) -> None:
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self._stretch.sigRegionChangeFinished.connect(self._tell_stretch)
        self.box.stretch_drawing.connect(lambda *steps: self.show_stretch(steps))
        self.box.stretch_drawn.connect(self.stretch_chosen)
        self.box.double_clicked.connect(self._clear)
        self.box.step_clicked.connect(self._choose)

    def _choose(self, step: int) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.step_chosen.emit(step)

    def _clear(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.stretch_cleared.emit()
        self.box.zoom_out()

    def _tell_stretch(self) -> None:
        stretch = self.stretch()
        if stretch is not None:
            self.stretch_chosen.emit(*stretch)

    def _hover(self, position: QPointF) -> None:
        self.step_hovered.emit(self.box.step_at(position) or 0)

    def _go(self, extent: Extent, direction: int, marking: bool) -> None:
        here = self._step if self._step is not None else extent.first
        goal = min(max(here + direction, extent.first), extent.last)
        if marking:
            marked = self.stretch()
            start = marked[0] if marked is not None else here
            self.stretch_chosen.emit(min(start, goal), max(start, goal))
        self.step_chosen.emit(goal)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        extent, key = self.box.extent, event.key()
        if extent is None:
            super().keyPressEvent(event)
        elif key in _STEPPING:
            marking = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._go(extent, _STEPPING[Qt.Key(key)], marking)
        elif key == Qt.Key.Key_Escape:
            self.stretch_cleared.emit()
        elif key in _ZOOMING:
            self.box.scaleBy(x=_ZOOMING[Qt.Key(key)], center=(self._step or extent.first, 0))
        elif key == Qt.Key.Key_0:
            self.box.zoom_out()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.dress()

    def leaveEvent(self, event: QEvent) -> None:
        self.step_hovered.emit(0)
        super().leaveEvent(event)
