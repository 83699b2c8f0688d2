"""The messages before a window request, and what a branch makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from engine.messages import Message
from inspector.replay.cases.digest import message_digest
from inspector.replay.cases.turn import MessageChange
from inspector.trace.windows.window import trace_messages
from inspector.ui import formats
from inspector.ui.models.message_text import preview
from inspector.ui.models.row_table import Cell, Column, RowTableModel


class ContextModel(RowTableModel):
    """The messages before a request, and what becomes of each."""

    COLUMNS = (
        Column("", 34, right=True, fixed=True),
        Column("role", 78),
        Column("message", 0, fixed=True),
        Column("change", 92, fixed=True),
    )

    def __init__(self, messages: Sequence[Message], parent: QObject | None = None) -> None:
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
            text = self.texts.get(row) or preview(*trace_messages([message.to_chat()], False))
            return Cell(formats.one_line(text), "faint" if row in self.dropped else "text")
        if row in self.dropped:
            return Cell("✕ dropped", "failure")
        return Cell("Δ edited", "accent") if row in self.texts else Cell("")

    def show_messages(self, messages: Sequence[Message]) -> None:
        """Show other messages; what was changed stays only where they are the same."""
        if messages != self.messages:
            self.beginResetModel()
            self.messages, self.texts, self.dropped = messages, {}, set()
            self.endResetModel()

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


def _with_text(message: Message, text: str) -> dict[str, object]:
    chat: dict[str, object] = message.revised(content=text).to_chat()
    chat.pop("metadata", None)
    return chat
