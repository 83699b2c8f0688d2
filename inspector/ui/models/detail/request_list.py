"""The call to the summary model in the order of sending: messages, prompt, schemas of tools."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from inspector.trace.detail import RequestView
from inspector.ui import formats
from inspector.ui.models.message_text import full_text, pretty, preview
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run


class RequestListModel(RowTableModel):
    """One row a message, the prompt, or a tool."""

    COLUMNS = (
        Column("role", 88),
        Column("content", 0, fixed=True),
        Column("tokens", 104, right=True, fixed=True),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._request: RequestView | None = None
        self._estimated = True

    def show_request(self, request: RequestView, estimated: bool) -> None:
        """Show another request; `estimated`: tokens carry `~`."""
        self.beginResetModel()
        self._request, self._estimated = request, estimated
        self.endResetModel()

    def prompt_row(self) -> int:
        """Return the row of the prompt."""
        return 0 if self._request is None else len(self._request.messages)

    def runs(self, row: int) -> tuple[Run, ...]:
        """Return what there is to read of a row."""
        request = self._request
        assert request is not None
        if row < self.prompt_row():
            return full_text(request.messages[row], self._estimated)
        if row == self.prompt_row():
            return (Run(request.prompt),)
        return (Run(pretty(request.tools[row - self.prompt_row() - 1])),)

    def row_count(self) -> int:
        return 0 if self._request is None else self.prompt_row() + 1 + len(self._request.tools)

    def cell(self, row: int, column: int) -> Cell:
        request = self._request
        assert request is not None
        if row < self.prompt_row():
            message = request.messages[row]
            tokens = formats.number(message.tokens, self._estimated or message.estimated)
            told = (formats.one_line(message.role), preview(message), tokens)
        elif row == self.prompt_row():
            size = f"{len(request.prompt):,} chars"
            told = ("prompt", formats.one_line(request.prompt), size)
        else:
            told = ("schema", _told_tool(request.tools[row - self.prompt_row() - 1]), "")
        quiet = column != 1 or told[0] in ("system", "schema")
        return Cell(told[column], "muted" if quiet else "text")


def _told_tool(tool: dict[str, Any]) -> str:
    function = tool.get("function")
    inner = function if isinstance(function, dict) else tool
    return formats.one_line(f"{inner.get('name') or '?'}  {inner.get('description') or ''}")
