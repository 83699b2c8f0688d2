"""What takes the place of the decision for a while: a line about it, a text, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.ui import theme
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.text_view import TextView


class Page(QWidget):
    """The base of the pages; a subclass fills head and text.

    Signals:
        left: the user wants to see the decision again.
    """

    left = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.text = TextView(name)
        self.back = QPushButton("Back to the decision")
        self.back.setToolTip("Backspace")
        self.back.clicked.connect(self.left)
        key = QShortcut(QKeySequence(Qt.Key.Key_Backspace), self)
        key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        key.activated.connect(self.left)
        self._head = QHBoxLayout()
        self._head.setContentsMargins(theme.GRID, theme.GRID // 2, theme.GRID, theme.GRID // 2)
        self._head.setSpacing(theme.GRID)
        self._head.addWidget(self.head, 1)
        self._head.addWidget(self.back)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head)
        layout.addWidget(self.text, 1)

    def add_button(self, button: QPushButton) -> None:
        """Put a button before the one that leads back."""
        self._head.insertWidget(self._head.count() - 1, button)

    def show_page(self, cells: Sequence[Cell], runs: Sequence[Run]) -> None:
        """Show another head and text."""
        self.head.show_cells(cells)
        self.text.show_runs(runs)
