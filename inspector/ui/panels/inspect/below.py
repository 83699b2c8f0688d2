"""What stands below the list: the decision in detail, or a page in its place for a while."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from inspector.sources.problem import Problem
from inspector.sources.scan import Source
from inspector.trace.evidence.markers import Marker
from inspector.ui.panels.detail.tabs import DetailPanel
from inspector.ui.panels.inspect.file import FilePanel
from inspector.ui.panels.inspect.missing_records import MissingRecordsPanel
from inspector.ui.panels.inspect.payload import PayloadPanel
from inspector.ui.panels.inspect.problem import ProblemPanel
from inspector.ui.panels.perspective import Desk
from inspector.ui.widgets.text_view import TextView


class Below(QStackedWidget):
    """The detail area and the pages that take its place; another page is registered here."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.detail = DetailPanel(desk.selection, desk.worker)
        self.problem = ProblemPanel(desk.worker)
        self.file = FilePanel(desk.worker)
        self.payload = PayloadPanel(desk.worker)
        self.missing = MissingRecordsPanel()
        self.addWidget(self.detail)
        for page in (self.problem, self.file, self.payload, self.missing):
            self.addWidget(page)
            page.left.connect(self._go_back)
        for text in self.findChildren(TextView):
            text.marker_chosen.connect(self._follow)
        self.detail.gates.switches_wanted.connect(self.show_missing)
        desk.actions["missing_records"].triggered.connect(self.show_missing)
        desk.selection.row_changed.connect(self.show_decision)

    def show_decision(self) -> None:
        """Turn back to the decision."""
        self.setCurrentWidget(self.detail)

    def show_problem(self, problem: Problem) -> None:
        """Show what could not be read."""
        self.problem.show_problem(problem)
        self.setCurrentWidget(self.problem)

    def show_file(self, source: Source) -> None:
        """Show a file as it stands."""
        self.file.show_file(source)
        self.setCurrentWidget(self.file)

    def show_missing(self) -> None:
        """Show which debug switches were off."""
        content = self._desk.document.content
        if content is not None:
            self.missing.show_gaps(content.sources, self.detail.decision)
            self.setCurrentWidget(self.missing)
            self.missing.text.setFocus()

    def _follow(self, marker: Marker) -> None:
        """Show what a marker in a text stands for."""
        content = self._desk.document.content
        self.payload.follow(marker, content.sources if content is not None else ())
        self.setCurrentWidget(self.payload)
        self.payload.text.setFocus()

    def _go_back(self) -> None:
        """Turn back to the decision, to the text or list that was left."""
        left = self.detail.focusWidget() or self.detail.bar
        self.show_decision()
        left.setFocus()
