"""The Retries tab: which calls failed, and what was done about it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui import formats
from inspector.ui.models.detail.retry_list import RetryListModel
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.row_view import RowView


class RetriesTab(DetailTab[Detail]):
    """One row a failed call."""

    title = "Retries"
    families = frozenset({"compressor"})
    needs_detail = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.retries = RetryListModel(self)
        self.view = RowView(self.retries, "Failed calls")
        self.lay_out(self.view)

    def holds(self, decision: Decision, detail: Detail) -> bool:
        return bool(decision.retries)

    def show_decision(self, decision: Decision) -> None:
        self.retries.show_retries(decision.retries)
        if decision.retries:
            self.show_content()
        elif decision.model_calls:
            self.say(
                "No failed call on record", f"{formats.plural(decision.model_calls, 'model call')}."
            )
        else:
            self.say("No model call", "This decision ended before the model was asked.")
