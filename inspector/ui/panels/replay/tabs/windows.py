"""The Windows tab: what both runs sent at the step that is looked at."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.ui.actions import Actions
from inspector.ui.models.detail.window_diff import row_runs
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.tables.window_pairs import (
    WindowPairsModel,
    told_sizes,
    window_pairs,
)
from inspector.ui.models.row_table import Cell
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.headed import headed
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.part_reader import PartReader
from inspector.ui.widgets.push_button import push_button


class ReplayWindowsTab(QWidget):
    """Two windows side by side over the text of a message."""

    def __init__(
        self,
        bench: ReplayBench,
        selection: AlignedSelection,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._selection = selection
        self.rows = WindowPairsModel(("baseline", "candidate"), self)
        self.reader = PartReader(
            self.rows,
            lambda row: row_runs(self.rows.rows[row], False),
            "Windows of both runs",
            titled=True,
            shares=(3, 1),
        )
        self.head = CellLine()
        self.note = Note()
        self._pages = QStackedWidget()
        branch = push_button(actions["branch"], "Branch here…")
        self._pages.addWidget(headed((self.head, branch), self.head, self.reader))
        self._pages.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.note.say("No step selected", "Click into the chart, or step with N and P.")
        selection.place_changed.connect(self._show)
        selection.rows_changed.connect(self._show)

    def _show(self) -> None:
        """Align the windows; only while they can be seen, as that takes a moment."""
        if not self.isVisible():
            return
        place, result, baseline = self._selection.place, self._bench.result, self._bench.baseline
        windows = None
        if place is not None and result is not None and baseline is not None:
            windows = window_pairs(baseline, result.trace, place.step)
        self._pages.setCurrentIndex(0 if windows is not None else 1)
        if windows is None or place is None:
            return
        name = self._bench.baseline_name
        self.rows.name_sides(name, "candidate")
        self.rows.show_windows(windows, False)
        step = Cell(f"step {place.step:,}", heading=True)
        self.head.show_cells([step, *told_sizes(windows, (name, "candidate"))])
        differing = (
            at for at, row in enumerate(windows.rows) if row.before is None or row.after is None
        )
        self.reader.start_at(next(differing, 0))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()
