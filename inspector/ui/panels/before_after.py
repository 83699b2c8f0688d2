"""The Before / After tab: both windows aligned message by message, each with its fate."""

from __future__ import annotations

from collections import Counter

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, WindowDiff
from inspector.ui import formats
from inspector.ui.models.marks import FATE_MARKS, evidence_mark
from inspector.ui.models.row_table import Cell
from inspector.ui.models.window_diff import WindowDiffModel, row_runs
from inspector.ui.panels.detail_tab import DetailTab, estimated
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class BeforeAfterTab(DetailTab):
    """What became of every message."""

    title = "Before / After"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._estimated = True
        self.head = CellLine()
        self.rows = WindowDiffModel(self)
        self.reader = PartReader(
            self.rows,
            lambda row: row_runs(self.rows.rows[row], self._estimated),
            "Windows before and after",
            titled=True,
            shares=(3, 1),
        )
        head = QVBoxLayout()
        head.setContentsMargins(12, 6, 12, 2)
        head.addWidget(self.head)
        self.content.addLayout(head)
        self.content.addWidget(self.reader, 1)

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        windows = detail.windows
        if windows is None or not windows.rows:
            self.say("Nothing was replaced", _why_none(decision, detail))
            return
        self._estimated = estimated(decision)
        self.head.show_cells(_head(windows, self._estimated))
        self.rows.show_windows(windows, self._estimated)
        fates = [row.fate for row in windows.rows]
        self.reader.start_at(fates.index("written") if "written" in fates else 0)
        self.show_content()


def _head(windows: WindowDiff, about: bool) -> list[Cell]:
    before, after = windows.tokens_before, windows.tokens_after
    cells = []
    for name, tokens, evidence in (
        ("before", before, windows.evidence_before),
        ("→  after", after, windows.evidence_after),
    ):
        mark = evidence_mark(evidence)
        told = formats.number(tokens, about and tokens is not None)
        cells += [Cell(f"{name} {told}"), Cell(mark.told, "muted", mark)]
    if before is not None and after is not None:
        change = after - before
        arrow = "▲" if change > 0 else "▼"
        cells.append(
            Cell(f"{arrow} {formats.signed(change)}", "failure" if change > 0 else "better")
        )
    counts = Counter(row.fate for row in windows.rows)
    cells += [
        Cell(str(counts[fate]), "muted", mark) for fate, mark in FATE_MARKS.items() if counts[fate]
    ]
    return cells


def _why_none(decision: Decision, detail: Detail) -> str:
    if decision.outcome in ("declined", "gave_up", "skipped"):
        return "The window was sent on as it was."
    return "\n".join(detail.notes) or "The files do not hold both windows of this decision."
