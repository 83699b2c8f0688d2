"""Following the tail: the newest decision is looked at, until the user looks at something else."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from inspector.ui.models.selection import Selection

_PART = 10_000
"""Rows among which a dated one is looked for at a time."""


class Follow(QObject):
    """Whether the newest listed decision is selected as soon as it is there.

    Signals:
        changed: `on` or `pause` say something else.
    """

    changed = Signal()

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.on = False
        self.pause = ""
        """Why it pauses, said to the user; empty while it does not."""
        self._behind = False
        selection.grew.connect(self._fall_behind)
        selection.row_changed.connect(self._look)

    @property
    def moves(self) -> bool:
        """Whether the selection goes on with what is written."""
        return self.on and not self.pause

    def turn(self, on: bool) -> None:
        """Begin at the newest decision, or stop."""
        self.on, self.pause = on, ""
        self.catch_up()
        self.changed.emit()

    def catch_up(self) -> None:
        """Go on to the newest decision, once everyone knows of it."""
        self._behind = False
        newest = self._newest()
        if self.moves and newest is not None:
            self._selection.select(newest)

    def pause_for(self, reason: str) -> None:
        """Stay where the user is now."""
        if self.moves:
            self.pause = reason
            self.changed.emit()

    def _newest(self) -> int | None:
        trace, rows = self._selection.trace, self._selection.rows
        if trace is None:
            return None
        for end in range(len(rows), 0, -_PART):
            part = rows[max(end - _PART, 0) : end]
            dated = part[np.isfinite(trace.decisions.time[part])]
            if len(dated):
                return int(dated[-1])
        return None

    def _fall_behind(self) -> None:
        """Take no change for the user's until it has been caught up with what came."""
        self._behind = True

    def _look(self) -> None:
        if not self._behind and self._selection.row != self._newest():
            self.pause_for("you looked at another decision")
