"""A line of controls over what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.ui import theme

_LEFT, _ABOVE = 12, 3


def headed(
    controls: Sequence[QWidget], wide: QWidget, body: QWidget, gap: int = theme.GRID
) -> QWidget:
    """Return both in one widget without a frame.

    Args:
        controls: From left to right.
        wide: The one among them that takes the room that is left.
        body: What stands below.
        gap: Pixels between two controls.
    """
    head = QHBoxLayout()
    head.setContentsMargins(_LEFT, _ABOVE, theme.GRID, _ABOVE)
    head.setSpacing(gap)
    for control in controls:
        head.addWidget(control, int(control is wide))
    whole = QWidget()
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(head)
    column.addWidget(body, 1)
    return whole
