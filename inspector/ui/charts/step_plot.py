"""What every chart over steps has: axes, limits, decisions, a current step, clicks and keys.

A click goes to the nearest step, a drag marks a stretch of steps, the wheel zooms, dragging with
Ctrl moves the view; the same by arrow keys. Markers are painted by hand and thinned to what a pixel
can show. A chart is a subclass that draws its curves and says how far they reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui import formats, theme
from inspector.ui.charts.step_curve import StepCurve
from inspector.ui.charts.step_scale import StepScale, ticks
from inspector.ui.charts.timeline_data import MarkerGroup
from inspector.ui.models.marks import OUTCOMES, Tone
from inspector.ui.shapes import paint_shape

_LIMIT_TONES: tuple[Tone, ...] = ("compress", "summary", "prefix", "tail")
_RING = 5.0
_MARK = 10.0
_TOKEN_TICK = 26
_STEP_TICK = 90
"""Pixels between two figures of an axis, at least."""
_HEAD = 32
"""Pixels over the largest number, for markers and labels."""
_LABEL = 18
"""Height of a limit's name, in pixels."""
_LABEL_LEFT = 4
_REACH = 4
"""Pixels from a limit's line within which the pointer is on it."""
_FOOT = 15
"""Pixels below zero, for the rings of declines."""


