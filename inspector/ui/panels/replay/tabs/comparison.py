"""The Comparison tab: what both runs came to, what was lost, and what the figures rest on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector.ui import formats, theme
from inspector.ui.actions import Actions
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.judge import Judged, ReplayJudge
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.replay.tables.comparison_table import (
    ComparisonTableModel,
    percent,
)
from inspector.ui.panels.replay.tabs.lost_items import LostItemsPanel
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter

_TABLE_SHARE, _LOST_SHARE = 600, 480
_NAMES = 142
"""Pixels for the longest name of a figure."""


class ReplayComparisonTab(QWidget):
    """A small table with sentences below, and the lost items beside it."""

    def __init__(
        self,
        bench: ReplayBench,
        judge: ReplayJudge,
        selection: AlignedSelection,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._judge = judge
        self.table = ComparisonTableModel(self)
        self.view = RowView(self.table, "Baseline against candidate")
        self.notes = QLabel()
        self.lost = LostItemsPanel(bench, judge, selection)
        self._build(actions)
        self.view.row_selected.connect(self._choose)
        bench.result_changed.connect(self._show)
        bench.state_changed.connect(self._show)
        judge.judged.connect(self._show)
        judge.progressed.connect(self._tell)

    def _build(self, actions: Actions) -> None:
        self.notes.setTextFormat(Qt.TextFormat.PlainText)
        self.notes.setWordWrap(True)
        self.notes.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        cost = actions["cost_model"]
        asked = QPushButton("?")
        asked.setAccessibleName(cost.text().replace("&", ""))
        asked.setToolTip(cost.toolTip())
        asked.setFixedWidth(28)
        asked.clicked.connect(cost.trigger)
        line = QHBoxLayout()
        line.setContentsMargins(theme.GRID, 0, theme.GRID, 0)
        line.addWidget(self.notes, 1)
        line.addWidget(asked, 0, Qt.AlignmentFlag.AlignTop)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(4, 6, 0, theme.GRID)
        column.setSpacing(theme.GRID)
        column.addLayout(line)
        column.addWidget(self.view)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        figures = sum(column.width for column in self.table.COLUMNS)
        area.setMinimumWidth(_NAMES + figures + area.verticalScrollBar().sizeHint().width())
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(area)
        split.addWidget(self.lost)
        split.setSizes([_TABLE_SHARE, _LOST_SHARE])
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def _show(self) -> None:
        result, judge = self._bench.result, self._judge
        comparison = result.comparison if result is not None else None
        chosen = self.view.current_row()
        self.table.show_comparison(comparison, judge.result, self._bench.baseline_name)
        header = self.view.horizontalHeader().maximumHeight()
        self.view.setFixedHeight(header + theme.ROW * self.table.row_count() + 2)
        if chosen is not None and chosen < self.table.row_count():
            self.view.show_row(chosen)
        self._tell()

    def _tell(self) -> None:
        result = self._bench.result
        notes = _notes(result, self._judge) if result is not None else []
        self.notes.setText("\n".join([*self._bench.oddities, *notes]))

    def _choose(self, row: int) -> None:
        if 0 <= row < self.table.row_count():
            self.lost.list_kind(self.table.rows[row].kind)


def _notes(result: Result, judge: ReplayJudge) -> list[str]:
    comparison = result.comparison
    steps = formats.plural(comparison.steps.compared, "step")
    differing = len(comparison.decisions)
    decisions = formats.plural(len(result.aligned), "decision")
    if differing:
        verb = "differs" if differing == 1 else "differ"
        notes = [f"Over {steps}; {differing:,} of {decisions} {verb}."]
    else:
        notes = [f"Over {steps} and {decisions}, none of which differs."]
    written = comparison.summaries.get("b", {}).get("extractive", 0)
    if written:
        calls = formats.plural(written, "summary call")
        verb = "was" if written == 1 else "were"
        notes.append(
            f"~ {calls} that nobody recorded {verb} answered offline, by lines of the messages: "
            "a model would have written others."
        )
    if judge.result is not None and judge.result.canaries:
        notes.append(_told_canaries(judge.result))
    notes.append(_told_prices(judge))
    return notes


def _told_canaries(judged: Judged) -> str:
    held = sum(loss is None for _, loss in judged.canaries)
    return f"Of {len(judged.canaries):,} canaries the last window holds {held:,}."


def _told_prices(judge: ReplayJudge) -> str:
    if judge.failure:
        return f"Cost and retention are not known: {formats.visible(judge.failure)}"
    if judge.result is None:
        return f"Cost and retention follow: {percent(judge.share)} looked at."
    named = formats.one_line(judge.result.candidate.cost.priced_as)
    return f"Cost at the prices of {named}, table of {judge.result.prices}."
