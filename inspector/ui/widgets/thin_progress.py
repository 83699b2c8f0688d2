"""How far something is, as a line that keeps its place while it is hidden."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget

_THICK = 3


class ThinProgress(QProgressBar):
    """A progress bar without text."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Hide at first.

        Args:
            name: What it tells, for screen readers.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setTextVisible(False)
        self.setFixedHeight(_THICK)
        keeps = self.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.setSizePolicy(keeps)
        self.hide()
