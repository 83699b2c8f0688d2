"""What was not recorded, which switch was off, and the lines that switch it on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from inspector.sources.scan import Source
from inspector.trace.decision import Decision
from inspector.ui import formats
from inspector.ui.models.missing_records import gap_runs, missing_records, setting_lines
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.inspect.page import Page


class MissingRecordsPanel(Page):
    """The gaps, and a button that copies the settings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("What was not recorded", parent)
        self._lines: Sequence[str] = ()
        self.copy = QPushButton("Copy the settings")
        self.copy.clicked.connect(self._copy)
        self.add_button(self.copy)

    def show_gaps(self, sources: Sequence[Source], decision: Decision | None) -> None:
        """Show what these files lack, and what the selected decision lacks."""
        gaps = missing_records(sources, decision)
        self._lines = setting_lines(gaps)
        self.copy.setEnabled(bool(self._lines))
        told = formats.plural(len(gaps), "gap") if gaps else "nothing"
        self.show_page([Cell("not recorded", heading=True), Cell(told, "muted")], gap_runs(gaps))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._lines) + "\n")
