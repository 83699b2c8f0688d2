"""The Summary tab: what the model answered, and what was used of it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, SummaryView
from inspector.ui import formats
from inspector.ui.models.detail.part_list import PartListModel, summary_parts
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import NOT_ASKED, DetailTab
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class SummaryTab(DetailTab[SummaryView]):
    """Sections, with the coverage check and the raw answer apart."""

    title = "Summary"
    families = frozenset({"compressor"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.parts = PartListModel(self)
        self.reader = PartReader(
            self.parts, lambda row: self.parts.parts[row].runs, "Parts of the summary"
        )
        self.lay_out(self.reader, self.head)

    def part(self, detail: Detail) -> SummaryView | None:
        return detail.summary

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        if decision.outcome == "declined":
            why = NOT_ASKED
        elif decision.outcome == "gave_up":
            why = "The attempt came to nothing, and the files do not keep answers of such attempts."
        else:
            why = "The files hold no answer of a model for this decision."
            why = "\n".join(detail.notes) or why
        return "No summary", why

    def show_part(self, decision: Decision, part: SummaryView) -> None:
        self.head.show_cells(_usage(part.usage))
        self.parts.show_parts(summary_parts(part))
        self.reader.start_at(0)


_USAGE = (
    ("model_name", "model"),
    ("calls", "calls"),
    ("input_tokens", "input"),
    ("cache_tokens", "cached"),
    ("output_tokens", "output"),
)


def _usage(usage: dict[str, Any] | None) -> list[Cell]:
    if not usage:
        return [Cell("usage not recorded", "muted")]
    cells = []
    for key, name in _USAGE:
        value = usage.get(key)
        if isinstance(value, str) and value:
            cells.append(Cell(formats.one_line(value)))
        elif isinstance(value, (int, float)):
            said = name.removesuffix("s") if value == 1 else name
            cells.append(Cell(formats.number(value), aside=f" {said}"))
    return cells
