"""The Inspect perspective: sources, timeline, decisions, and the selected decision in detail.

The parts are docks around the list of decisions, so that each can be closed, moved, or put on
another screen; only the lines between them are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from inspector.sources.problem import Problem
from inspector.sources.scan import Source
from inspector.trace.decision import Decision
from inspector.trace.evidence.markers import Marker
from inspector.ui import formats
from inspector.ui.models.marks import BASIS_MARKS, OUTCOMES
from inspector.ui.models.missing_records import missing_records
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import EVERYTHING, Filter
from inspector.ui.panels.detail.tabs import DetailPanel
from inspector.ui.panels.inspect.decisions import DecisionsPanel
from inspector.ui.panels.inspect.file import FilePanel
from inspector.ui.panels.inspect.missing_records import MissingRecordsPanel
from inspector.ui.panels.inspect.payload import PayloadPanel
from inspector.ui.panels.inspect.problem import ProblemPanel
from inspector.ui.panels.inspect.sources import SourcesPanel
from inspector.ui.panels.inspect.timeline import TimelinePanel
from inspector.ui.panels.inspect.welcome import WelcomePanel
from inspector.ui.panels.perspective import Desk, Perspective, Picture, Status
from inspector.ui.widgets.text_view import TextView

_LAYOUT = "inspect/layout"
_SOURCES_WIDTH = 248
_SHARES = (0.29, 0.25, 0.46)
"""Of the height, for timeline, decisions and detail at first."""
_PLACES = {
    "sources": Qt.DockWidgetArea.LeftDockWidgetArea,
    "timeline": Qt.DockWidgetArea.TopDockWidgetArea,
    "detail": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_FIRED = frozenset(outcome for outcome, style in OUTCOMES.items() if style.fired)


class InspectPerspective(Perspective):
    """What happened, and why."""

    title = "Inspect"
    key = "Ctrl+1"

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.sources = SourcesPanel(desk.document, desk.selection)
        self.timeline = TimelinePanel(desk.selection, desk.follow)
        self.decisions = DecisionsPanel(desk.selection)
        self.detail = DetailPanel(desk.selection, desk.worker)
        self.problem = ProblemPanel(desk.worker)
        self.file = FilePanel(desk.worker)
        self.payload = PayloadPanel(desk.worker)
        self.missing = MissingRecordsPanel()
        self.welcome = WelcomePanel(desk.document, desk.actions)
        self._below = QStackedWidget()
        self.parts: dict[str, QDockWidget] = {}
        self._docks = QMainWindow()
        self._pages = QStackedWidget()
        self._remembered: object = None
        self._lay_out()
        self._connect()

    def start(self) -> None:
        self.timeline.load_chart()

    def step(self, direction: int, fired_only: bool = False) -> None:
        self._desk.selection.move(direction, fired_only)

    def can_step(self) -> bool:
        return self._desk.selection.trace is not None

    def turn_tab(self, direction: int) -> None:
        self.detail.turn(direction)

    def zoom_out(self) -> None:
        self.timeline.zoom_out()

    def status(self) -> Status:
        return Status(_LEGEND, self._told_counts())

    def save_layout(self, settings: QSettings) -> None:
        if self._pages.currentWidget() is self._docks:
            settings.setValue(_LAYOUT, self._docks.saveState())

    def restore_layout(self, settings: QSettings) -> None:
        self._remembered = settings.value(_LAYOUT)
        if self._pages.currentWidget() is self._docks:
            self._apply_layout()

    def _apply_layout(self) -> None:
        state = self._remembered
        if not (isinstance(state, QByteArray) and self._docks.restoreState(state)):
            self.reset_layout()

    def reset_layout(self) -> None:
        """Put every part back in its place, in its first size."""
        for name, area in _PLACES.items():
            self.parts[name].setFloating(False)
            self._docks.addDockWidget(area, self.parts[name])
            self.parts[name].show()
        timeline, _, detail = (int(self.height() * share) for share in _SHARES)
        sources = [self.parts["sources"]], [_SOURCES_WIDTH], Qt.Orientation.Horizontal
        others = [self.parts["timeline"], self.parts["detail"]]
        self._docks.resizeDocks(*sources)
        self._docks.resizeDocks(others, [timeline, detail], Qt.Orientation.Vertical)

    def pictures(self) -> Iterator[Picture]:
        if self._pages.currentWidget() is self.welcome:
            yield Picture("welcome", lambda: None)
            return
        rows = list(self._telling_rows())
        for at, tab in enumerate(self.detail.tabs):
            row = next((row for row, decision in rows if tab.applies(decision)), None)
            if row is not None:
                name = tab.title.lower().replace(" / ", "-")
                pose = partial(self._pose_tab, at, row)
                yield Picture(name, pose, lambda: not self.detail.is_reading())
        content = self._desk.document.content
        yield Picture("missing-records", self._show_missing)
        if content is not None and content.problems:
            yield Picture("problem", partial(self.sources.tree.choose, content.problems[0]))
        if content is not None and content.sources:
            file = next((s for s in content.sources if s.records), content.sources[0])
            yield Picture("file", partial(self.sources.tree.choose, file), self._is_idle)

    def _telling_rows(self) -> Iterator[tuple[int, Decision]]:
        """Yield the selected decision, and of each processor the first that did something."""
        trace, selected = self._desk.selection.trace, self._desk.selection.row
        if trace is None or selected is None:
            return
        yield selected, trace.decision(selected)
        rows = np.arange(len(trace.decisions))
        fired = rows[self._desk.selection.fired(rows)]
        _, first = np.unique(trace.decisions.processor[fired], return_index=True)
        for row in fired[np.sort(first)].tolist():
            yield row, trace.decision(row)

    def _is_idle(self) -> bool:
        return not self._desk.worker.busy()

    def _pose_tab(self, at: int, row: int) -> None:
        self._desk.selection.select(row)
        self._show_problem(None)
        self.detail.show_tab(at)

    def _lay_out(self) -> None:
        for page in (self.detail, self.problem, self.file, self.payload, self.missing):
            self._below.addWidget(page)
        self._docks.setWindowFlags(Qt.WindowType.Widget)
        self._docks.setDockNestingEnabled(True)
        self._docks.setCentralWidget(self.decisions)
        self._docks.setCorner(Qt.Corner.TopLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self._docks.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self._dock("sources", "Sources", self.sources)
        self._dock("timeline", "Timeline", self.timeline)
        self._dock("detail", "Detail", self._below)
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self._docks)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _dock(self, name: str, title: str, widget: QWidget) -> None:
        dock = QDockWidget(title)
        dock.setObjectName(name)
        dock.setWidget(widget)
        bare = QWidget()
        dock.setTitleBarWidget(bare)
        dock.topLevelChanged.connect(partial(_frame, dock, bare))
        self._desk.actions.add("&View", dock.toggleViewAction())
        self.parts[name] = dock

    def _connect(self) -> None:
        document, selection, actions = self._desk.document, self._desk.selection, self._desk.actions
        desk_follow = self._desk.follow
        for signal in (document.replaced, document.grew):
            signal.connect(self._show_content)
        for told in (document.grew, document.opened, desk_follow.changed):
            told.connect(self.status_changed)
        self.decisions.scrolled_up.connect(lambda: desk_follow.pause_for("you scrolled up"))
        self.sources.problem_chosen.connect(self._show_problem)
        self.sources.file_chosen.connect(self._show_file)
        for page in (self.file, self.payload, self.missing):
            page.left.connect(self._go_back)
        for text in self._below.findChildren(TextView):
            text.marker_chosen.connect(self._follow)
        self.detail.gates.switches_wanted.connect(self._show_missing)
        actions["missing_records"].triggered.connect(self._show_missing)
        selection.trace_changed.connect(self._explain_emptiness)
        selection.row_changed.connect(lambda: self._show_problem(None))
        selection.filter_changed.connect(self._mark_filter)
        for signal in (selection.trace_changed, selection.filter_changed, selection.row_changed):
            signal.connect(self.status_changed)
        actions["zoom_filter"].triggered.connect(self.timeline.zoom_to_filter)
        actions["only_fired"].toggled.connect(self._filter_fired)
        actions["show_all"].triggered.connect(lambda: selection.set_filter(EVERYTHING))
        actions["reset_layout"].triggered.connect(self.reset_layout)

    def _show_content(self) -> None:
        content = self._desk.document.content
        page = self._docks if content is not None and content.traces else self.welcome
        if page is not self._pages.currentWidget():
            self._pages.setCurrentWidget(page)
            if page is self._docks:  # sizes can be given only to what has a size itself
                self._apply_layout()

    def _show_problem(self, problem: Problem | None) -> None:
        if problem is None:
            self._below.setCurrentWidget(self.detail)
        else:
            self.problem.show_problem(problem)
            self._below.setCurrentWidget(self.problem)

    def _show_file(self, source: Source) -> None:
        self.file.show_file(source)
        self._below.setCurrentWidget(self.file)

    def _follow(self, marker: Marker) -> None:
        """Show what a marker in a text stands for."""
        content = self._desk.document.content
        self.payload.follow(marker, content.sources if content is not None else ())
        self._below.setCurrentWidget(self.payload)
        self.payload.text.setFocus()

    def _show_missing(self) -> None:
        """Show which debug switches were off."""
        content = self._desk.document.content
        if content is not None:
            self.missing.show_gaps(content.sources, self.detail.decision)
            self._below.setCurrentWidget(self.missing)
            self.missing.text.setFocus()

    def _explain_emptiness(self) -> None:
        """Say in the timeline why a context has no steps."""
        content, trace = self._desk.document.content, self._desk.selection.trace
        if content is not None and trace is not None and not len(trace.steps.number):
            gaps = missing_records(content.sources, None)
            why = gaps[0].what if gaps else "There is nothing to draw over steps."
            self.timeline.explain(why, [self._desk.actions["missing_records"]])

    def _go_back(self) -> None:
        self._show_problem(None)
        self.detail.setFocus()

    def _filter_fired(self, on: bool) -> None:
        chosen = self._desk.selection.filter
        if on != bool(chosen.outcomes):
            self._desk.selection.set_filter(Filter(chosen.steps, _FIRED if on else frozenset()))

    def _mark_filter(self) -> None:
        self._desk.actions["only_fired"].setChecked(bool(self._desk.selection.filter.outcomes))

    def _told_counts(self) -> list[Cell]:
        selection, content = self._desk.selection, self._desk.document.content
        if content is None or selection.trace is None:
            return []
        listed, all_ = len(selection.rows), len(selection.trace.decisions)
        decisions = formats.plural(all_, "decision")
        cells = [Cell(decisions if listed == all_ else f"{listed:,} of {decisions}")]
        if selection.filter.steps is not None:
            first, last = selection.filter.steps
            cells.append(Cell(f"steps {first:,}–{last:,} · Esc shows all", "accent"))
        elif selection.filter.outcomes:
            cells.append(Cell("only what fired · Esc shows all", "accent"))
        cells += self._told_tail()
        problems = len(content.problems)
        cells.append(Cell(formats.plural(problems, "problem"), "failure" if problems else "muted"))
        return cells

    def _told_tail(self) -> list[Cell]:
        """Tell how many files are read, whether they are kept up with, and what follows them."""
        document, follow = self._desk.document, self._desk.follow
        assert document.growth is not None
        here = sum(not source.gone for source in document.growth.content.sources)
        files = formats.plural(here, "file")
        if not document.live:
            return [Cell(files, "muted")]
        behind = document.growth.behind
        told = formats.size(behind) if behind else "0"
        cells = [Cell(f"tailing {files}", "muted"), Cell(f"{told} behind", "muted")]
        if not document.growth.watched:
            cells.append(Cell("looked at once a second", "muted", tip=_UNWATCHED))
        if follow.pause:
            cells.append(Cell(f"Follow pauses: {follow.pause} · F goes on", "accent"))
        return cells


_UNWATCHED = "The system tells of no changes here, so they are found by looking."
_LEGEND = (
    Cell("recorded", "muted", BASIS_MARKS["recorded"]),
    Cell("inferred", "muted", BASIS_MARKS["inferred"]),
    Cell("~ estimate", "muted"),
)


def _frame(dock: QDockWidget, bare: QWidget, floats: bool) -> None:
    """Give a dock the ordinary title while it floats, and none while it has a place."""
    dock.setTitleBarWidget(None if floats else bare)  # type: ignore[arg-type]
