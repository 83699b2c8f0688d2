"""The markers of a window as rows: what each names, and whether it can still be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from inspector.trace.detail import StoredView, TraceMessage
from inspector.trace.evidence.markers import Payload, Where
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

AGAIN = Mark("cross", "failure", "taken out again")
"""Of an original that came back in vain."""

_SENTENCES: dict[Where, str] = {
    "found": "",
    "empty": "Its file has 0 bytes: writing the copy failed, and the original is lost.",
    "in_state": "It is kept in a saved state of the session.",
    "in_memory": "It was kept in the memory of the agent only, and ended with it.",
    "dangling": "It is gone: no opened file holds it.",
    "outside": "It would lie outside of what is open, and is read only if you ask for it.",
}
_KINDS = {"offload": "Original", "recall": "Archive"}
ASKED = 3
"""The column that stays empty where nothing was asked for."""
_HANDLE = 9
"""Characters of a handle in the list."""


class StoredListModel(RowTableModel):
    """One row a marker."""

    COLUMNS: tuple[Column, ...] = (
        Column("state", 112),
        Column("handle", 104, fixed=True),
        Column("stands for", 0, fixed=True),
        Column("asked for", 144, tip="When the agent's model asked to have it back"),
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
        if column == 2:
            return Cell(_told(view), "muted")
        if view.again is None:
            return Cell(_asked(view), "muted")
        return Cell(_asked(view), "failure", AGAIN, " · out again", tip=_told_again(view.again))


def payload_runs(payload: Payload) -> tuple[Run, ...]:
    """Return what a marker names and what became of it."""
    marker = payload.marker
    runs = [Run(f"{_KINDS[marker.kind]} {formats.one_line(marker.name)}\n", "heading")]
    if sentence := _SENTENCES[payload.where]:
        runs.append(Run(f"{sentence}\n"))
    if payload.path:
        there = "would be at " if payload.where in ("dangling", "outside") else ""
        runs.append(Run(f"{there}{payload.path}\n", "muted"))
    if marker.path and marker.path != payload.path:
        runs.append(Run(f"written as {marker.path}\n", "muted"))
    return tuple(runs)


def stored_runs(view: StoredView) -> tuple[Run, ...]:
    """Return what there is to read behind a marker."""
    runs = list(payload_runs(view.payload))
    if view.message is not None:
        runs.append(Run(f"stands in message {view.message + 1} of the window\n", "muted"))
    for recall in view.recalls:
        at = "" if recall.step is None else f" at step {recall.step:,}"
        runs.append(Run(f"asked for{at} by {formats.one_line(recall.call.call_id)}\n", "muted"))
    if view.again is not None:
        runs.append(Run(f"{_told_again(view.again)}\n"))
    for message in view.originals:
        runs += [Run("\n"), *full_text(message, True)]
    return tuple(runs)


def _asked(view: StoredView) -> str:
    """Tell when an original was asked for, or how often where no file dates that."""
    steps = [f"{recall.step:,}" for recall in view.recalls if recall.step is not None]
    if len(steps) < len(view.recalls):
        return formats.plural(len(view.recalls), "time")
    return f"step{'s' * (len(steps) > 1)} {', '.join(steps)}" if steps else ""


def _told_again(handle: str) -> str:
    name = formats.one_line(handle)
    return f"As soon as it was back, it was taken out again, as original {name}."


def _told(view: StoredView) -> str:
    call_id, parts = view.call_id, []
    if view.originals:
        first = view.originals[0]
        call_id = call_id or first.tool_call_id
        role = () if first.role == "tool" else (first.role,)
        parts = [*role, f"{len(str(first.content)):,} chars"]
    if view.message is not None:
        parts.append(f"message {view.message + 1}")
    return formats.one_line(" · ".join(filter(None, (call_id, *parts)))) or formats.UNKNOWN
