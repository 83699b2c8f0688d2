"""The Comparison tab: what both runs came to, and what the figures rest on."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.ui import formats, theme
from inspector.ui.models.comparison_table import ComparisonTableModel
from inspector.ui.models.replay_bench import ReplayBench, Result
from inspector.ui.widgets.row_view import RowView

_WIDEST = 720


class ReplayComparisonTab(QWidget):
    """A small table, with sentences below."""

    def __init__(self, bench: ReplayBench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.table = ComparisonTableModel(self)
        self.view = RowView(self.table, "Baseline against candidate")
        self.notes = QLabel()
        self.notes.setWordWrap(True)
        self.notes.setMaximumWidth(_WIDEST)
        self.notes.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.view.setMaximumWidth(_WIDEST)
        column = QVBoxLayout()
        column.setSpacing(theme.GRID)
        column.addWidget(self.view)
        line = QHBoxLayout()
        line.setContentsMargins(theme.GRID, 0, theme.GRID, 0)
        line.addWidget(self.notes)
        column.addLayout(line)
        column.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 0, 0)
        layout.addLayout(column, 1)
        layout.addStretch(0)
        bench.result_changed.connect(self._show)
        bench.state_changed.connect(self._show)

    def _show(self) -> None:
        result = self._bench.result
        comparison = result.comparison if result is not None else None
        self.table.show_comparison(comparison, self._bench.baseline_name)
        header = self.view.horizontalHeader().maximumHeight()
        self.view.setFixedHeight(header + theme.ROW * self.table.row_count() + 2)
        self.notes.setText("\n".join(_notes(result)) if result is not None else "")


def _notes(result: Result) -> list[str]:
    comparison = result.comparison
    steps = formats.plural(comparison.steps.compared, "step")
    differing = len(comparison.decisions)
    decisions = formats.plural(len(result.aligned), "decision")
    if not differing:
        return [f"Over {steps} and {decisions}, none of which differs."]
    verb = "differs" if differing == 1 else "differ"
    notes = [f"Over {steps}; {differing:,} of {decisions} {verb}."]
    written = result.trace.report.summaries.get("extractive", 0)
    if written:
        calls = formats.plural(written, "summary call")
        verb = "was" if written == 1 else "were"
        notes.append(
            f"{calls} that nobody recorded {verb} answered offline, by lines taken from the "
            "messages (extractive). A model would have written other summaries, of another length."
        )
    return notes
