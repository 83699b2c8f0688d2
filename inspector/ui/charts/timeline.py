"""The timeline: tokens over steps, limits, decisions, the filtered stretch, the current step.

Dragging marks a stretch of steps (the filter), a click goes to the nearest step, the wheel zooms,
dragging with Ctrl moves the view; the same by arrow keys. Markers are painted by hand and thinned
to what a pixel can show.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.ui import formats, theme
from inspector.ui.charts.step_scale import StepScale
from inspector.ui.charts.timeline_data import MarkerGroup, TimelineData, timeline_data
from inspector.ui.models.marks import OUTCOMES, Tone
from inspector.ui.widgets.mark_painter import paint_shape

_LIMIT_TONES: tuple[Tone, ...] = ("compress", "summary", "prefix", "tail")
_RING = 5.0
_MARK = 10.0
_HEAD = 32
"""Pixels over the largest number, for markers and labels."""
_FOOT = 15
"""Pixels below zero, for the rings of declines."""


class Timeline(QWidget):
    """The chart of one context.

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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data: TimelineData | None = None
        self._step: int | None = None
        self._box = _StepBox(self)
        self._plot = pg.PlotWidget(
            viewBox=self._box, axisItems={"left": _TokenAxis("left"), "bottom": _StepAxis("bottom")}
        )
        self._curve = pg.PlotDataItem(
            connect="finite",
            antialias=True,
            autoDownsample=True,
            downsampleMethod="peak",
            clipToView=True,
        )
        self._markers = _Markers(self)
        self._region = pg.LinearRegionItem(swapMode="sort")
        self._cursor = pg.InfiniteLine(angle=90)
        self._limits: list[Any] = []
        self._build()

    def show_trace(self, trace: ContextTrace | None) -> None:
        """Draw another context, all of it in sight."""
        self._data = None if trace is None else timeline_data(trace)
        self._draw()

    def show_stretch(self, steps: tuple[int, int] | None) -> None:
        """Mark a stretch of steps, or none."""
        self._region.setVisible(steps is not None)
        if steps is not None:
            self._region.blockSignals(True)
            self._region.setRegion((steps[0] - 0.5, steps[1] + 0.5))
            self._region.blockSignals(False)

    def show_step(self, step: int | None) -> None:
        """Mark the current step and bring it into sight."""
        self._step = step
        self._cursor.setVisible(step is not None)
        if step is None:
            return
        self._cursor.setValue(step)
        (left, right), _ = self._box.viewRange()
        if not left <= step <= right:
            half = (right - left) / 2
            self._box.setXRange(step - half, step + half, padding=0)

    def zoom_out(self) -> None:
        """Bring all steps into sight."""
        if self._data is not None:
            margin = max((self._data.last - self._data.first) * 0.012, 0.6)
            self._box.setXRange(self._data.first - margin, self._data.last + margin, padding=0)

    def zoom_to(self, first: int, last: int) -> None:
        """Bring a stretch of steps into sight."""
        self._box.setXRange(first - 0.6, last + 0.6, padding=0.02)

    def scale(self) -> StepScale:
        """Return how steps lie over the pixels of the plot just now."""
        (first, last), _ = self._box.viewRange()
        return StepScale(first, last, self._box.width())

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline of tokens in the window")
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self._plot.hideButtons()
        self._plot.setMenuEnabled(False)
        self._plot.scene().sigMouseMoved.connect(self._hover)
        for item in (self._region, self._curve, self._cursor, self._markers):
            self._plot.addItem(item, ignoreBounds=True)
        self._region.setZValue(-10)
        self._region.hide()
        self._region.sigRegionChangeFinished.connect(self._tell_region)
        self._cursor.hide()
        self._markers.setZValue(20)
        self._box.sigResized.connect(self._fit_height)

    def _draw(self) -> None:
        for item in self._limits:
            self._plot.removeItem(item)
        self._limits = []
        data = self._data
        self._plot.setVisible(data is not None)
        if data is None:
            self._curve.setData([], [])
            return
        self._curve.setData(data.steps, data.tokens)
        self._markers.show_groups(data.groups)
        self._dress()
        self._box.setLimits(xMin=data.first - 1, xMax=data.last + 1, minXRange=4)
        self._fit_height()
        self.zoom_out()

    def _fit_height(self) -> None:
        """Leave a number of pixels above and below the curve, whatever the height."""
        if self._data is not None:
            pixel = self._data.top / max(self._box.height() - _HEAD - _FOOT, 20)
            self._box.setYRange(-_FOOT * pixel, self._data.top + _HEAD * pixel, padding=0)

    def _dress(self) -> None:
        """Give everything its colours; lines with labels are made anew."""
        chosen = theme.colours(self.palette())
        self._plot.setBackground(QColor(chosen.surface))
        self._curve.setPen(pg.mkPen(chosen.accent, width=1.5))
        self._cursor.setPen(pg.mkPen(chosen.muted, width=1))
        for brush, strength in ((self._region.setBrush, 40), (self._region.setHoverBrush, 56)):
            tint = QColor(chosen.accent)
            tint.setAlpha(strength)
            brush(tint)
        for line in self._region.lines:
            line.setPen(pg.mkPen(chosen.accent, width=1))
            line.setHoverPen(pg.mkPen(chosen.accent, width=3))
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.setTextPen(QColor(chosen.muted))
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(pg.mkPen(chosen.grid))
            axis.setStyle(
                tickFont=theme.small_font(), tickLength=0, tickAlpha=255 if side == "left" else 0
            )
            axis.setZValue(-100)
        self._plot.getAxis("left").setGrid(255)
        self._plot.getAxis("left").setWidth(48)
        self._plot.getAxis("bottom").setHeight(20)
        for item in self._limits:
            self._plot.removeItem(item)
        self._limits = self._limit_lines(chosen)
        for item in self._limits:
            self._plot.addItem(item, ignoreBounds=True)

    def _limit_lines(self, chosen: theme.Colours) -> list[Any]:
        data = self._data
        if data is None:
            return []
        fill = QColor(chosen.surface)
        fill.setAlpha(130)
        lines = []
        for at, (label, tokens) in enumerate(data.limits):
            colour = chosen.tone(_LIMIT_TONES[at % len(_LIMIT_TONES)])
            lines.append(
                _limit_line(tokens, label, colour, fill, Qt.PenStyle.DashLine, 0.004, (0, 0))
            )
        if data.capacity is not None:
            label = f"capacity {formats.number(data.capacity)}"
            colour = chosen.tone("failure")
            lines.append(
                _limit_line(data.capacity, label, colour, fill, Qt.PenStyle.DotLine, 0.996, (1, 1))
            )
        return lines

    def _hover(self, position: QPointF) -> None:
        inside = self._data is not None and self._box.sceneBoundingRect().contains(position)
        step = self.scale().step_at(self._box.mapFromScene(position).x()) if inside else 0
        self.step_hovered.emit(step)

    def _tell_region(self) -> None:
        first, last = self._region.getRegion()
        self.stretch_chosen.emit(int(np.ceil(first)), max(int(np.floor(last)), int(np.ceil(first))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        data, key = self._data, event.key()
        if data is None:
            super().keyPressEvent(event)
        elif key in steps:
            here = self._step if self._step is not None else data.first
            goal = min(max(here + steps[Qt.Key(key)], data.first), data.last)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._region.isVisible():
                first = int(np.ceil(self._region.getRegion()[0]))
                self.stretch_chosen.emit(min(first, goal), max(first, goal))
            elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.stretch_chosen.emit(min(here, goal), max(here, goal))
            self.step_chosen.emit(goal)
        elif key == Qt.Key.Key_Escape:
            self.stretch_cleared.emit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self._box.scaleBy(
                x=0.8 if key == Qt.Key.Key_Plus else 1.25, center=(self._step or data.first, 0)
            )
        elif key == Qt.Key.Key_0:
            self.zoom_out()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._dress()

    def leaveEvent(self, event: QEvent) -> None:
        self.step_hovered.emit(0)
        super().leaveEvent(event)


def _limit_line(
    tokens: int,
    label: str,
    colour: QColor,
    fill: QColor,
    style: Qt.PenStyle,
    position: float,
    anchor: tuple[int, int],
) -> Any:
    line = pg.InfiniteLine(
        pos=tokens,
        angle=0,
        pen=pg.mkPen(colour, width=1, style=style),
        label=formats.one_line(label).replace("{", "{{").replace("}", "}}"),
        labelOpts={
            "position": position,
            "color": colour,
            "fill": fill,
            "anchors": [anchor, anchor],
        },
    )
    line.setZValue(30)
    line.label.setFont(theme.interface_font())
    return line


class _StepBox(pg.ViewBox):
    """Turns drags into stretches and clicks into steps; only the steps can be zoomed and moved."""

    def __init__(self, chart: Timeline) -> None:
        super().__init__(enableMenu=False)
        self._chart = chart
        self.setMouseEnabled(x=True, y=False)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        plain = ev.button() == Qt.MouseButton.LeftButton and not ev.modifiers()
        if not plain:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        start, here = (self.mapFromScene(at).x() for at in (ev.buttonDownScenePos(), ev.scenePos()))
        stretch = self._chart.scale().steps_between(start, here)
        if ev.isFinish():
            self._chart.stretch_chosen.emit(*stretch)
        else:
            self._chart.show_stretch(stretch)

    def mouseClickEvent(self, ev: Any) -> None:
        if ev.button() != Qt.MouseButton.LeftButton:
            return
        ev.accept()
        self._chart.setFocus(Qt.FocusReason.MouseFocusReason)
        if ev.double():
            self._chart.stretch_cleared.emit()
            self._chart.zoom_out()
        else:
            self._chart.step_chosen.emit(
                self._chart.scale().step_at(self.mapFromScene(ev.scenePos()).x())
            )


class _TokenAxis(pg.AxisItem):
    """Tokens in thousands, none below zero."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [formats.thousands(value) if value >= 0 else "" for value in values]

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        return super().tickValues(max(minVal, 0), maxVal, size)[:1]  # type: ignore[no-any-return]


class _StepAxis(pg.AxisItem):
    """Whole steps."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        told = [formats.number(value) for value in values]
        return [f"step {told[0]}", *told[1:]] if told else []

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        levels = super().tickValues(minVal, maxVal, size)
        return [(spacing, values) for spacing, values in levels if spacing >= 1][:1]


class _Markers(pg.GraphicsObject):
    """The decisions: above the curve those that did something, along the foot the declines."""

    def __init__(self, chart: Timeline) -> None:
        super().__init__()
        self._chart = chart
        self._groups: tuple[MarkerGroup, ...] = ()

    def show_groups(self, groups: tuple[MarkerGroup, ...]) -> None:
        """Show other decisions."""
        self._groups = groups
        self.update()

    def viewRangeChanged(self, view: Any = None, range: Any = None) -> None:
        self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        return QRectF() if box is None else QRectF(box.viewRect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        chosen = theme.colours(self._chart.palette())
        turn = painter.transform()
        scale = self._chart.scale()
        painter.save()
        painter.resetTransform()
        foot = turn.map(QPointF(0, 0)).y() + 10
        for group in self._groups:
            style = OUTCOMES[group.outcome]  # type: ignore[index]
            ring = style.shape == "ring"
            tone: Tone = style.tone if group.near_limit else "faint"
            spacing = (1.2 if group.near_limit else 2.6) * _RING if ring else 0.7 * _MARK
            for at in scale.thinned(group.steps, spacing):
                point = turn.map(
                    QPointF(float(group.steps[at]), float(np.nan_to_num(group.levels[at])))
                )
                lift = 20 if style.shape == "cross" else 9
                centre = QPointF(point.x(), foot if ring else point.y() - lift)
                colour = chosen.tone("text" if ring and group.near_limit else tone)
                paint_shape(
                    painter,
                    style.shape,
                    centre,
                    _RING + 1 if ring else _MARK + 2,
                    colour,
                    group.inferred,
                )
        painter.restore()
