"""A switch of joined buttons, one of which is down."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget


class Segmented(QWidget):
    """One button for each of some exclusive actions."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._buttons: list[QToolButton] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)

    def add(self, action: QAction) -> None:
        """Add a segment for a checkable action."""
        button = QToolButton()
        button.setDefaultAction(action)
        self._buttons.append(button)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(button)
        last = len(self._buttons) - 1
        for at, each in enumerate(self._buttons):
            each.setProperty(
                "segment",
                "only" if not last else "first" if not at else "last" if at == last else "middle",
            )
        self.setVisible(last > 0)
