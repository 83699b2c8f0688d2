"""The Decisions tab: the decisions of both runs by step, and the gates of one on both sides."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from inspector.trace.decision import Decision
from inspector.ui import formats, theme
from inspector.ui.models.detail.explanation import explain
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.tables.aligned_table import AlignedTableModel
from inspector.ui.models.replay.tables.gate_pairs import GatePairsModel
from inspector.ui.models.row_table import Cell
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.headed import headed
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter


class ReplayDecisionsTab(QWidget):
    """List at the left, gates at the right."""

    def __init__(
        self, bench: ReplayBench, selection: AlignedSelection, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._selection = selection
        self.table = AlignedTableModel(bench, selection, self)
        self.view = RowView(self.table, "Decisions of both runs")
        self.only_differing = QCheckBox("Only what differs")
        self.count = CellLine(right=True)
        self.gates = GatePairsPanel(bench, selection)
        self._note = Note()
        self._pages = QStackedWidget()
        self._build()
        self.view.row_selected.connect(self._choose)
        self.only_differing.toggled.connect(selection.list_differing)
        self.table.modelReset.connect(self._show_rows)
        selection.place_changed.connect(self._show_place)

    def _build(self) -> None:
        self._pages.addWidget(self.view)
        self._pages.addWidget(self._note)
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(headed((self.only_differing, self.count), self.count, self._pages))
        split.addWidget(self.gates)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 4)
        split.setSizes([540, 385])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._selection.select(self.table.aligned_row(row))

    def _show_rows(self) -> None:
        result = self._bench.result
        some = self.table.row_count() > 0
        self._pages.setCurrentIndex(0 if some else 1)
        if not some:
            self._note.say("Every decision came out alike", "Move a slider to see what changes.")
        if result is not None:
            differing = int(result.differing.sum())
            told = f"{differing:,} of {formats.plural(len(result.aligned), 'decision')} differ"
            self.count.show_cells([Cell(told, "accent" if differing else "muted")])
        self._show_place()

    def _show_place(self) -> None:
        row = self.table.listed_row(self._selection.row)
        self.view.show_row(row)
        if row is not None:
            self.view.scrollTo(self.table.index(row, 0))


class GatePairsPanel(QWidget):
    """Why each side decided as it did, and every gate with what was measured on both."""

    def __init__(
        self, bench: ReplayBench, selection: AlignedSelection, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._selection = selection
        self.head = CellLine()
        self.reasons = (_sentence("Baseline: why"), _sentence("Candidate: why"))
        self.table = GatePairsModel(self)
        self.view = RowView(self.table, "Gates of both runs")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.GRID, 3, 0, 0)
        column.setSpacing(theme.GRID // 2)
        for widget in (self.head, *self.reasons):
            line = QHBoxLayout()
            line.setContentsMargins(theme.GRID, 0, theme.GRID, 0)
            line.addWidget(widget)
            column.addLayout(line)
        column.addWidget(self.view, 1)
        selection.place_changed.connect(self._show)
        selection.rows_changed.connect(self._show)

    def _show(self) -> None:
        pair, result, baseline = self._selection.pair, self._bench.result, self._bench.baseline
        if pair is None or result is None or baseline is None:
            self.head.show_cells([Cell("No decision selected", "muted")])
            self._show_sides(None, None)
            return
        self.head.show_cells(
            [
                Cell(f"step {pair.place.step:,}", "muted"),
                Cell(formats.one_line(pair.place.processor), heading=True),
            ]
        )
        self._show_sides(
            baseline.decision(pair.a) if pair.a >= 0 else None,
            result.trace.decision(pair.b) if pair.b >= 0 else None,
        )

    def _show_sides(self, left: Decision | None, right: Decision | None) -> None:
        name = self._bench.baseline_name
        for label, who, decision in zip(
            self.reasons, (name, "candidate"), (left, right), strict=True
        ):
            told = explain(decision) if decision is not None else "nothing was decided here."
            label.setText(f"{who}: {told}")
            label.setVisible(self._selection.pair is not None)
        self.table.show_decisions(left, right, name)


def _sentence(name: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAccessibleName(name)
    return label
