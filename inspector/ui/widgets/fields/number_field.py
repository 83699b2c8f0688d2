"""Fields for numbers: plain figures at rest, a frame when pointed at or typed into.

Any number can be typed, so that the engine's own words say what is wrong with it; the arrow keys
stay within the bounds.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLocale, QSize, Qt
from PySide6.QtGui import QFontMetrics, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QWidget

from engine.config import LARGEST_COUNT
from inspector.ui import formats, theme

_LOCALE = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
"""Figures are written alike everywhere in the window, whatever the system's language."""


class RatioField(QDoubleSpinBox):
    """A share, with as many decimals as it needs."""

    def __init__(self, name: str, low: float, high: float, parent: QWidget | None = None) -> None:
        """Lay out a field.

        Args:
            name: What it sets, for screen readers.
            low: Where stepping down ends.
            high: Where stepping up ends.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._bounds = low, high
        self.setDecimals(6)
        self.setRange(-1_000, 1_000)
        self.setSingleStep(0.01)
        _dress(self, name)

    def textFromValue(self, value: float) -> str:
        return formats.ratio(value).replace(formats.MINUS, "-")

    def stepBy(self, steps: int) -> None:
        low, high = self._bounds
        self.setValue(min(max(round(self.value() + steps * self.singleStep(), 6), low), high))

    def sizeHint(self) -> QSize:
        return _size(self, "0.1234")

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def wheelEvent(self, event: QWheelEvent) -> None:
        _turn(self, event, super().wheelEvent)


class CountField(QDoubleSpinBox):
    """A whole number; Qt's own field for them ends at 32 bits, sooner than a capacity may."""

    def __init__(self, name: str, low: int, digits: int = 4, parent: QWidget | None = None) -> None:
        """Lay out a field.

        Args:
            name: What it sets, for screen readers.
            low: Where stepping down ends.
            digits: For how many figures there is room.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._low = low
        self._digits = digits
        self.setDecimals(0)
        self.setRange(-LARGEST_COUNT, LARGEST_COUNT)
        self.setGroupSeparatorShown(digits > 4)
        _dress(self, name)

    def count(self) -> int:
        """Return the number."""
        return int(self.value())

    def stepBy(self, steps: int) -> None:
        self.setValue(max(self.value() + steps * self.singleStep(), self._low))

    def sizeHint(self) -> QSize:
        return _size(self, "0" * (self._digits + self._digits // 3))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def wheelEvent(self, event: QWheelEvent) -> None:
        _turn(self, event, super().wheelEvent)


def _dress(field: QAbstractSpinBox, name: str) -> None:
    field.setAccessibleName(name)
    field.setProperty("quiet", True)
    field.setLocale(_LOCALE)
    field.setFont(theme.content_font())
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def _size(field: QAbstractSpinBox, widest: str) -> QSize:
    width = QFontMetrics(field.font()).horizontalAdvance(widest)
    return QSize(width + 14, theme.ROW)


def _turn(field: QAbstractSpinBox, event: QWheelEvent, turn: Callable[[QWheelEvent], None]) -> None:
    """Let the wheel turn a field only while it has the focus."""
    if field.hasFocus():
        turn(event)
    else:
        event.ignore()
