"""The Notes tab: the session's notes over time, each version against the one before."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, NotesVersion
from inspector.ui.models.detail.notes_list import NotesListModel
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.part_reader import PartReader

_CLOCKS = 0.1
"""Seconds by which the clocks of two files may differ about the same moment."""


class NotesTab(DetailTab[Sequence[NotesVersion]]):
    """Versions, and what changed in each."""

    title = "Notes"
    families = frozenset({"memory"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.versions = NotesListModel(self)
        self.reader = PartReader(
            self.versions, self.versions.runs, "Session notes", titled=True, shares=(4, 5)
        )
        self.lay_out(self.reader)

    def part(self, detail: Detail) -> Sequence[NotesVersion]:
        return detail.versions

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        why = "The notes of this session are not in the opened paths."
        return "No notes", "\n".join(detail.notes) or why

    def show_part(self, decision: Decision, part: Sequence[NotesVersion]) -> None:
        self.versions.show_versions(part)
        self.reader.start_at(_version_of(decision, part))

    def worth(self) -> int:
        compared = self.is_filled() and self.reader.view.current_row()
        return super().worth() if compared else int(self.is_filled())


def _version_of(decision: Decision, versions: Sequence[NotesVersion]) -> int:
    """Return the first version that is not older than the decision, else the last one."""
    time = decision.time
    later = (
        at
        for at, version in enumerate(versions)
        if time is not None and version.time is not None and version.time >= time - _CLOCKS
    )
    return next(later, len(versions) - 1)
