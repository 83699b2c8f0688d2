"""The Runs tab: what was kept, what each comes from, and what to compare with."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from inspector.ui.actions import Actions
from inspector.ui.models.replay.runs import ReplayRuns
from inspector.ui.models.replay.tables.run_table import RunTableModel
from inspector.ui.widgets.headed import headed
from inspector.ui.widgets.push_button import push_button
from inspector.ui.widgets.row_view import RowView

_ABOUT = "A double click puts a run on the bench again."
_NOT_REPLAYED = "This run comes from a file: put it on the bench first, so that it is replayed."


class ReplayRunsTab(QWidget):
    """A table with what can be done with its rows."""

    def __init__(self, runs: ReplayRuns, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self.table = RunTableModel(runs, self)
        self.view = RowView(self.table, "Kept runs")
        self.about = QLabel(_ABOUT)
        self.about.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        buttons = [
            push_button(actions[name], text)
            for name, text in (
                ("keep_run", "Keep the candidate"),
                ("compare_run", "Compare with this"),
                ("branch", "Branch here…"),
                ("save_project", "Save project…"),
            )
        ]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(headed((self.about, *buttons), self.about, self.view))
        self.view.activated.connect(lambda index: self._load(index.row()))
        actions["compare_run"].triggered.connect(self._compare)

    def _load(self, row: int) -> None:
        self.about.setText(_ABOUT)
        self._runs.load(self.table.run_at(row))
        self.view.show_row(row)

    def _compare(self) -> None:
        compared = self._runs.compare_with(self.table.run_at(self.view.current_row() or 0))
        self.about.setText(_ABOUT if compared else _NOT_REPLAYED)
