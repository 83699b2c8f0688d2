"""Messages of a window as rows, and which of them belong together by a tool call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from inspector.trace.detail import SpanView, ToolTie, TraceMessage
from inspector.ui import formats
from inspector.ui.models.marks import ZONE_MARKS, Mark
from inspector.ui.models.message_text import preview
from inspector.ui.models.row_table import Cell, Column, RowTableModel


class MessageListModel(RowTableModel):
    """One row a message: mark, number, role, beginning of the content, tokens."""

    COLUMNS = (
        Column("", 40),
        Column("#", 44, right=True, fixed=True, tip="Place in the window"),
        Column("role", 88),
        Column("content", 0, fixed=True),
        Column(
            "tokens", 80, right=True, fixed=True, tip="By the window's own method; ~ is an estimate"
        ),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.messages: Sequence[TraceMessage] = ()
        self._marks: Sequence[Mark] = ()
        self._estimated = True
        self._lit: frozenset[int] = frozenset()

    def show_messages(
        self, messages: Sequence[TraceMessage], marks: Sequence[Mark], estimated: bool
    ) -> None:
        """Show other messages, each with its mark; `estimated`: their tokens carry `~`."""
        self.beginResetModel()
        self.messages = messages
        self._marks = marks
        self._estimated = estimated
        self._lit = frozenset()
        self.endResetModel()

    def show_span(self, span: SpanView, estimated: bool) -> None:
        """Show the messages of a split, each with the letter of its zone."""
        self.show_messages(span.messages, [ZONE_MARKS[zone] for zone in span.zones], estimated)

    def light(self, rows: frozenset[int]) -> None:
        """Light these rows and no others."""
        if rows != self._lit:
            self._lit = rows
            last = self.index(len(self.messages) - 1, len(self.COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def row_count(self) -> int:
        return len(self.messages)

    def cell(self, row: int, column: int) -> Cell:
        message = self.messages[row]
        if column == 0:
            return Cell("", mark=self._marks[row])
        if column == 1:
            return Cell(str(message.position + 1) if message.position >= 0 else "", "muted")
        if column == 2:
            return Cell(formats.one_line(message.role), "muted")
        if column == 3:
            return Cell(preview(message), "muted" if message.role == "system" else "text")
        return Cell(formats.number(message.tokens, self._estimated or message.estimated), "muted")

    def lit(self, row: int) -> bool:
        return row in self._lit


def tie_rows(
    messages: Sequence[TraceMessage], ties: Sequence[ToolTie]
) -> Mapping[int, frozenset[int]]:
    """Return, for every row with a call or a result, all rows of its calls and results."""
    row_of = {message.position: row for row, message in enumerate(messages)}
    found: dict[int, set[int]] = {}
    for tie in ties:
        positions = (*([] if tie.call is None else [tie.call]), *tie.results)
        rows = {row_of[position] for position in positions if position in row_of}
        for row in rows:
            found.setdefault(row, set()).update(rows)
    return {row: frozenset(rows) for row, rows in found.items()}
