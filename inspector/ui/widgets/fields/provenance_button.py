"""Says where a setting's value comes from; an edited one goes back to what it was with a click."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from inspector.ui import theme
from inspector.ui.models.marks import Mark
from inspector.ui.widgets.mark_painter import SIZE, paint_mark

_RESET = "↺ "


class ProvenanceButton(QAbstractButton):
    """A word with the mark of its basis, or a way back.

    It can be pressed while the value is edited, and takes the keyboard only then.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark: Mark | None = None
        self._said = ""
        self._tone = "faint"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def say(self, told: str, mark: Mark | None) -> None:
        """Say a provenance.

        Args:
            told: In a word.
            mark: Filled where it is recorded, hollow where it is assumed.
        """
        self._show(told, mark, "muted" if mark is not None else "faint", back="")

    def offer(self, told: str, back: str) -> None:
        """Offer the way back.

        Args:
            told: What the value is now, in a word.
            back: What a click does, for tool tip and screen readers.
        """
        self._show(_RESET + told, None, "accent", back)

    def _show(self, said: str, mark: Mark | None, tone: str, back: str) -> None:
        self._said, self._mark, self._tone = said, mark, tone
        self.setEnabled(bool(back))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if back else Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(back or said)
        self.setToolTip(back)
        self.setText(said)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(theme.small_font()).horizontalAdvance(self._said)
        mark = SIZE + 5 if self._mark is not None else 0
        return QSize(int(width + mark) + 4, theme.ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        chosen = theme.colours(self.palette())
        left = 1.0
        if self._mark is not None:
            paint_mark(painter, self._mark, QRectF(left, 0, 0, self.height()), chosen)
            left += SIZE + 5
        font = QFont(theme.small_font())
        font.setUnderline(self.isEnabled() and (self.underMouse() or self.hasFocus()))
        painter.setFont(font)
        painter.setPen(QColor(getattr(chosen, self._tone)))
        metrics = QFontMetricsF(font)
        baseline = round(self.height() / 2 + metrics.capHeight() / 2)
        painter.drawText(QPointF(left, baseline), self._said)
