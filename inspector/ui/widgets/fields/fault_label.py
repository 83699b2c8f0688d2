"""A line that says what is wrong, and takes no room while nothing is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from inspector.ui import theme


class FaultLabel(QLabel):
    """Plain text in the colour of failure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.small_font())
        self.setForegroundRole(self.palette().ColorRole.BrightText)
        self.setWordWrap(True)
        self.hide()

    def tell(self, told: str) -> None:
        """Say what is wrong; nothing when empty."""
        self.setText(told)
        self.setVisible(bool(told))
