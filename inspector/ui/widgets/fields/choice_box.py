"""A box to choose one of a few words: plain text at rest, a frame when pointed at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from inspector.ui import theme


class ChoiceBox(QComboBox):
    """The wheel turns it only while it has the focus."""

    def __init__(self, name: str, choices: Sequence[str], parent: QWidget | None = None) -> None:
        """Lay out a box.

        Args:
            name: What it sets, for screen readers.
            choices: What may be chosen.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self.addItems(list(choices))
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setAccessibleName(name)
        self.setProperty("quiet", True)
        self.setFont(theme.content_font())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
