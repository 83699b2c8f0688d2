"""The Records tab: the debug records and files behind the decision, as they stand on disk."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui.models.detail.part_list import PartListModel, record_parts
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.part_reader import PartReader


class RecordsTab(DetailTab):
    """Raw JSON with file and byte offset."""

    title = "Records"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts = PartListModel(self)
        self.reader = PartReader(
            self.parts, lambda row: self.parts.parts[row].runs, "Records", shares=(1, 3)
        )
        self.lay_out(self.reader)

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        if not detail.records:
            self.say(
                "No record",
                "\n".join(detail.notes) or "This was concluded from records that are missing.",
            )
            return
        self.parts.show_parts(record_parts(detail.records))
        self.reader.start_at(0)
        self.show_content()
