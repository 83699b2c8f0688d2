"""The list of keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector.ui import theme
from inspector.ui.models.key_list import KeyListModel
from inspector.ui.widgets.row_view import RowView


class KeysDialog(QDialog):
    """What can be done, and with which key."""

    def __init__(self, told: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Show actions.

        Args:
            told: Text and keys of each action.
            parent: The window it belongs to.
        """
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.model = KeyListModel(told, self)
        view = RowView(self.model, "Keys")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.GRID, theme.GRID, theme.GRID, theme.GRID)
        layout.addWidget(view)
        layout.addWidget(buttons)
        self.resize(440, min(theme.ROW * (self.model.row_count() + 2) + 64, 720))
