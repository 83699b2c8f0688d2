"""The session's notes over time as rows; each is read as what changed since the one before."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QObject

from inspector.trace.detail import NotesVersion
from inspector.ui import formats
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run, difference


class NotesListModel(RowTableModel):
    """One row a version, oldest first."""

    COLUMNS = (
        Column("#", 36, right=True, fixed=True),
        Column("notes", 0),
        Column("time", 104, fixed=True),
        Column("characters", 88, right=True, fixed=True),
        Column("change", 72, right=True, fixed=True, tip="Characters more or fewer than before"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.versions: Sequence[NotesVersion] = ()

    def show_versions(self, versions: Sequence[NotesVersion]) -> None:
        """Show other versions."""
        self.beginResetModel()
        self.versions = versions
        self.endResetModel()

    def runs(self, row: int) -> tuple[Run, ...]:
        """Return how a version differs from the one before; the first one as it is."""
        version = self.versions[row]
        head = [Run(f"Version {row + 1}: {_name(version)}\n", "heading")]
        if version.path:
            head.append(Run(f"{version.path}\n", "muted"))
        if row == 0:
            return (*head, Run("\n" + version.text))
        old = self.versions[row - 1]
        if old.text == version.text:
            return (*head, Run(f"The same as version {row}.\n\n", "muted"), Run(version.text))
        head.append(Run(f"Compared with version {row}.\n\n", "muted"))
        return (*head, *difference(old.text, version.text))

    def row_count(self) -> int:
        return len(self.versions)

    def cell(self, row: int, column: int) -> Cell:
        version = self.versions[row]
        if column == 0:
            return Cell(str(row + 1), "muted")
        if column == 1:
            return Cell(formats.one_line(version.label))
        if column == 2:
            time = math.nan if version.time is None else version.time
            return Cell(formats.clock(time), "muted", tip=formats.date_and_clock(time))
        if column == 3:
            return Cell(formats.number(len(version.text)), "muted")
        change = len(version.text) - len(self.versions[row - 1].text) if row else 0
        return Cell(formats.signed(change) if change else "", "muted")


def _name(version: NotesVersion) -> str:
    if version.time is None:
        return version.label
    return f"{version.label}, {formats.clock(version.time)}"
