"""Two windows aligned message by message, each with its fate.

The Before / After tab shows what the decision did; the Window tab shows what the agent sent at this
step beside what it sent before.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, WindowDiff
from inspector.ui import formats
from inspector.ui.models.detail.window_diff import WindowDiffModel, row_runs
from inspector.ui.models.marks import FATE_MARKS, evidence_mark
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import DetailTab, estimated
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class WindowsTab(DetailTab[WindowDiff]):
    """What became of every message; a subclass says of which windows."""

    sides: ClassVar[tuple[str, str]]
    """What the windows are called."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._estimated = True
        self.head = CellLine()
        self.rows = WindowDiffModel(self.sides, self)
        self.reader = PartReader(
            self.rows,
            lambda row: row_runs(self.rows.rows[row], self._estimated),
            f"Windows: {' and '.join(self.sides)}",
            titled=True,
            shares=(2, 1),
        )
        self.lay_out(self.reader, self.head)

    def show_part(self, decision: Decision, part: WindowDiff) -> None:
        self._estimated = estimated(decision)
        self.head.show_cells(_head(part, self.sides, self._estimated))
        self.rows.show_windows(part, self._estimated)
        self.reader.start_at(_telling_row(part))


class BeforeAfterTab(WindowsTab):
    """What the decision made of the window."""

    title = "Before / After"
    sides = ("before", "after")

    def part(self, detail: Detail) -> WindowDiff | None:
        return detail.windows if detail.windows is not None and detail.windows.rows else None

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        if decision.outcome in ("declined", "gave_up", "skipped"):
            why = "The window was sent on as it was."
        else:
            why = "The files do not hold both windows of this decision."
            why = "\n".join(detail.notes) or why
        return "Nothing was replaced", why


class WindowTab(WindowsTab):
    """What the agent sent to its model at this step, beside what it sent before."""

    title = "Window"
    sides = ("request before", "this request")

    def part(self, detail: Detail) -> WindowDiff | None:
        return detail.changes if detail.changes is not None and detail.changes.rows else None

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        why = (
            "No file tells at which step this was decided."
            if decision.step is None
            else "The files do not hold the agent's own request of this step and the one before "
            "it. It logs them while enable_context_debug of the engine is on."
        )
        return "No two requests", why


def _telling_row(windows: WindowDiff) -> int:
    """Return the first message that was put in, else the first that did not stay as it was."""
    fates = [row.fate for row in windows.rows]
    if "written" in fates:
        return fates.index("written")
    moved = (at for at, row in enumerate(windows.rows) if row.fate != "kept" or row.changed)
    return next(moved, 0)


def _head(windows: WindowDiff, sides: tuple[str, str], about: bool) -> list[Cell]:
    before, after = windows.tokens_before, windows.tokens_after
    cells = []
    for name, tokens, evidence in (
        (sides[0], before, windows.evidence_before),
        (f"→  {sides[1]}", after, windows.evidence_after),
    ):
        mark = evidence_mark(evidence)
        told = "" if tokens is None else f" {formats.number(tokens, about)}"
        cells += [Cell(f"{name}{told}"), Cell(mark.told, "muted", mark)]
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
