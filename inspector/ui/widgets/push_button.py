"""Push buttons: one that does an action and is enabled as it is, one that opens a menu."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton


def push_button(action: QAction, text: str = "") -> QPushButton:
    """Return a button for an action, under a text of its own if one is given.

    Menus write every word with a capital, buttons only the first.
    """
    button = QPushButton(text or action.text().replace("&", "").capitalize())
    button.setToolTip(action.toolTip())
    button.setEnabled(action.isEnabled())
    button.clicked.connect(action.trigger)
    action.enabledChanged.connect(button.setEnabled)
    return button


def menu_button(text: str, menu: QMenu) -> QPushButton:
    """Return a button that opens a menu below itself."""
    button = QPushButton(f"{text} ▾")
    button.setAccessibleName(text)
    button.clicked.connect(lambda: menu.popup(button.mapToGlobal(button.rect().bottomLeft())))
    return button
