"""The window as a ribbon: one cell a message, as wide as its tokens, in the colour of its zone.

Painted by hand: with many messages the cells become one image of a pixel's height, stretched (a
tenth of a millisecond for 100,000 messages, where one rectangle each takes a quarter of a second).
Arcs above the cells tie a tool call to its results. Requests and results are in the full colour of
their zone, what the model said is a shade quieter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.trace.detail import SpanView, Zone
from inspector.ui import theme
from inspector.ui.models.marks import ZONE_MARKS
from inspector.ui.models.message_text import preview
from inspector.ui.models.row_table import plain_tip
from inspector.ui.widgets.plots.ribbon_layout import RibbonLayout

_TOP = 16
_CELL = 24
_FOOT = 20
_CROWDED = 3.0
"""Pixels a message below which cells are painted as an image."""
_LETTER = 12.0
"""Pixels that a zone needs to bear its letter."""
_NO_ROWS: frozenset[int] = frozenset()
_STRONG = ("user", "tool")
_SHARES = (1.0, 0.66, 0.3)
_FULL, _QUIET, _DIM = range(3)


class Ribbon(QWidget):
    """A ribbon over the messages of a split.

    Signals:
        hovered: the message under the pointer; -1 beside the ribbon.
        chosen: the message that was clicked or reached by key.
    """

    hovered = Signal(int)
    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._span: SpanView | None = None
        self._zone_codes: NDArray[np.int64] = np.empty(0, np.int64)
        self._strong: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._stretches: list[tuple[Zone, int, int]] = []
        self._layout = RibbonLayout.of((), 0)
        self._lit = _NO_ROWS
        self._current = -1
        self._hover = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Ribbon of messages")

    def show_span(self, span: SpanView) -> None:
        """Show another split."""
        self._span = span
        codes = {zone: code for code, zone in enumerate(ZONE_MARKS)}
        self._zone_codes = np.array([codes[zone] for zone in span.zones], np.int64)
        self._strong = np.array([message.role in _STRONG for message in span.messages], np.bool_)
        self._stretches = zone_stretches(span.zones)
        self._lit = _NO_ROWS
        self._current = self._hover = -1
        counts = {zone: span.zones.count(zone) for zone in ZONE_MARKS}
        said = ", ".join(
            f"{count} {ZONE_MARKS[zone].told}" for zone, count in counts.items() if count
        )
        self.setAccessibleDescription(f"One cell a message, as wide as its tokens: {said}")
        self._lay_out()

    def light(self, rows: frozenset[int], current: int) -> None:
        """Light these messages, dim the others, and outline the current one."""
        if (rows, current) != (self._lit, self._current):
            self._lit, self._current = rows, current
            self.update()

    def _lay_out(self) -> None:
        tokens = [message.tokens for message in self._span.messages] if self._span else []
        self._layout = RibbonLayout.of(tokens, self.width())
        self.update()

    def _shades(
        self, chosen: theme.Colours, shown: NDArray[np.int64] | slice
    ) -> NDArray[np.uint32]:
        """Return the colours of some messages."""
        surface = QColor(chosen.surface)
        full = [chosen.tone(mark.tone) for mark in ZONE_MARKS.values()]
        table = np.array(
            [[_mixed(colour, surface, share).rgb() for share in _SHARES] for colour in full],
            np.uint32,
        )
        level = np.where(self._strong[shown], _FULL, _QUIET)
        if self._lit:
            lit = np.isin(np.arange(len(self._layout))[shown], [*self._lit])
            level = np.where(lit, _FULL, _DIM)
        return table[self._zone_codes[shown], level]

    def _paint_cells(self, painter: QPainter, chosen: theme.Colours) -> None:
        if self.width() / len(self._layout) < _CROWDED:
            shades = self._shades(chosen, self._layout.columns())
            painter.drawImage(QRectF(0, _TOP, self.width(), _CELL), _image(shades))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for at, shade in enumerate(self._shades(chosen, slice(None))):
            left, right = self._layout.span(at, at + 1)
            painter.setBrush(QColor.fromRgb(int(shade)))
            painter.drawRoundedRect(QRectF(left, _TOP, max(right - left - 1, 1), _CELL), 2, 2)

    def _paint_zones(self, painter: QPainter, chosen: theme.Colours) -> None:
        """Underline each zone and write its letter below."""
        painter.setFont(theme.emphasised(theme.small_font()))
        capital = QFontMetricsF(painter.font()).capHeight()
        for zone, first, last in self._stretches:
            left, right = self._layout.span(first, last)
            mark = ZONE_MARKS[zone]
            painter.fillRect(
                QRectF(left, _TOP + _CELL + 3, max(right - left - 1, 1), 2), chosen.tone(mark.tone)
            )
            if right - left < _LETTER:
                continue
            painter.setPen(chosen.tone(mark.tone))
            painter.drawText(QPointF(left + 1, _TOP + _CELL + 9 + capital), mark.letter)

    def _paint_outline(self, painter: QPainter, chosen: theme.Colours) -> None:
        if not 0 <= self._current < len(self._layout):
            return
        left, right = self._layout.span(self._current, self._current + 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(chosen.text), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(left - 0.5, _TOP - 1, max(right - left, 2), _CELL + 2), 3, 3)

    def _paint_boundary(self, painter: QPainter, chosen: theme.Colours) -> None:
        """Show where the tail would have begun, and the ties that moved its boundary."""
        span = self._span
        assert span is not None
        if not span.moved_by or span.wanted_tail is None:
            return
        wanted = len(span.zones) - span.wanted_tail
        tail = span.zones.index("tail") if "tail" in span.zones else len(span.zones)
        if not 0 <= wanted <= len(self._layout) or wanted == tail:
            return
        colour = chosen.tone("tail")
        old, new = float(self._layout.edges[wanted]), float(self._layout.edges[tail])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(old, 4), QPointF(old, _TOP + _CELL))
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(new, 4), QPointF(new, _TOP + _CELL))
        painter.drawLine(QPointF(old, 7), QPointF(new, 7))
        if old - new > 8:
            painter.drawPolyline(
                [QPointF(new + 5, 3.5), QPointF(new + 0.5, 7), QPointF(new + 5, 10.5)]
            )

    def _paint_ties(self, painter: QPainter, chosen: theme.Colours) -> None:
        """Draw an arc from the lit call to each of its results."""
        if self._span is None or len(self._lit) < 2:
            return
        row_of = {message.position: row for row, message in enumerate(self._span.messages)}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(chosen.text), 1.2))
        for tie in self._span.ties:
            call = row_of.get(tie.call) if tie.call is not None else None
            if call is None or call not in self._lit:
                continue
            for result in tie.results:
                if result in row_of:
                    painter.drawPath(
                        _arc(self._layout.middle(call), self._layout.middle(row_of[result]))
                    )

    def _point_at(self, row: int | None, where: QPointF) -> None:
        at = -1 if row is None else row
        if at == self._hover:
            return
        self._hover = at
        self.hovered.emit(at)
        if self._span is None or at < 0:
            QToolTip.hideText()
            return
        message, zone = self._span.messages[at], self._span.zones[at]
        told = f"{ZONE_MARKS[zone].told} · {at + 1} · {message.role} · {preview(message)[:160]}"
        QToolTip.showText(self.mapToGlobal(where).toPoint(), plain_tip(told), self)

    def sizeHint(self) -> QSize:
        return QSize(400, _TOP + _CELL + _FOOT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _TOP + _CELL + _FOOT)

    def resizeEvent(self, event: QEvent) -> None:
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._span is None or not self._span.messages:
            return
        painter = QPainter(self)
        chosen = theme.colours(self.palette())
        self._paint_cells(painter, chosen)
        self._paint_zones(painter, chosen)
        self._paint_boundary(painter, chosen)
        self._paint_ties(painter, chosen)
        self._paint_outline(painter, chosen)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), QColor(chosen.accent))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._layout.at(event.position().x()), event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._layout.at(event.position().x())
        if row is not None:
            self.chosen.emit(row)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None, QPointF())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        count = len(self._layout)
        if event.key() not in steps or not count:
            super().keyPressEvent(event)
            return
        row = self._current + steps[Qt.Key(event.key())]
        self.chosen.emit(min(max(row, 0), count - 1))


def zone_stretches(zones: Sequence[Zone]) -> list[tuple[Zone, int, int]]:
    """Return each run of one zone as zone, first message and the one after the last."""
    found: list[tuple[Zone, int, int]] = []
    start = 0
    for at in range(1, len(zones) + 1):
        if at == len(zones) or zones[at] != zones[start]:
            found.append((zones[start], start, at))
            start = at
    return found


def _mixed(colour: QColor, other: QColor, share: float) -> QColor:
    mixed = (colour.getRgb()[i] * share + other.getRgb()[i] * (1 - share) for i in range(3))  # type: ignore[index]
    return QColor(*(round(part) for part in mixed))


def _image(line: NDArray[np.uint32]) -> QImage:
    image = QImage(line.tobytes(), len(line), 1, 4 * len(line), QImage.Format.Format_RGB32)
    return image.copy()


def _arc(start: float, end: float) -> QPainterPath:
    path = QPainterPath(QPointF(start, _TOP - 1))
    path.cubicTo(QPointF(start, 1), QPointF(end, 1), QPointF(end, _TOP - 1))
    path.moveTo(end - 2.5, _TOP - 5)
    path.lineTo(end, _TOP - 1)
    path.lineTo(end + 2.5, _TOP - 5)
    return path
