"""The list of decisions, subscribed to the selection in both directions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.trace.live import same_decision
from inspector.ui.models.decision_table import TIME, DecisionTableModel
from inspector.ui.models.selection import Selection
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.row_view import RowView


class DecisionsPanel(QStackedWidget):
    """The table, or a note where no decision is listed.

    While more is written, what is in sight stays where it is.

    Signals:
        scrolled_up: the user scrolled, and not down to the end.
    """

    scrolled_up = Signal()

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.model = DecisionTableModel(selection, self)
        self.view = RowView(self.model, "Decisions")
        self.view.setMinimumHeight(96)
        self._note = Note()
        self.addWidget(self.view)
        self.addWidget(self._note)
        header = self.view.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicator(TIME, Qt.SortOrder.AscendingOrder)
        self.view.setSortingEnabled(True)
        self.view.row_selected.connect(self._choose)
        self.view.verticalScrollBar().actionTriggered.connect(self._tell_scrolling)
        selection.filter_changed.connect(self._show_rows)
        header.sortIndicatorChanged.connect(self._show_rows)
        selection.grew.connect(self._grow)
        selection.row_changed.connect(self._show_row)

    def scroll_if_untouched(self) -> None:
        """Bring the decision into sight that was shown first, now that all of them are here."""
        if self._selection.row_is_untouched():
            self._scroll()

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._selection.select(self.model.trace_row(row))

    def _show_rows(self) -> None:
        self._show_page()
        self._show_row()

    def _show_page(self) -> None:
        some = self.model.row_count() > 0
        self.setCurrentIndex(0 if some else 1)
        if not some:
            listed = self._selection.trace is not None and len(self._selection.trace.decisions)
            if listed:
                self._note.say("No decision passes the filter", "Esc shows all of them.")
            else:
                self._note.say("No decisions", "The files of this context hold none.")

    def _grow(self, before: ContextTrace) -> None:
        """List the decisions of a longer trace around the one at the top."""
        in_sight = self._is_in_sight()
        top, listed, trace = self.view.top_row(), None, self._selection.trace
        assert trace is not None
        held = self.model.trace_row(top) if 0 <= top < self.model.row_count() else None
        self.model.relist()
        self._show_page()
        if held is not None:
            listed = self.model.listed_row(same_decision(before.decisions, held, trace.decisions))
        self.view.show_again(self.model.listed_row(self._selection.row), listed)
        if in_sight:  # rows are scrolled as a whole, so the last one may have lost a part
            self._scroll()

    def _is_in_sight(self) -> bool:
        row = self.view.current_row()
        if row is None:
            return False
        place = self.view.visualRect(self.model.index(row, 0))
        return self.view.viewport().rect().contains(place.center())

    def _tell_scrolling(self) -> None:
        bar = self.view.verticalScrollBar()
        if bar.sliderPosition() < bar.maximum():
            self.scrolled_up.emit()

    def _show_row(self) -> None:
        listed = self.model.listed_row(self._selection.row)
        if listed != self.view.current_row():  # else it only tells something else now
            self.view.show_row(listed)
            self._scroll()

    def _scroll(self) -> None:
        row = self.view.current_row()
        if row is not None:
            self.view.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.EnsureVisible)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._scroll()