class Extent(NamedTuple):
    """How far a chart reaches."""

    first: int
    """First step."""
    last: int
    top: float
    """The largest number of tokens that is drawn."""


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

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Lay out an empty chart.

        Args:
            name: What it shows, for screen readers.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._extent: Extent | None = None
        self._step: int | None = None
        self._box = _StepBox(self)
        self.plot = pg.PlotWidget(
            viewBox=self._box, axisItems={"left": _TokenAxis("left"), "bottom": _StepAxis("bottom")}
        )
        self._cursor = pg.InfiniteLine(angle=90)
        self._limits: list[_LimitLine] = []
        self._capacity = _LimitLine(Qt.PenStyle.DotLine, 0.996, (1, 1))
        self.setAccessibleName(name)
        self._build()

    def show_stretch(self, steps: tuple[int, int] | None) -> None:
        """Mark a stretch of steps, or none."""
        raise NotImplementedError

    def stretch(self) -> tuple[int, int] | None:
        """Return the stretch that is marked."""
        return None

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
        if self._extent is not None:
            first, last, _ = self._extent
            margin = max((last - first) * 0.012, 0.6)
            self._box.setXRange(first - margin, last + margin, padding=0)

    def zoom_to(self, first: int, last: int) -> None:
        """Bring a stretch of steps into sight."""
        self._box.setXRange(first - 0.6, last + 0.6, padding=0.02)

    def x_of(self, step: int) -> float:
        """Return where a step lies in the plot's viewport, in pixels."""
        return float(self._box.mapToScene(QPointF(self.scale().x_of(step), 0)).x())

    def scale(self) -> StepScale:
        """Return how steps lie over the pixels of the plot just now."""
        (first, last), _ = self._box.viewRange()
        return StepScale(first, last, self._box.width())

    def show_extent(self, extent: Extent | None) -> None:
        """Make room for what is drawn; the steps in sight stay where the range of steps does."""
        before, self._extent = self._extent, extent
        self.plot.setVisible(extent is not None)
        if extent is None:
            return
        self._fit_height()
        if before is None or before[:2] != extent[:2]:
            self._limit_range(extent)
            self.zoom_out()

    def grow_extent(self, extent: Extent, reveal: bool) -> None:
        """Make room for more steps; those in sight stay unless all were or `reveal` is given."""
        before = self._extent
        if before is None:
            self.show_extent(extent)
            return
        (left, right), _ = self._box.viewRange()
        everything = left <= before.first and right >= before.last
        self._extent = extent
        self._fit_height()
        if before[:2] != extent[:2]:
            self._limit_range(extent)
            if everything or reveal:
                self.zoom_out()

    def show_limits(
        self,
        limits: Sequence[tuple[str, int]],
        capacity: int | None,
        picked: int | None = None,
    ) -> None:
        """Draw a labelled line for each limit, and one for the capacity.

        Args:
            limits: Name and tokens.
            capacity: Tokens of the whole window.
            picked: The limit that keys move, drawn stronger.
        """
        chosen = theme.colours(self.palette())
        wanted = [
            (label, tokens, _LIMIT_TONES[at % len(_LIMIT_TONES)])
            for at, (label, tokens) in enumerate(limits)
        ]
        while len(self._limits) < len(wanted):
            self._limits.append(self._add_limit(_LimitLine(Qt.PenStyle.DashLine, 0.004, (0, 0))))
        for at, (line, limit) in enumerate(zip_longest(self._limits, wanted)):
            line.show_limit(limit, chosen, strong=at == picked)
        told = f"capacity {formats.number(capacity)}"
        self._capacity.show_limit(None if capacity is None else (told, capacity, "failure"), chosen)
        self._place_labels()

    def _place_labels(self) -> None:
        """Set the names of limits that lie close together side by side."""
        (_, _), (low, high) = self._box.viewRange()
        pixel = (high - low) / max(self._box.height(), 1)
        above, left = np.inf, 0.0
        for line in sorted(self._limits, key=lambda line: -line.value()):
            if line.isVisible():
                left = left if (above - line.value()) / pixel < _LABEL else 0.0
                line.label.setPosition((_LABEL_LEFT + left) / max(self._box.width(), 1))
                left += line.label.boundingRect().width() + _LABEL_LEFT
                above = line.value()

    def _add_limit(self, line: _LimitLine) -> _LimitLine:
        self.plot.addItem(line, ignoreBounds=True)
        return line

    def take_hold(self, event: Any) -> bool:
        """Return whether a drag moves something of the chart's own rather than marking steps."""
        return False

    def limit_at(self, position: QPointF) -> int | None:
        """Return which limit's name or line lies at a position of the scene, names first."""
        shown = [(at, line) for at, line in enumerate(self._limits) if line.isVisible()]
        for at, line in shown:
            if line.label.sceneBoundingRect().contains(position):
                return at
        near = [(abs(self.y_of(line.value()) - position.y()), at) for at, line in shown]
        distance, at = min(near, default=(np.inf, 0))
        return at if distance <= _REACH else None

    def tokens_at(self, position: QPointF) -> float:
        """Return the tokens at a position of the scene."""
        return float(self._box.mapSceneToView(position).y())

    def y_of(self, tokens: float) -> float:
        """Return where a number of tokens lies in the scene, in pixels."""
        return float(self._box.mapViewToScene(QPointF(0, tokens)).y())

    def add_curve(self) -> StepCurve:
        """Return a new curve of the plot."""
        curve = StepCurve(self)
        self.plot.addItem(curve, ignoreBounds=True)
        return curve

    def add_markers(self, tone: Tone | None = None) -> Markers:
        """Return a new layer of markers, all in one tone where one is given."""
        markers = Markers(self, tone)
        markers.setZValue(20)
        self.plot.addItem(markers, ignoreBounds=True)
        return markers

    def dress(self) -> None:
        """Give everything its colours."""
        chosen = theme.colours(self.palette())
        self.plot.setBackground(QColor(chosen.surface))
        self._cursor.setPen(pg.mkPen(chosen.muted, width=1))
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
        self.plot.scene().sigMouseMoved.connect(self._hover)
        for item in (self._cursor, self._capacity):
            self.plot.addItem(item, ignoreBounds=True)
        self._cursor.hide()
        self._box.sigResized.connect(self._fit_height)

    def _limit_range(self, extent: Extent) -> None:
        least = min(4, extent.last - extent.first + 1)
        self._box.setLimits(xMin=extent.first - 1, xMax=extent.last + 1, minXRange=least)

    def _fit_height(self) -> None:
        """Leave a number of pixels above and below the curve, whatever the height."""
        if self._extent is not None:
            pixel = self._extent.top / max(self._box.height() - _HEAD - _FOOT, 20)
            self._box.setYRange(-_FOOT * pixel, self._extent.top + _HEAD * pixel, padding=0)
            self._place_labels()

    def _hover(self, position: QPointF) -> None:
        inside = self._extent is not None and self._box.sceneBoundingRect().contains(position)
        step = self.scale().step_at(self._box.mapFromScene(position).x()) if inside else 0
        self.step_hovered.emit(step)

    def _go(self, extent: Extent, direction: int, marking: bool) -> None:
        here = self._step if self._step is not None else extent.first
        goal = min(max(here + direction, extent.first), extent.last)
        if marking:
            marked = self.stretch()
            start = marked[0] if marked is not None else here
            self.stretch_chosen.emit(min(start, goal), max(start, goal))
        self.step_chosen.emit(goal)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        extent, key = self._extent, event.key()
        if extent is None:
            super().keyPressEvent(event)
        elif key in steps:
            marking = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._go(extent, steps[Qt.Key(key)], marking)
        elif key == Qt.Key.Key_Escape:
            self.stretch_cleared.emit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self._box.scaleBy(
                x=0.8 if key == Qt.Key.Key_Plus else 1.25, center=(self._step or extent.first, 0)
            )
        elif key == Qt.Key.Key_0:
            self.zoom_out()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.dress()

    def leaveEvent(self, event: QEvent) -> None:
        self.step_hovered.emit(0)
        super().leaveEvent(event)


