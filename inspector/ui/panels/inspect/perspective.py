"""The Inspect perspective: sources, timeline, decisions, and the selected decision in detail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.ui.models.marks import OUTCOMES
from inspector.ui.models.missing_records import missing_records
from inspector.ui.models.selection import EVERYTHING, Filter
from inspector.ui.panels.inspect.below import Below
from inspector.ui.panels.inspect.decisions import DecisionsPanel
from inspector.ui.panels.inspect.docks import Docks
from inspector.ui.panels.inspect.pictures import Place, places
from inspector.ui.panels.inspect.sources import SourcesPanel
from inspector.ui.panels.inspect.status import inspect_status
from inspector.ui.panels.inspect.timeline import TimelinePanel
from inspector.ui.panels.inspect.welcome import WelcomePanel
from inspector.ui.panels.perspective import Desk, Perspective, Picture, Status

_FIRED = frozenset(outcome for outcome, style in OUTCOMES.items() if style.fired)


class InspectPerspective(Perspective):
    """What happened, and why."""

    title = "Inspect"
    key = "Ctrl+1"

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.sources = SourcesPanel(desk.document, desk.selection)
        self.timeline = TimelinePanel(desk.selection, desk.follow, desk.worker)
        self.decisions = DecisionsPanel(desk.selection)
        self.below = Below(desk)
        self.detail = self.below.detail
        self.welcome = WelcomePanel(desk.document, desk.actions)
        self.docks = Docks(self.decisions, self.sources, self.timeline, self.below)
        self._pages = QStackedWidget()
        self._settings = QSettings()
        self._lay_out()
        self._connect()

    def start(self) -> None:
        chart = self.timeline.load_chart()
        parts = (self.sources.tree, chart, self.decisions.view, self.detail.bar)
        for before, after in pairwise(parts):
            self.setTabOrder(before, after)

    def step(self, direction: int, fired_only: bool = False) -> None:
        self._desk.selection.move(direction, fired_only)

    def can_step(self) -> bool:
        return self._desk.selection.trace is not None

    def turn_tab(self, direction: int) -> None:
        self.detail.turn(direction)

    def zoom_out(self) -> None:
        self.timeline.zoom_out()

    def status(self) -> Status:
        return inspect_status(self._desk)

    def save_layout(self, settings: QSettings) -> None:
        if self._pages.currentWidget() is self.docks:
            self.docks.save(settings)

    def restore_layout(self, settings: QSettings) -> None:
        self._settings = settings
        if self._pages.currentWidget() is self.docks:
            self.docks.restore(settings)

    def pictures(self) -> Iterator[Picture]:
        content, selection = self._desk.document.content, self._desk.selection
        if content is None or self._pages.currentWidget() is self.welcome:
            yield Picture("welcome", lambda: None)
            return
        if selection.trace is not None and selection.row is not None:
            first = Place(selection.trace, selection.row)
            yield from self._tab_pictures(first, content.traces)
            self._go(first)
        yield Picture("missing-records", self.below.show_missing)
        if content.problems:
            yield Picture("problem", partial(self.sources.tree.choose, content.problems[0]))
        if content.sources:
            file = next((s for s in content.sources if s.records), content.sources[0])
            yield Picture("file", partial(self.sources.tree.choose, file), self._is_read)

    def _tab_pictures(self, first: Place, traces: Sequence[ContextTrace]) -> Iterator[Picture]:
        for at, tab in enumerate(self.detail.tabs):
            name = tab.title.lower().replace(" / ", "-")
            for place in places(tab, first, traces):
                pose = partial(self._pose_tab, at, place)
                yield Picture(name, pose, self._is_read, tab.worth)

    def _pose_tab(self, at: int, place: Place) -> None:
        self._go(place)
        self.detail.show_tab(at)

    def _go(self, place: Place) -> None:
        self._desk.selection.show_trace(self._desk.document.current(place.trace))
        self._desk.selection.select(place.row)
        self.below.show_decision()

    def _is_read(self) -> bool:
        return not self.detail.is_reading() and not self._desk.worker.busy()

    def _lay_out(self) -> None:
        for action in self.docks.toggles():
            self._desk.actions.add("&View", action)
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.docks)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _connect(self) -> None:
        document, selection, actions = self._desk.document, self._desk.selection, self._desk.actions
        desk_follow = self._desk.follow
        for signal in (document.replaced, document.grew):
            signal.connect(self._show_content)
        for told in (document.grew, document.opened, desk_follow.changed):
            told.connect(self.status_changed)
        document.opened.connect(self.decisions.scroll_if_untouched)
        self.decisions.scrolled_up.connect(lambda: desk_follow.pause_for("you scrolled up"))
        self.sources.context_chosen.connect(self.below.show_decision)
        self.sources.problem_chosen.connect(self.below.show_problem)
        self.sources.file_chosen.connect(self.below.show_file)
        selection.trace_changed.connect(self._explain_emptiness)
        selection.filter_changed.connect(self._mark_filter)
        for signal in (selection.trace_changed, selection.filter_changed, selection.row_changed):
            signal.connect(self.status_changed)
        actions["zoom_filter"].triggered.connect(self.timeline.zoom_to_filter)
        actions["only_fired"].toggled.connect(self._filter_fired)
        actions["show_all"].triggered.connect(lambda: selection.set_filter(EVERYTHING))
        actions["reset_layout"].triggered.connect(self.docks.reset)

    def _show_content(self) -> None:
        content = self._desk.document.content
        page = self.docks if content is not None and content.traces else self.welcome
        if page is not self._pages.currentWidget():
            self._pages.setCurrentWidget(page)
            if page is self.docks:  # sizes can be given only to what has a size itself
                self.docks.restore(self._settings)

    def _explain_emptiness(self) -> None:
        """Say in the timeline why a context has no steps."""
        content, trace = self._desk.document.content, self._desk.selection.trace
        if content is not None and trace is not None and not len(trace.steps.number):
            gaps = missing_records(content.sources, None)
            why = gaps[0].what if gaps else "There is nothing to draw over steps."
            self.timeline.explain(why, [self._desk.actions["missing_records"]])

    def _filter_fired(self, on: bool) -> None:
        chosen = self._desk.selection.filter
        if on != bool(chosen.outcomes):
            self._desk.selection.set_filter(Filter(chosen.steps, _FIRED if on else frozenset()))

    def _mark_filter(self) -> None:
        self._desk.actions["only_fired"].setChecked(bool(self._desk.selection.filter.outcomes))
