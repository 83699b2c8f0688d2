"""The Request tab: the call to the summary model."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, RequestView
from inspector.ui import formats
from inspector.ui.models.detail.request_list import RequestListModel
from inspector.ui.models.marks import evidence_mark
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import NOT_ASKED, DetailTab, estimated
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader


class RequestTab(DetailTab[RequestView]):
    """Messages, prompt and tools as they were sent."""

    title = "Request"
    families = frozenset({"compressor"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.rows = RequestListModel(self)
        self.reader = PartReader(
            self.rows,
            self.rows.runs,
            "Parts of the request",
            titled=True,
            shares=(1, 1),
        )
        self.lay_out(self.reader, self.head)

    def part(self, detail: Detail) -> RequestView | None:
        return detail.request

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        if decision.outcome == "declined":
            why = NOT_ASKED
        elif decision.outcome == "gave_up":
            why = "Only a compression that worked leaves its request in a dump."
        else:
            why = "\n".join(detail.notes) or "The files hold no request for this decision."
        return "No request", why

    def show_part(self, decision: Decision, part: RequestView) -> None:
        self.head.show_cells(_head(part))
        self.rows.show_request(part, estimated(decision))
        self.reader.start_at(self.rows.prompt_row())


def _head(request: RequestView) -> list[Cell]:
    context = len(request.messages) - request.system_count
    return [
        Cell("recorded", "muted", evidence_mark("recorded")),
        Cell(formats.plural(request.system_count, "system message")),
        Cell(formats.plural(context, "context message")),
        Cell("1 prompt"),
        Cell(formats.plural(len(request.tools), "tool")),
    ]
