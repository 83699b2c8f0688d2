"""A branch: messages are edited or dropped at a step, or settings change from there on.

Nothing recorded is changed: what comes of it is a run of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Message
from inspector.replay.cases.turn import Turn
from inspector.ui import theme
from inspector.ui.models.replay.settings.setup import ReplaySetup
from inspector.ui.models.replay.tables.assumption_list import told_value
from inspector.ui.models.replay.tables.context_messages import ContextModel
from inspector.ui.models.replay.tables.sweep_table import short_name
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter

_SIZE = (980, 640)


class BranchDialog(QDialog):
    """Asks what changes at a step."""

    def __init__(
        self,
        step: int,
        messages: Sequence[Message],
        unset: Sequence[Message] | None,
        setup: ReplaySetup,
        parent: QWidget | None = None,
    ) -> None:
        """Show the context before a request.

        Args:
            step: The window request.
            messages: The context's messages before it.
            unset: Those before it when the settings hold from this step on only; None where
                nobody knows.
            setup: What is set, which may hold from this step on only.
            parent: The window it belongs to.
        """
        super().__init__(parent)
        self._step = step
        self._setup = setup
        self._contexts = messages, unset
        self.setWindowTitle(f"Branch at step {step:,}")
        self.model = ContextModel(messages, self)
        self.view = RowView(self.model, "Context before the request")
        self.text = QPlainTextEdit()
        self.drop = QCheckBox("Drop this message")
        self.from_here = QCheckBox(_told_settings(setup))
        self.from_here.setEnabled(bool(setup.named_settings()))
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Branch")
        self._build()
        self.view.row_selected.connect(self._show)
        self.text.textChanged.connect(self._write)
        self.drop.clicked.connect(self._drop)
        self.from_here.toggled.connect(self._set_from_here)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.view.show_row(len(messages) - 1 if messages else None)
        self._enable()

    def branch(self) -> tuple[Turn, ReplaySetup]:
        """Return the turn, and the setup that holds from the start."""
        settings: dict[str, Any] = {}
        setup = self._setup
        if self.from_here.isChecked():
            settings, setup = setup.named_settings(), setup.without_settings()
        turn = Turn(step=self._step, messages=self.model.changes(), settings=settings)
        return turn, setup

    def _build(self) -> None:
        self.text.setAccessibleName("Text of the message")
        self.text.setFont(theme.content_font())
        about = QLabel("What is changed here holds from this step on. Nothing recorded is changed.")
        about.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        edited = QWidget()
        column = QVBoxLayout(edited)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.drop)
        column.addWidget(self.text, 1)
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.view)
        split.addWidget(edited)
        split.setSizes([560, 400])
        layout = QVBoxLayout(self)
        for widget in (about, split, self.from_here, self.buttons):
            layout.addWidget(widget, int(widget is split))
        self.resize(*_SIZE)

    def _show(self, row: int) -> None:
        if row < 0:
            self.text.setReadOnly(True)
            self.text.clear()
            return
        message = self.model.messages[row]
        editable = isinstance(message.content, str)
        self.text.blockSignals(True)
        self.text.setPlainText(self.model.texts.get(row, message.text))
        self.text.blockSignals(False)
        self.text.setReadOnly(not editable or row in self.model.dropped)
        self.drop.setChecked(row in self.model.dropped)

    def _write(self) -> None:
        row = self.view.current_row()
        if row is not None:
            self.model.write(row, self.text.toPlainText())
            self._enable()

    def _drop(self, dropped: bool) -> None:
        row = self.view.current_row()
        if row is not None:
            self.model.drop(row, dropped)
            self.text.setReadOnly(dropped)
            self._enable()

    def _set_from_here(self, from_here: bool) -> None:
        """Show the context that there is then; where nobody knows it, it cannot be changed."""
        messages = self._contexts[from_here]
        self.model.show_messages(messages or ())
        self.drop.setEnabled(messages is not None)
        self.view.show_row(len(messages) - 1 if messages else None)
        self._enable()

    def _enable(self) -> None:
        some = bool(self.model.texts or self.model.dropped) or self.from_here.isChecked()
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(some)


def _told_settings(setup: ReplaySetup) -> str:
    """Return what holds from the step on only, if one wants it so."""
    edits = setup.named_settings()
    told = ", ".join(f"{short_name(name)} {told_value(value)}" for name, value in edits.items())
    return f"Only from this step on: {told or 'what is edited before the branch is made'}"
