"""A list beside a reader: the row that is current is the one that is read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QWidget

from inspector.ui.models.row_table import RowTableModel
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter
from inspector.ui.widgets.text_view import TextView


class PartReader(ThinSplitter):
    """Rows at the left, the text of the current one at the right."""

    def __init__(
        self,
        model: RowTableModel,
        read: Callable[[int], tuple[Run, ...]],
        name: str,
        titled: bool = False,
        shares: tuple[int, int] = (1, 2),
        parent: QWidget | None = None,
    ) -> None:
        """Show a model and what there is to read of its rows.

        Args:
            model: The rows.
            read: Returns the text of a row.
            name: What the rows are, for screen readers.
            titled: Whether the columns have titles.
            shares: How list and reader share the width at first.
            parent: The widget it is in.
        """
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._read = read
        self.view = RowView(model, name, titled)
        self.reader = TextView(f"{name}: text")
        self.reader.setObjectName("reader")
        self.addWidget(self.view)
        self.addWidget(self.reader)
        for at, share in enumerate(shares):
            self.setStretchFactor(at, share)
        self.setSizes([share * 360 for share in shares])
        self.view.row_selected.connect(self._show)

    def start_at(self, row: int) -> None:
        """Read a row after the model changed."""
        model = self.view.model()
        self.view.show_row(row if row < model.rowCount() else None)
        self.view.scrollTo(model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        if not model.rowCount():
            self.reader.show_runs(())

    def _show(self, row: int) -> None:
        self.reader.show_runs(self._read(row) if row >= 0 else ())
