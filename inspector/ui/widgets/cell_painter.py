"""Paints cells, in tables, trees and single lines: the mark, the text, and the aside behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from inspector.ui import theme
from inspector.ui.models.row_table import Cell
from inspector.ui.widgets.mark_painter import mark_width, paint_mark

MARK_GAP = 6
"""Pixels between mark and text."""


def paint_cell(
    painter: QPainter,
    rect: QRectF,
    cell: Cell,
    chosen: theme.Colours,
    *,
    fixed: bool = False,
    right: bool = False,
    aside_share: float = 0.0,
) -> float:
    """Paint a cell, cut to its width; pen, brush and font change.

    Args:
        painter: Where to.
        rect: The room there is; the text stands in the middle of its height.
        cell: What is painted.
        chosen: The colours in force.
        fixed: Whether the text is set in the fixed-width font.
        right: Whether the text ends at the right edge.
        aside_share: Share of the room that the text leaves to the aside where both do not fit.

    Returns:
        Where the text ends, in pixels.
    """
    left, room = rect.left(), rect.width()
    if cell.mark is not None:
        paint_mark(painter, cell.mark, rect, chosen)
        taken = mark_width(cell.mark) + MARK_GAP
        left, room = left + taken, room - taken
    face = _face(fixed, cell.heading)
    aside_width = face.metrics.horizontalAdvance(cell.aside) if cell.aside else 0.0
    kept = min(aside_width, room * aside_share)
    text, width = _fitted(face, cell.text, room - kept)
    baseline = round(rect.center().y() + _face(False, False).metrics.capHeight() / 2)
    if right:
        left = rect.right() - width
    painter.setFont(face.font)
    painter.setPen(chosen.tone(cell.tone))
    painter.drawText(QPointF(left, baseline), text)
    if not cell.aside:
        return left + width
    aside, aside_width = _fitted(face, _whole_words(face, cell.aside, room - width), room - width)
    painter.setPen(chosen.tone("muted"))
    painter.drawText(QPointF(left + width, baseline), aside)
    return left + width + aside_width


def cell_width(cell: Cell) -> float:
    """Return the room that a cell would fill in the interface font, in pixels."""
    mark = mark_width(cell.mark) + MARK_GAP if cell.mark else 0.0
    return mark + _face(False, cell.heading).metrics.horizontalAdvance(cell.text + cell.aside)


@dataclass(frozen=True, eq=False)
class _Face:
    font: QFont
    metrics: QFontMetricsF


@cache
def _face(fixed: bool, heading: bool) -> _Face:
    font = theme.content_font() if fixed else theme.interface_font()
    font = theme.emphasised(font) if heading else font
    return _Face(font, QFontMetricsF(font))


@lru_cache(4096)
def _whole_words(face: _Face, text: str, room: float) -> str:
    """Return a text without the words at its end that do not fit: a cut number tells another."""
    fitted = text
    while face.metrics.horizontalAdvance(fitted) > room and " " in fitted.strip():
        text = text.rpartition(" ")[0].rstrip(" ·")
        fitted = f"{text} …"
    return fitted


@lru_cache(4096)
def _fitted(face: _Face, text: str, room: float) -> tuple[str, float]:
    """Return a text cut to a width, and its width."""
    width = face.metrics.horizontalAdvance(text)
    if width <= room:
        return text, width
    text = face.metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
    return text, face.metrics.horizontalAdvance(text)
