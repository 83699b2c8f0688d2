"""Asks before something is lost; the window stays live meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def confirm(title: str, text: str, yes: str, go_on: Callable[[], None], window: QWidget) -> None:
    """Ask, and go on where the answer is yes.

    Args:
        title: What would be lost, in a few words.
        text: What can be done instead.
        yes: What the button says that goes on.
        go_on: Called when it is pressed.
        window: What the question belongs to.
    """
    box = QMessageBox(QMessageBox.Icon.Warning, title, "", parent=window)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title)
    box.setInformativeText(text)
    pressed = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    pressed.clicked.connect(go_on)
    box.open()
