"""What stands where there is nothing to show: what is so, why, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.ui import theme

_WIDEST = 560


class Note(QWidget):
    """A calm page of text in the middle of its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions: tuple[QAction, ...] = ()
        self._title = _label(theme.emphasised(theme.interface_font()))
        self._text = _label(theme.interface_font())
        self._text.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.GRID)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.GRID)
        layout.addStretch(2)
        for label in (self._title, self._text):
            layout.addWidget(label, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(theme.GRID)
        layout.addLayout(self._buttons)
        layout.addStretch(3)

    def say(self, title: str, text: str = "", actions: Sequence[QAction] = ()) -> None:
        """Show a title, a text and a button for each action, the first of them the default."""
        for label, said in ((self._title, title), (self._text, text)):
            label.setText(said)
            label.setVisible(bool(said))
        if tuple(actions) != self._actions:
            self._actions = tuple(actions)
            self._lay_buttons()

    def _lay_buttons(self) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._buttons.addStretch()
        for at, action in enumerate(self._actions):
            button = QPushButton(action.text())
            button.setDefault(at == 0)
            button.setToolTip(action.toolTip())
            button.clicked.connect(action.trigger)
            self._buttons.addWidget(button)
        self._buttons.addStretch()

    def text(self) -> str:
        """Return what the note says."""
        return f"{self._title.text()}\n{self._text.text()}".strip()


def _label(font: object) -> QLabel:
    label = QLabel()
    label.setFont(font)  # type: ignore[arg-type]
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setMinimumWidth(280)
    label.setMaximumWidth(_WIDEST)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
