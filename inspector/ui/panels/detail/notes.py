"""The Notes tab: the session's notes over time, each version against the one before."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui.models.detail.notes_list import NotesListModel
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.part_reader import PartReader


class NotesTab(DetailTab):
    """Versions, and what changed in each."""

    title = "Notes"
    families = frozenset({"memory"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.versions = NotesListModel(self)
        self.reader = PartReader(
            self.versions, self.versions.runs, "Session notes", titled=True, shares=(2, 3)
        )
        self.content.addWidget(self.reader, 1)

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        if not detail.versions:
            told = "\n".join(detail.notes)
            self.say("No notes", told or "The notes of this session are not in the opened paths.")
            return
        self.versions.show_versions(detail.versions)
        self.reader.start_at(len(detail.versions) - 1)
        self.show_content()
