"""Keeps the cycle collector from stopping the window.

A pass over all objects holds up every thread (measured: 200 to 400 ms with the reports of two
replays of 2,000 steps in memory), and what it finds in them is nothing: they hold no cycles. So
nothing is collected while jobs run; much that they leave is set aside (`gc.freeze`), to go by its
reference counts alone; and what the window itself made is looked through while nothing runs. That
also keeps Qt's objects from being torn down on another thread than their own.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_INTERVAL = 2_000
"""Milliseconds between two looks."""
_FEW = 2_000
"""New objects that are not worth a pass."""
_MANY = 50_000
"""New objects that a job has left, and the window has not made."""


class GarbageCollector(QObject):
    """Collects in place of Python, on the thread of the window."""

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        """Take over.

        Args:
            busy: Whether any job runs.
            parent: What it belongs to.
        """
        super().__init__(parent)
        self._busy = busy
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        gc.disable()

    def look(self) -> None:
        """Collect if nothing runs and there is enough, but not too much, to look through."""
        if self._busy():
            return
        new = gc.get_count()[0]
        if new > _MANY:
            gc.freeze()
        elif new > _FEW:
            gc.collect()

    def close(self) -> None:
        """Hand back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
