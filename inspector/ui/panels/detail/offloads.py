"""The Offloads tab: every marker in sight, whether what it names can be had, and that itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, StoredView, TraceMessage
from inspector.trace.windows.stored import originals_of
from inspector.ui import formats
from inspector.ui.models.detail.stored_list import (
    AGAIN,
    WHERE_MARKS,
    StoredListModel,
    stored_runs,
)
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader

_KEY = "original"
_IN_VAIN = "The model asked for it, and when it was back it was taken out of the window again."
_NOT_THIS = Cell("none of them of this result", "muted")


class OffloadsTab(DetailTab):
    """Markers, and the originals behind them."""

    title = "Offloads"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.stored = StoredListModel(self)
        self.reader = PartReader(
            self.stored,
            lambda row: stored_runs(self.stored.views[row]),
            "Offloaded originals",
            titled=True,
            shares=(1, 1),
        )
        self.lay_out(self.reader, self.head)
        self.reader.view.row_selected.connect(self._ask)

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        views = detail.handles or detail.stored
        if not views:
            self.say("Nothing offloaded here", _why_none(decision))
            return
        self.head.show_cells([*_head(views), *([] if detail.stored else [_NOT_THIS])])
        self.stored.show_stored(views)
        own = {view.payload.marker.name for view in detail.stored}
        rows = (at for at, view in enumerate(views) if view.payload.marker.name in own)
        self.reader.start_at(next(rows, 0))
        self.show_content()

    def _ask(self, row: int) -> None:
        """Have the original behind a marker read."""
        if row < 0 or self.stored.views[row].originals:
            self.worker.cancel(_KEY)
            return
        views, payload = self.stored.views, self.stored.views[row].payload

        def take(originals: tuple[TraceMessage, ...]) -> None:
            if originals and self.stored.views is views:
                self.stored.add_originals(row, originals)
                self.reader.reader.show_runs(stored_runs(views[row]))

        def fail(error: Exception) -> None:
            told = Run(f"\nIt cannot be read: {error}\n")
            self.reader.reader.show_runs((*stored_runs(views[row]), told))

        self.worker.submit(_KEY, lambda _: originals_of(payload), take, fail)


def _head(views: Sequence[StoredView]) -> list[Cell]:
    counts = Counter(view.payload.where for view in views)
    cells = [Cell(formats.plural(len(views), "marker"))]
    for where, mark in WHERE_MARKS.items():
        if counts[where]:
            cells.append(Cell(f"{counts[where]:,} {mark.told}", "muted", mark))
    again = sum(view.again is not None for view in views)
    if again:
        cells.append(Cell(f"{again:,} {AGAIN.told}", "failure", AGAIN, tip=_IN_VAIN))
    return cells


def _why_none(decision: Decision) -> str:
    if decision.outcome == "cut":
        return "The result was cut, and no copy of it was kept."
    if decision.outcome == "declined":
        return "The window as it is known here holds no marker."
    return "No message that the files show here holds a marker."
