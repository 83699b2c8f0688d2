"""The Records tab: the debug records and files behind the decision, as they stand on disk."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.evidence.raw_records import RawRecord
from inspector.ui.models.detail.part_list import PartListModel, record_parts
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.part_reader import PartReader


class RecordsTab(DetailTab[Sequence[RawRecord]]):
    """Raw JSON with file and byte offset."""

    title = "Records"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts = PartListModel(self)
        self.reader = PartReader(
            self.parts, lambda row: self.parts.parts[row].runs, "Records", shares=(1, 3)
        )
        self.lay_out(self.reader)

    def part(self, detail: Detail) -> Sequence[RawRecord]:
        return detail.records

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        why = "\n".join(detail.notes) or "This was concluded from records that are missing."
        return "No record", why

    def show_part(self, decision: Decision, part: Sequence[RawRecord]) -> None:
        self.parts.show_parts(record_parts(part))
        self.reader.start_at(0)
