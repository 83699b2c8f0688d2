"""What both runs came to: one figure a row, with its change."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.replay.comparison import Comparison, Metric
from inspector.ui import formats
from inspector.ui.models.marks import Tone
from inspector.ui.models.row_table import Cell, Column, RowTableModel, retitled

NAMES = {
    "tokens_sent": ("tokens sent", "Sum over all windows of what went to the agent's model"),
    "peak_tokens": ("peak window", "The largest window that the chain was given, in tokens"),
    "compressions": ("compressions", "How often a span was replaced by a summary"),
    "model_calls": ("model calls for summaries", "Failed calls included"),
}
"""Each figure in words, and what it counts; of all of them less is better."""


class ComparisonTableModel(RowTableModel):
    """Figure, baseline, candidate, change and the same in percent."""

    COLUMNS: tuple[Column, ...] = (
        Column("", 0),
        Column("baseline", 128, right=True, fixed=True),
        Column("candidate", 128, right=True, fixed=True),
        Column("change", 128, right=True, fixed=True, tip="Candidate minus baseline"),
        Column("", 96, right=True, fixed=True, tip="Change against the baseline"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.metrics: list[Metric] = []

    def show_comparison(self, comparison: Comparison | None, baseline: str) -> None:
        """Show other figures.

        Args:
            comparison: The figures; None: there are none.
            baseline: What the baseline is called.
        """
        self.beginResetModel()
        self.metrics = comparison.metrics if comparison is not None else []
        self.COLUMNS = retitled(self.COLUMNS, 1, baseline)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.metrics)

    def cell(self, row: int, column: int) -> Cell:
        metric = self.metrics[row]
        if column == 0:
            name, about = NAMES.get(metric.name, (metric.name.replace("_", " "), ""))
            return Cell(name, tip=f"{name}: {about}" if about else "")
        if column in (1, 2):
            return Cell(formats.number(metric.a if column == 1 else metric.b))
        if metric.delta is None:
            return Cell(formats.UNKNOWN, "faint")
        if column == 3:
            return Cell(
                f"{arrow(metric.delta)}{formats.signed(metric.delta)}", verdict(metric.delta)
            )
        return Cell(_percent(metric), verdict(metric.delta))


def arrow(change: float) -> str:
    """Return the arrow that follows the sign of a change."""
    return "" if not change else "▲ " if change > 0 else "▼ "


def verdict(change: float) -> Tone:
    """Return the colour of a change of something of which less is better."""
    return "muted" if not change else "failure" if change > 0 else "better"


def _percent(metric: Metric) -> str:
    if not metric.delta or not metric.a:
        return ""
    share = 100 * metric.delta / metric.a
    return f"{share:+.1f} %".replace("-", formats.MINUS)
