"""The Compressions tab: each compression of both runs, with what it lost by kind."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.ui import formats
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.judge import ReplayJudge
from inspector.ui.models.replay.tables.compression_table import (
    CompressionTableModel,
    compression_runs,
)
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.part_reader import PartReader


class ReplayCompressionsTab(QWidget):
    """A table beside the balance of the chosen row; a row leads to its step in the chart."""

    def __init__(
        self,
        bench: ReplayBench,
        judge: ReplayJudge,
        selection: AlignedSelection,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._judge = judge
        self._selection = selection
        self.table = CompressionTableModel(self)
        self.reader = PartReader(
            self.table,
            lambda row: compression_runs(self.table.rows[row]),
            "Compressions of both runs",
            titled=True,
            shares=(5, 2),
        )
        self.reader.reader.setPlaceholderText("Choose a compression to read what it lost.")
        self.note = Note()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.reader)
        self._pages.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.reader.view.row_selected.connect(self._go_to)
        judge.judged.connect(self._show)
        self._show()

    def _show(self) -> None:
        judged = self._judge.result
        self.table.show_judged(judged, self._bench.baseline_name)
        self.reader.start_at(-1)
        self._pages.setCurrentIndex(0 if self.table.rows else 1)
        if judged is not None:
            self.note.say("No compression", "Neither run took anything out of its window.")
        else:
            told = self._judge.failure or "They are judged when the replay is done."
            self.note.say("What each compression kept", formats.visible(told))

    def _go_to(self, row: int) -> None:
        if 0 <= row < len(self.table.rows):
            self._selection.select_step(self.table.rows[row].kept.step)
