"""Two windows aligned: one row a message, its fate in the middle."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.trace.detail import TraceMessage, WindowDiff, WindowRow
from inspector.ui import formats
from inspector.ui.models.marks import FATE_MARKS
from inspector.ui.models.message_text import content_text, full_text, preview
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run, difference


class WindowDiffModel(RowTableModel):
    """Tokens and message before, fate, message and tokens after."""

    def __init__(
        self, sides: tuple[str, str] = ("before", "after"), parent: QObject | None = None
    ) -> None:
        """Show no windows yet; `sides`: what they are called."""
        super().__init__(parent)
        tokens = Column("tokens", 72, right=True, fixed=True)
        before, after = (Column(side, 0, fixed=True) for side in sides)
        self.COLUMNS = (before, tokens, Column("fate", 108), after, tokens)
        self.rows: tuple[WindowRow, ...] = ()
        self._estimated = True

    def show_windows(self, windows: WindowDiff, estimated: bool) -> None:
        """Show another pair of windows; `estimated`: tokens carry `~`."""
        self.beginResetModel()
        self.rows = windows.rows
        self._estimated = estimated
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> Cell:
        line = self.rows[row]
        if column == 2:
            changed = " ·Δ" if line.changed else ""
            return Cell("", mark=FATE_MARKS[line.fate], aside=changed)
        message = line.before if column < 2 else line.after
        if message is None:
            return Cell("")
        if column in (1, 4):
            return Cell(_tokens(message, self._estimated), "muted")
        quiet = line.before is not None and line.after is not None and not line.changed
        return Cell(
            f"{formats.one_line(message.role)}  {preview(message)}", "muted" if quiet else "text"
        )


def row_runs(row: WindowRow, estimated: bool) -> tuple[Run, ...]:
    """Return what there is to read about a row: the message, or how its text changed."""
    before, after = row.before, row.after
    if before is not None and after is not None and row.changed:
        head = (
            f"{before.role} · {_tokens(before, estimated)} → {_tokens(after, estimated)} tokens\n\n"
        )
        texts = content_text(before.content), content_text(after.content)
        return (Run(head, "muted"), *difference(*texts))
    message = after if after is not None else before
    return full_text(message, estimated) if message is not None else ()


def _tokens(message: TraceMessage, estimated: bool) -> str:
    return formats.number(message.tokens, estimated or message.estimated)
