"""One setting as a row: its name, where its value comes from, an editor, a slider where it has one.

What is typed is set a moment after the last key, so that half a number is not replayed; sliders and
arrow keys act at once.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.ui import theme
from inspector.ui.models.row_table import plain_tip
from inspector.ui.widgets.fields.provenance_button import ProvenanceButton

_TYPING = 350
"""Milliseconds after the last key until a typed value is set."""


class SettingRow(QWidget):
    """A row that a subclass fills, or whoever needs but one of it."""

    def __init__(
        self, title: str, about: str, editor: QWidget, parent: QWidget | None = None
    ) -> None:
        """Lay out name, provenance and editor.

        Args:
            title: The setting's name in words.
            about: What there is to know of it.
            editor: Where it is set.
            parent: What the row stands in.
        """
        super().__init__(parent)
        self.provenance = ProvenanceButton()
        self.typing = QTimer(self)
        """Runs out when a typed value is to be set."""
        self.typing.setSingleShot(True)
        self.typing.setInterval(_TYPING)
        name = QLabel(title)
        name.setToolTip(plain_tip(about))
        self.line = QHBoxLayout()
        self.line.setSpacing(theme.GRID)
        self.line.addWidget(name)
        self.line.addWidget(self.provenance)
        self.line.addStretch(1)
        self.line.addWidget(editor)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addLayout(self.line)
