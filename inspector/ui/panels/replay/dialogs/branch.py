"""A branch: messages are edited or dropped at a step, or settings change from there on.

Nothing recorded is changed: what comes of it is a run of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from inspector.replay.digest import message_digest
from inspector.replay.turn import MessageChange, Turn
from inspector.ui import formats, theme
from inspector.ui.models.replay.settings.setup import ReplaySetup
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter

_SIZE = (980, 640)


class ContextModel(RowTableModel):
    """The messages before a request, and what becomes of each."""

    COLUMNS = (
        Column("", 34, right=True, fixed=True),
        Column("role", 78),
        Column("message", 0, fixed=True),
        Column("change", 72),
    )

    def __init__(self, messages: Sequence[Message], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.messages = messages
        self.texts: dict[int, str] = {}
        """New texts by position."""
        self.dropped: set[int] = set()

    def row_count(self) -> int:
        return len(self.messages)

    def cell(self, row: int, column: int) -> Cell:
        message = self.messages[row]
        if column == 0:
            return Cell(formats.number(row + 1), "muted")
        if column == 1:
            return Cell(message.role, "muted")
        if column == 2:
            text = self.texts.get(row, message.text)
            return Cell(formats.one_line(text), "faint" if row in self.dropped else "text")
        if row in self.dropped:
            return Cell("✕ dropped", "failure")
        return Cell("Δ edited", "accent") if row in self.texts else Cell("")

    def drop(self, row: int, dropped: bool) -> None:
        """Drop a message, or not."""
        (self.dropped.add if dropped else self.dropped.discard)(row)
        self._told(row)

    def write(self, row: int, text: str) -> None:
        """Give a message another text; its own text is no change."""
        if text == self.messages[row].text:
            self.texts.pop(row, None)
        else:
            self.texts[row] = text
        self._told(row)

    def changes(self) -> list[MessageChange]:
        """Return what was changed."""
        return [
            MessageChange(
                position=at,
                message=None if at in self.dropped else _with_text(message, self.texts[at]),
                was=message_digest(message),
            )
            for at, message in enumerate(self.messages)
            if at in self.dropped or at in self.texts
        ]

    def _told(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.COLUMNS) - 1))


class BranchDialog(QDialog):
    """Asks what changes at a step."""

    def __init__(
        self,
        step: int,
        messages: Sequence[Message],
        setup: ReplaySetup,
        parent: QWidget | None = None,
    ) -> None:
        """Show the context before a request.

        Args:
            step: The window request.
            messages: The context's messages before it.
            setup: What is set, which may hold from this step on only.
            parent: The window it belongs to.
        """
        super().__init__(parent)
        self._step = step
        self._setup = setup
        self.setWindowTitle(f"Branch at step {step:,}")
        self.model = ContextModel(messages, self)
        self.view = RowView(self.model, "Context before the request")
        self.text = QPlainTextEdit()
        self.drop = QCheckBox("Drop this message")
        edits = formats.plural(len(setup.edits), "edited setting")
        self.from_here = QCheckBox(f"The {edits} only from this step on")
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self._build()
        self.view.row_selected.connect(self._show)
        self.text.textChanged.connect(self._write)
        self.drop.clicked.connect(self._drop)
        self.from_here.toggled.connect(self._enable)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.view.show_row(len(messages) - 1 if messages else None)
        self._enable()

    def branch(self) -> tuple[Turn, ReplaySetup]:
        """Return the turn, and the setup that holds from the start."""
        settings, setup = {}, self._setup
        if self.from_here.isChecked():
            settings = {f"{key.owner}.{key.name}": value for key, value in setup.edits.items()}
            setup = replace(setup, edits={})
        turn = Turn(step=self._step, messages=self.model.changes(), settings=settings)
        return turn, setup

    def _build(self) -> None:
        self.text.setAccessibleName("Text of the message")
        self.text.setFont(theme.content_font())
        self.from_here.setVisible(bool(self._setup.edits))
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

    def _enable(self) -> None:
        some = bool(self.model.texts or self.model.dropped) or self.from_here.isChecked()
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(some)


def _with_text(message: Message, text: str) -> dict[str, object]:
    chat: dict[str, object] = message.revised(content=text).to_chat()
    chat.pop("metadata", None)
    return chat
