"""Keeps the cycle collector from stopping the window.

A pass over all objects holds up every thread (measured: 200 to 400 ms with the reports of two
replays of 2,000 steps in memory), and what it finds in them is nothing: they hold no cycles. So
nothing is collected while jobs run, and then only what is new since the last look. Where jobs have
left much, it is set aside instead (`gc.freeze`), to go by its reference counts alone. What survived
its first look is looked through after a minute without work, when nobody is there to wait. That
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
_MANY = 100_000
"""New objects that a job has left, and the window has not made."""
_QUIET = 30
"""Looks that found little, one after another, after which nobody is there."""
_NEW = 1
"""The generation up to which objects are new: they survived no look."""


class GarbageCollector(QObject):
    """Collects in place of Python, on the thread of the window."""

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        """Take over, and set aside what the program itself consists of.

        Args:
            busy: Whether any job runs.
            parent: What it belongs to.
        """
        super().__init__(parent)
        self._busy = busy
        self._quiet = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        gc.disable()
        gc.freeze()

    def look(self) -> None:
        """Collect if nothing runs, as much as nobody will notice."""
        new, busy = gc.get_count()[0], self._busy()
        self._quiet = 0 if busy or new > _FEW else self._quiet + 1
        if busy:
            return
        if new > _MANY:
            gc.freeze()
        elif new > _FEW:
            gc.collect(_NEW)
        elif self._quiet == _QUIET:
            gc.collect()

    def close(self) -> None:
        """Hand back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
