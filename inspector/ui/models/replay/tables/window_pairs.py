"""The windows that two runs sent at a step, aligned message by message by what they say."""

from __future__ import annotations

from inspector.replay.cases.digest import message_digest
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import WindowResult
from inspector.trace.detail import WindowDiff, WindowRow
from inspector.trace.windows.alignment import align
from inspector.trace.windows.window import trace_messages
from inspector.ui import formats
from inspector.ui.models.detail.window_diff import WindowDiffModel
from inspector.ui.models.marks import Tone
from inspector.ui.models.row_table import Cell, retitled

_SAME = "same"


class WindowPairsModel(WindowDiffModel):
    """Messages of both windows, and which side has each."""

    def name_sides(self, left: str, right: str) -> None:
        """Call the sides otherwise; to be followed by `show_windows`."""
        columns = retitled(self.COLUMNS, 0, left)
        self.COLUMNS = retitled(retitled(columns, 2, "which"), 3, right)

    def cell(self, row: int, column: int) -> Cell:
        if column != 2:
            return super().cell(row, column)
        line = self.rows[row]
        if line.before is not None and line.after is not None:
            return Cell(_SAME, "faint")
        side = self.COLUMNS[0 if line.before is not None else 3].title
        return Cell(f"{side} only", "accent")


def window_pairs(a: RunTrace, b: RunTrace, step: int) -> WindowDiff | None:
    """Return both windows at a step; None where a side has none."""
    left, right = sent_window(a, step), sent_window(b, step)
    if left is None or right is None:
        return None
    old, new = (
        trace_messages([message.to_chat() for message in window.messages], estimated=False)
        for window in (left, right)
    )
    keys = [[message_digest(message) for message in window.messages] for window in (left, right)]
    rows = tuple(
        WindowRow(
            old[pair.old] if pair.old is not None else None,
            new[pair.new] if pair.new is not None else None,
            "kept",
        )
        for pair in align(*keys)
    )
    return WindowDiff(rows, left.tokens, right.tokens, "recorded", "recorded")


def sent_window(trace: RunTrace, step: int) -> WindowResult | None:
    """Return what a run sent at a step."""
    found = (made.window for made in trace.run.steps if made.number == step)
    return next(found, None)


def told_sizes(windows: WindowDiff, sides: tuple[str, str]) -> list[Cell]:
    """Return the sizes of both windows and how they differ."""
    before, after = windows.tokens_before or 0, windows.tokens_after or 0
    change = after - before
    arrow = "" if not change else "▲ " if change > 0 else "▼ "
    tone: Tone = "muted" if not change else "failure" if change > 0 else "better"
    same = sum(row.before is not None and row.after is not None for row in windows.rows)
    return [
        Cell(f"{sides[0]} {formats.number(before)}", "muted"),
        Cell(f"{sides[1]} {formats.number(after)}", "muted"),
        Cell(f"{arrow}{formats.signed(change)} tokens", tone),
        Cell(f"{same:,} of {formats.plural(len(windows.rows), 'message')} the same", "muted"),
    ]
