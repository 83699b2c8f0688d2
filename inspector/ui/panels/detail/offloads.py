"""The Offloads tab: every marker in sight, whether what it names can be had, and that itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, StoredView, TraceMessage
from inspector.trace.windows.stored import originals_of
from inspector.ui import formats
from inspector.ui.models.detail.stored_list import (
    AGAIN,
    ASKED,
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


class Markers(NamedTuple):
    """The markers that a decision has to show."""

    views: Sequence[StoredView]
    own: frozenset[str]
    """Names of those that the decision itself made or met."""


class OffloadsTab(DetailTab[Markers]):
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

    def part(self, detail: Detail) -> Markers | None:
        views = detail.handles or detail.stored
        own = frozenset(view.payload.marker.name for view in detail.stored)
        return Markers(views, own) if views else None

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        if decision.outcome == "cut":
            why = "The result was cut, and no copy of it was kept."
        elif decision.outcome == "declined":
            why = "The window as it is known here holds no marker."
        else:
            why = "No message that the files show here holds a marker."
        return "Nothing offloaded here", why

    def show_part(self, decision: Decision, part: Markers) -> None:
        self.head.show_cells([*_head(part.views), *([] if part.own else [_NOT_THIS])])
        self.stored.show_stored(part.views)
        asked = any(view.recalls or view.again for view in part.views)
        self.reader.view.setColumnHidden(ASKED, not asked)
        names = [view.payload.marker.name for view in part.views]
        self.reader.start_at(next((at for at, name in enumerate(names) if name in part.own), 0))

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
