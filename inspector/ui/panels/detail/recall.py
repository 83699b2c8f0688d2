"""The Recall tab: the archive of what a compression replaced, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.evidence.archives import RecallView
from inspector.ui import formats
from inspector.ui.models.detail.part_list import PartListModel, recall_parts
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class RecallTab(DetailTab[RecallView]):
    """Turns with query and answer, and the chunks that a search finds."""

    title = "Recall"
    families = frozenset({"compressor", "memory"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.parts = PartListModel(self)
        self.reader = PartReader(
            self.parts,
            lambda row: self.parts.parts[row].runs,
            "Archived turns",
            shares=(2, 3),
        )
        self.lay_out(self.reader, self.head)

    def part(self, detail: Detail) -> RecallView | None:
        return detail.recall

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        why = (
            "Nothing that was replaced here was archived: recall was off, or the archive could "
            "not be written."
            if decision.outcome in ("compressed", "materialised")
            else "Nothing was replaced here, so there was nothing to archive."
        )
        return "No archive", why

    def show_part(self, decision: Decision, part: RecallView) -> None:
        self.head.show_cells(tuple(_head(part)))
        self.parts.show_parts(recall_parts(part))
        self.reader.start_at(0)


def _head(recall: RecallView) -> Iterator[Cell]:
    yield Cell(f"archive {formats.one_line(recall.memory_id)}", tip=recall.folder)
    if recall.messages is not None:
        of = "" if recall.window_messages is None else f" of {recall.window_messages:,}"
        yield Cell(f"{recall.messages:,}{of} messages", "muted")
    yield Cell(formats.plural(len(recall.turns), "turn"), "muted")
    chunks = sum(len(turn.chunks) for turn in recall.turns)
    yield Cell(formats.plural(chunks, "chunk"), "muted")
    if recall.time is not None:
        yield Cell(formats.date_and_clock(recall.time), "muted")
