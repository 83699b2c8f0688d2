"""What the candidate lost, item by item, with the message that each stood in.

A row leads to its message below and to the step that lost it in the chart.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QStackedWidget, QVBoxLayout, QWidget

from engine.messages import Message
from inspector.insight.items import ItemKind
from inspector.ui import formats, theme
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.judge import ReplayJudge
from inspector.ui.models.replay.tables.comparison_table import KIND_NAMES
from inspector.ui.models.replay.tables.lost_items import LostItemsModel, loss_runs
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.headed import headed
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.part_reader import PartReader


class LostItemsPanel(QWidget):
    """A list over a reader."""

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
        self._kind: ItemKind | None = None
        self._messages: list[Message] = []
        self.table = LostItemsModel(self)
        self.reader = PartReader(self.table, self._runs, "Lost items", titled=True, shares=(1, 1))
        self.only_new = QCheckBox("Only new losses")
        self.only_new.setToolTip("Leave out what the baseline lost too")
        self.only_canaries = QCheckBox("Only canaries")
        self.head = CellLine(right=True)
        self.note = Note()
        self._pages = QStackedWidget()
        self._build()
        self.only_new.toggled.connect(self._show)
        self.only_canaries.toggled.connect(self._show)
        self.reader.view.row_selected.connect(self._go_to)
        judge.judged.connect(self._show)
        self._show()

    def list_kind(self, kind: ItemKind | None) -> None:
        """List items of a kind only; all when None."""
        if kind != self._kind:
            self._kind = kind
            self._show()

    def _build(self) -> None:
        self.reader.setOrientation(Qt.Orientation.Vertical)
        self.reader.reader.setPlaceholderText("Choose an item to read the message it stood in.")
        controls = (self.only_new, self.only_canaries, self.head)
        self._pages.addWidget(headed(controls, self.head, self.reader, 2 * theme.GRID))
        self._pages.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _show(self) -> None:
        judged, result = self._judge.result, self._bench.result
        planted = judged is not None and bool(judged.canaries)
        self.only_canaries.setVisible(planted)
        self.table.show_losses(
            judged,
            self._kind,
            self.only_new.isChecked(),
            planted and self.only_canaries.isChecked(),
            self._bench.baseline_name,
        )
        self._messages = (
            [message for step in result.trace.run.steps for message in step.new]
            if judged is not None and result is not None
            else []
        )
        self.reader.start_at(-1)
        self._pages.setCurrentIndex(0 if self.table.total else 1)
        if judged is not None and not self.table.total:
            self.note.say("Nothing is lost", "The last window holds all that was looked for.")
        elif judged is None:
            told = self._judge.failure or "It is looked for when the replay is done."
            self.note.say("What was lost", formats.visible(told))
        self.head.show_cells([Cell(self._told_count(), "muted")])

    def _told_count(self) -> str:
        listed, total = len(self.table.losses), self.table.total
        of = "" if listed == total else f"{listed:,} of "
        kind = "" if self._kind is None else f": {KIND_NAMES[self._kind]}"
        return f"{of}{formats.plural(total, 'lost item')}{kind}"

    def _runs(self, row: int) -> tuple[Run, ...]:
        return loss_runs(self.table.losses[row], self._messages)

    def _go_to(self, row: int) -> None:
        if 0 <= row < len(self.table.losses):
            self._selection.select_step(self.table.losses[row].step)
