"""What is open: its paths, what they hold, and how far reading is; it is kept up with all the time.

A new input is read in the background while the last one stays on the screen, until there is
something of the new one to show. If it cannot be read, the last one stays for good.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from inspector.trace.context_trace import ContextTrace
from inspector.trace.live import Growth, follow
from inspector.trace.opened import Opened
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

_KEY = "open"


class Document(QObject):
    """The input that the window shows.

    Signals:
        replaced: `content` is that of another input, of which more may have to be read.
        grew: `content` holds more of the same input, or something else where files changed.
        opened: all that was there has been read; follows `replaced` or `grew`.
        open_failed: it could not be read; carries what a person needs to know.
        progressed: reading went on, and there is nothing to show yet; carries a `Growth`.
        reading_changed: whether something is being read for the first time.
    """

    replaced = Signal()
    grew = Signal()
    opened = Signal()
    open_failed = Signal(str)
    progressed = Signal(object)
    reading_changed = Signal(bool)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        """Open nothing yet.

        Args:
            worker: The thread that the files are read on, and kept up with; it has no other work.
            parent: The owner.
        """
        super().__init__(parent)
        self._worker = worker
        self.paths: tuple[str, ...] = ()
        self.growth: Growth | None = None
        self.live = False
        """What is written to the files is read."""
        self.reading: tuple[str, ...] = ()
        """Paths that are being read for the first time; empty when none are."""

    @property
    def content(self) -> Opened | None:
        """What is known of the input; None before the first one."""
        return None if self.growth is None else self.growth.content

    def open(self, paths: Sequence[str]) -> None:
        """Read these paths, one input together, in place of what is open."""
        paths = [os.path.abspath(path) for path in paths]
        missing = [path for path in paths if not os.path.lexists(path)]
        if missing:
            self.open_failed.emit(
                f"{missing[0]} does not exist. Check the path, or open another one."
            )
            return
        self.reading = tuple(paths)
        self.live = False
        self.reading_changed.emit(True)
        self._worker.submit(
            _KEY, _follower(self.reading), lambda _: self.cancel(), self._fail, self._take
        )

    def cancel(self) -> None:
        """Stop reading and keeping up; what was read stays."""
        self._worker.cancel(_KEY)
        self.live = False
        self._stop_reading()

    def current(self, trace: ContextTrace) -> ContextTrace:
        """Return the newest trace of the context that a trace is of."""
        traces = self.content.traces if self.content is not None else ()
        ids = trace.session_id, trace.context_id
        return next((t for t in traces if (t.session_id, t.context_id) == ids), trace)

    def _take(self, growth: Growth) -> None:
        if not growth.complete and not growth.content.traces:
            self.progressed.emit(growth)
            return
        other = bool(self.reading) and not self.live
        if other:
            self.paths = self.reading
        self.growth, self.live = growth, True
        (self.replaced if other else self.grew).emit()
        if growth.complete and self.reading:
            self._stop_reading()
            self.opened.emit()

    def _fail(self, error: Exception) -> None:
        paths = ", ".join(self.reading or self.paths)
        self.live = False
        self._stop_reading()
        self.open_failed.emit(f"{paths} could not be read: {error}")

    def _stop_reading(self) -> None:
        self.reading = ()
        self.reading_changed.emit(False)


def _follower(paths: Sequence[str]) -> Callable[[Ticket], None]:
    def keep_up(ticket: Ticket) -> None:
        for growth in follow(paths, ticket.cancelled):
            ticket.report(growth)

    return keep_up
