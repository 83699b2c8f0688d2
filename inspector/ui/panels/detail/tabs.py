"""The detail area: the selected decision from every side that its kind has.

What is known at once is shown at once; what has to be read from files comes from the worker. A
decision that is passed over while stepping is never read. Until the reading is done the last tab
stays as it was, for a fifth of a second; then it says that it is reading. The tab that was chosen
last comes back with the next decision that has it.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QStyle,
    QStyleOptionTab,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from inspector.trace.context_trace import ContextTrace
from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui import formats, theme
from inspector.ui.models.marks import outcome_mark
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import Selection
from inspector.ui.panels.detail.before_after import BeforeAfterTab, WindowTab
from inspector.ui.panels.detail.gates import GatesTab
from inspector.ui.panels.detail.notes import NotesTab
from inspector.ui.panels.detail.offloads import OffloadsTab
from inspector.ui.panels.detail.recall import RecallTab
from inspector.ui.panels.detail.records import RecordsTab
from inspector.ui.panels.detail.request import RequestTab
from inspector.ui.panels.detail.retries import RetriesTab
from inspector.ui.panels.detail.rule import RuleTab
from inspector.ui.panels.detail.spans import SpansTab
from inspector.ui.panels.detail.summary import SummaryTab
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.tasks.worker import Worker
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.note import Note

TABS: tuple[type[DetailTab[Any]], ...] = (
    GatesTab,
    SpansTab,
    BeforeAfterTab,
    SummaryTab,
    RequestTab,
    RetriesTab,
    RuleTab,
    NotesTab,
    OffloadsTab,
    RecallTab,
    WindowTab,
    RecordsTab,
)
"""The tabs in order; a new one is registered here."""

_KEY = "detail"
_EMPTY = "Nothing of this decision; the tab says why"
_PATIENCE = 200
"""Milliseconds after which a tab says that it is reading."""


class DetailPanel(QWidget):
    """Tabs over the decision that is selected."""

    def __init__(self, selection: Selection, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._worker = worker
        self.decision: Decision | None = None
        """What the tabs are about."""
        self._detail: Detail | None = None
        self._failure = ""
        self._wanted = 0
        self._shown: set[DetailTab[Any]] = set()
        self.tabs: list[DetailTab[Any]] = [make() for make in TABS]
        self.gates = next(tab for tab in self.tabs if isinstance(tab, GatesTab))
        self.bar = _Bar()
        self.about = CellLine(right=True)
        self._stack = QStackedWidget()
        self._none = Note()
        self._waiting = QTimer(self)
        self._build()
        selection.row_changed.connect(self._take_row)
        self._take_row()

    def current_tab(self) -> DetailTab[Any]:
        """Return the tab that is shown."""
        return self.tabs[self.bar.currentIndex()]

    def show_tab(self, at: int) -> None:
        """Turn to a tab by its place."""
        self.bar.setCurrentIndex(at)

    def turn(self, direction: int) -> None:
        """Turn to the next (1) or previous (-1) tab that the decision has."""
        offered = [at for at in range(self.bar.count()) if self.bar.isTabVisible(at)]
        here = offered.index(self.bar.currentIndex())
        self.show_tab(offered[(here + direction) % len(offered)])

    def is_reading(self) -> bool:
        """Whether files are being read for the selected decision."""
        return self.decision is not None and self._detail is None and not self._failure

    def _build(self) -> None:
        self.bar.setAccessibleName("Views of the decision")
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        for tab in self.tabs:
            tab.worker = self._worker
            self.bar.addTab(tab.title)
            self._stack.addWidget(tab)
        self._stack.addWidget(self._none)
        self._none.say(
            "No decision selected", "Choose one in the list above, or step with N and P."
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, theme.GRID, 0)
        head.addWidget(self.bar)
        head.addWidget(self.about, 1)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)
        self.bar.currentChanged.connect(self._take_tab)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_PATIENCE)
        self._waiting.timeout.connect(self._tell_reading)

    def _take_row(self) -> None:
        trace, row = self._selection.trace, self._selection.row
        self._detail, self._failure = None, ""
        self._shown.clear()
        if trace is None or row is None:
            self.decision = None
            self._worker.cancel(_KEY)
            self._waiting.stop()
        else:
            self.decision = trace.decision(row)
            self._offer_tabs(self.decision)
            self._ask(trace, row)
        self._refresh()

    def _offer_tabs(self, decision: Decision) -> None:
        """Offer the tabs that apply; where the wanted one does not, turn to the first."""
        offered = [tab.applies(decision) for tab in self.tabs]
        self.bar.blockSignals(True)
        for at, shown in enumerate(offered):
            if shown != self.bar.isTabVisible(at):  # Qt forgets a change when told the same again
                self.bar.setTabVisible(at, shown)
        self.bar.setCurrentIndex(self._wanted if offered[self._wanted] else 0)
        self.bar.blockSignals(False)
        self.bar.updateGeometry()

    def _take_tab(self, at: int) -> None:
        self._wanted = at
        self._refresh()

    def _ask(self, trace: ContextTrace, row: int) -> None:
        if not self._waiting.isActive():
            self._waiting.start()
        self._worker.submit(_KEY, lambda _: trace.detail(row), self._take_detail, self._fail)

    def _take_detail(self, detail: Detail) -> None:
        self._waiting.stop()
        self._detail = detail
        self._mark_empty()
        self._refresh()

    def _mark_empty(self) -> None:
        """Let the tabs step back that have nothing to show."""
        assert self.decision is not None
        assert self._detail is not None
        about = self.decision, self._detail
        self.bar.empty = {at for at, tab in enumerate(self.tabs) if not tab.holds(*about)}
        for at in range(self.bar.count()):
            self.bar.setTabToolTip(at, _EMPTY if at in self.bar.empty else "")
        self.bar.update()

    def _fail(self, error: Exception) -> None:
        self._waiting.stop()
        self._failure = str(error) or type(error).__name__
        self._refresh()

    def _tell_reading(self) -> None:
        tab = self.current_tab()
        if tab.needs_detail and self.is_reading():
            tab.say("Reading…")

    def _refresh(self) -> None:
        """Fill the tab that is shown, once for each decision."""
        self.about.show_cells(_told(self.decision))
        if self.decision is None:
            self._stack.setCurrentWidget(self._none)
            return
        tab = self.current_tab()
        self._stack.setCurrentWidget(tab)
        if tab in self._shown:
            return
        if not tab.needs_detail:
            tab.show_decision(self.decision)
        elif self._failure:
            tab.say("This could not be read", self._failure)
        elif self._detail is not None:
            tab.show_detail(self.decision, self._detail)
        else:
            return
        self._shown.add(tab)


class _Bar(QTabBar):
    """Tabs of which some have nothing to show; they look disabled and can be turned to."""

    def __init__(self) -> None:
        super().__init__()
        self.empty: set[int] = set()

    def initStyleOption(self, option: QStyleOptionTab, tabIndex: int) -> None:
        super().initStyleOption(option, tabIndex)
        if tabIndex in self.empty:
            option.state &= ~QStyle.StateFlag.State_Enabled


def _told(decision: Decision | None) -> list[Cell]:
    """Return which decision the tabs are about."""
    if decision is None:
        return []
    mark = outcome_mark(decision.outcome, decision.basis == "inferred")
    step = "no step" if decision.step is None else f"step {decision.step:,}"
    return [
        Cell(step, "muted"),
        Cell(formats.visible(decision.processor).removesuffix("Compressor")),
        Cell(mark.told, mark.tone, mark),
    ]
