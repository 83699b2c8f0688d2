"""A slider as a bar that is filled up to its value, with a mark where the value came from."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from inspector.ui import theme

_BAR = 6.0
_HANDLE = 4.0
_HEIGHT = 16
_INSET = 3.0
"""Pixels at both ends, so that the handle stays inside."""


class BarSlider(QSlider):
    """A horizontal slider; a press anywhere on it takes the value there.

    The wheel turns it only while it has the focus, so that scrolling past changes nothing.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Lay out a slider.

        Args:
            name: What it sets, for screen readers.
            parent: The widget it is in.
        """
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._origin: int | None = None
        self._edited = False
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def show_origin(self, origin: int, edited: bool) -> None:
        """Mark the position that the value was edited away from."""
        self._origin, self._edited = origin, edited
        self.update()

    def x_of(self, value: int) -> float:
        """Return the pixel of a value."""
        extent = self.maximum() - self.minimum()
        share = (value - self.minimum()) / extent if extent else 0.0
        return _INSET + share * (self.width() - 2 * _INSET)

    def value_at(self, x: float) -> int:
        """Return the value nearest to a pixel."""
        share = (x - _INSET) / max(self.width() - 2 * _INSET, 1)
        value = round(self.minimum() + share * (self.maximum() - self.minimum()))
        return min(max(value, self.minimum()), self.maximum())

    def sizeHint(self) -> QSize:
        return QSize(160, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, _HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self.value_at(event.position().x()))
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self.value_at(event.position().x()))
            event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        chosen = theme.colours(self.palette())
        fill = QColor(chosen.accent if self._edited else chosen.muted)
        active = self.isEnabled() and (self.underMouse() or self.hasFocus() or self.isSliderDown())
        middle, here = self.height() / 2, self.x_of(self.value())
        bar = QRectF(0, middle - _BAR / 2, self.width(), _BAR)
        painter.setBrush(QColor(chosen.line))
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)
        painter.setBrush(fill)
        bar.setRight(here)
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)
        if self._edited and self._origin is not None:
            x = round(self.x_of(self._origin))
            painter.fillRect(QRectF(x - 1, middle - _HEIGHT / 2 + 1, 2, _HEIGHT - 2), chosen.muted)
        handle = _HANDLE + (2 if active else 0)
        height = 12.0 + (2 if active else 0)
        painter.setBrush(QColor(chosen.accent) if active else fill)
        painter.drawRoundedRect(
            QRectF(here - handle / 2, middle - height / 2, handle, height), 2, 2
        )
