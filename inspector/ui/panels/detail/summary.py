"""The Summary tab: what the model answered, and what was used of it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui import formats
from inspector.ui.models.detail.part_list import PartListModel, summary_parts
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class SummaryTab(DetailTab):
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

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        summary = detail.summary
        if summary is None:
            self.say("No summary", _why_none(decision, detail))
            return
        self.head.show_cells(_usage(summary.usage))
        self.parts.show_parts(summary_parts(summary))
        self.reader.start_at(0)
        self.show_content()


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


def _why_none(decision: Decision, detail: Detail) -> str:
    if decision.outcome == "declined":
        return "The model was not asked: this decision ended at a gate before the call."
    if decision.outcome == "gave_up":
        return "The attempt came to nothing, and the files do not keep answers of such attempts."
    return "\n".join(detail.notes) or "The files hold no answer of a model for this decision."
