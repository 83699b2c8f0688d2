"""Paints marks into a line of text: shapes, and chips with letters."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from inspector.ui import theme
from inspector.ui.models.marks import Mark
from inspector.ui.shapes import paint_shape
from inspector.ui.theme import Colours

SIZE = 10.0
"""Width and height of a shape, in pixels."""
CHIP_HEIGHT = 15.0


def mark_width(mark: Mark) -> float:
    """Return the width that a mark takes, in pixels."""
    if mark.shape != "chip":
        return SIZE
    return max(20.0, _chip_metrics().horizontalAdvance(mark.letter) + 12)


def paint_mark(painter: QPainter, mark: Mark, rect: QRectF, chosen: Colours) -> None:
    """Paint a mark at the left of a rectangle, in its middle; pen and brush change."""
    middle = rect.center().y()
    if mark.shape != "chip":
        centre = QPointF(rect.left() + SIZE / 2, middle)
        paint_shape(painter, mark.shape, centre, SIZE, chosen.tone(mark.tone), mark.hollow)
        return
    pill = QRectF(rect.left(), round(middle - CHIP_HEIGHT / 2), mark_width(mark), CHIP_HEIGHT)
    colour = chosen.tone(mark.tone)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(_chip_font())
    if mark.hollow:
        outline = QColor(colour)
        outline.setAlphaF(0.55)
        painter.setPen(QPen(outline, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(pill.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        painter.setPen(colour)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(pill, CHIP_HEIGHT / 2, CHIP_HEIGHT / 2)
        painter.setPen(QColor(chosen.on_zone))
    metrics = _chip_metrics()
    baseline = pill.center().y() + metrics.capHeight() / 2 - 0.5
    left = pill.center().x() - metrics.horizontalAdvance(mark.letter) / 2
    painter.drawText(QPointF(left, baseline), mark.letter)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


@cache
def _chip_font() -> QFont:
    return theme.emphasised(theme.small_font())


@cache
def _chip_metrics() -> QFontMetricsF:
    return QFontMetricsF(_chip_font())
