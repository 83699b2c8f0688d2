"""The markers of a window as rows: what each names, and whether it can still be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from inspector.trace.detail import StoredView, TraceMessage
from inspector.trace.evidence.markers import Marker, Payload, Where
from inspector.ui import formats
from inspector.ui.models.marks import Mark
from inspector.ui.models.message_text import full_text
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run

WHERE_MARKS: dict[Where, Mark] = {
    "found": Mark("check", "better", "resolved"),
    "empty": Mark("cross", "failure", "zero bytes"),
    "in_state": Mark("check", "muted", "in the saved state"),
    "in_memory": Mark("question", "muted", "in memory only"),
    "dangling": Mark("cross", "failure", "dangling"),
    "outside": Mark("question", "compress", "outside"),
}
"""What became of a thing that is stored elsewhere."""

_SENTENCES: dict[Where, str] = {
    "found": "",
    "empty": "Its file has 0 bytes: writing the copy failed, and the original is lost.",
    "in_state": "It is kept in a saved state of the session.",
    "in_memory": "It was kept in the memory of the agent only, and ended with it.",
    "dangling": "It is gone: no opened file holds it.",
    "outside": "It would lie outside of what is open, and is read only if you ask for it.",
}
_KINDS = {"offload": "original", "recall": "archive"}
_HANDLE = 10
"""Characters of a handle in the list."""


class StoredListModel(RowTableModel):
    """One row a marker."""

    COLUMNS: tuple[Column, ...] = (
        Column("state", 128),
        Column("handle", 112, fixed=True),
        Column("stands for", 0, fixed=True),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.views: list[StoredView] = []

    def show_stored(self, views: Sequence[StoredView]) -> None:
        """Show other markers."""
        self.beginResetModel()
        self.views = list(views)
        self.endResetModel()

    def add_originals(self, row: int, originals: tuple[TraceMessage, ...]) -> None:
        """Show the messages that a marker stands for."""
        self.views[row] = replace(self.views[row], originals=originals)
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.COLUMNS) - 1))

    def row_count(self) -> int:
        return len(self.views)

    def cell(self, row: int, column: int) -> Cell:
        view = self.views[row]
        marker, mark = view.payload.marker, WHERE_MARKS[view.payload.where]
        if column == 0:
            return Cell(mark.told, "failure" if mark.tone == "failure" else "text", mark)
        if column == 1:
            name = formats.one_line(marker.name)
            short = name if len(name) <= _HANDLE else f"{name[:_HANDLE]}…"
            return Cell(short, "muted", tip=name)
        return Cell(_told(view), "muted")


def marker_name(marker: Marker) -> str:
    """Return what a marker names, in words."""
    return f"{_KINDS[marker.kind]} {formats.one_line(marker.name)}"


def payload_runs(payload: Payload) -> tuple[Run, ...]:
    """Return what a marker names and what became of it."""
    runs = [Run(f"{marker_name(payload.marker).capitalize()}\n", "heading")]
    if sentence := _SENTENCES[payload.where]:
        runs.append(Run(f"{sentence}\n"))
    if payload.path:
        there = "would be at " if payload.where in ("dangling", "outside") else ""
        runs.append(Run(f"{there}{payload.path}\n", "muted"))
    declared = payload.marker.path
    if declared and declared != payload.path:
        runs.append(Run(f"written as {declared}\n", "muted"))
    return tuple(runs)


def stored_runs(view: StoredView) -> tuple[Run, ...]:
    """Return what there is to read behind a marker."""
    runs = list(payload_runs(view.payload))
    if view.message is not None:
        runs.append(Run(f"stands in message {view.message + 1} of the window\n", "muted"))
    for message in view.originals:
        runs += [Run("\n"), *full_text(message, True)]
    return tuple(runs)


def _told(view: StoredView) -> str:
    call_id, parts = view.call_id, []
    if view.originals:
        first = view.originals[0]
        call_id = call_id or first.tool_call_id
        parts = [first.role, f"{len(str(first.content)):,} ch"]
    if view.message is not None:
        parts.append(f"message {view.message + 1}")
    return formats.one_line(" · ".join(filter(None, (call_id, *parts)))) or formats.UNKNOWN