class Markers(pg.GraphicsObject):
    """The decisions: above the curve those that did something, along the foot the declines."""

    def __init__(self, chart: StepPlot, tone: Tone | None) -> None:
        super().__init__()
        self._chart = chart
        self._tone = tone
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
            spacing = (1.2 if group.near_limit else 2.6) * _RING if ring else 0.7 * _MARK
            for at in scale.thinned(group.steps, spacing):
                point = turn.map(
                    QPointF(float(group.steps[at]), float(np.nan_to_num(group.levels[at])))
                )
                lift = 20 if style.shape == "cross" else 9
                centre = QPointF(point.x(), foot if ring else point.y() - lift)
                paint_shape(
                    painter,
                    style.shape,
                    centre,
                    _RING + 1 if ring else _MARK + 2,
                    chosen.tone(self._tone_of(group, ring)),
                    group.inferred,
                )
        painter.restore()

    def _tone_of(self, group: MarkerGroup, ring: bool) -> Tone:
        if self._tone is not None:
            return self._tone
        if not group.near_limit:
            return "faint"
        return "text" if ring else OUTCOMES[group.outcome].tone  # type: ignore[index]


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

    def show_limit(
        self, limit: tuple[str, int, Tone] | None, chosen: theme.Colours, strong: bool = False
    ) -> None:
        """Show a label, its tokens and its colour, or nothing."""
        self.setVisible(limit is not None)
        if limit is None:
            return
        label, tokens, tone = limit
        fill = QColor(chosen.surface)
        fill.setAlpha(130)
        self.setPen(pg.mkPen(chosen.tone(tone), width=2 if strong else 1, style=self._style))
        self.label.setColor(chosen.tone(tone))
        self.label.fill = pg.mkBrush(fill)
        self.label.setFormat(formats.one_line(label).replace("{", "{{").replace("}", "}}"))
        self.setValue(tokens)


class _StepBox(pg.ViewBox):
    """Turns drags into stretches and clicks into steps; only the steps can be zoomed and moved."""

    def __init__(self, chart: StepPlot) -> None:
        super().__init__(enableMenu=False)
        self._chart = chart
        self.setMouseEnabled(x=True, y=False)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        plain = ev.button() == Qt.MouseButton.LeftButton and not ev.modifiers()
        if not plain:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        if self._chart.take_hold(ev):
            return
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
        return [ticks(max(minVal, 0), maxVal, size / _TOKEN_TICK)]


class _StepAxis(pg.AxisItem):
    """Whole steps."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        told = [formats.number(value) for value in values]
        return [f"step {told[0]}", *told[1:]] if told else []

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        return [ticks(max(minVal, 1), maxVal, size / _STEP_TICK)]
