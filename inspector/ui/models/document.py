"""What is open: its paths, how far reading it is, and what it holds.

A new input is read in the background while the last one stays on the screen; only when it has been
read does it take its place. If it cannot be read, the last one stays for good.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from inspector.sources.scan import Source
from inspector.trace.opened import Opened, open_traces
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

_KEY = "open"


@dataclass(frozen=True)
class Progress:
    """How far reading is."""

    files: int
    records: int
    path: str
    """The file that was read last."""


class Document(QObject):
    """The input that the window shows.

    Signals:
        opened: another input was read and is now `content`.
        open_failed: it could not be read; carries what a person needs to know.
        progressed: reading went on; carries a `Progress`.
        reading_changed: whether something is being read.
    """

    opened = Signal()
    open_failed = Signal(str)
    progressed = Signal(object)
    reading_changed = Signal(bool)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self.paths: tuple[str, ...] = ()
        self.content: Opened | None = None
        self.reading: tuple[str, ...] = ()
        """Paths that are being read; empty when none are."""

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
        self.reading_changed.emit(True)
        self._worker.submit(
            _KEY, _reader(self.reading), self._take, self._fail, self.progressed.emit
        )

    def cancel(self) -> None:
        """Stop reading; what was open stays."""
        self._worker.cancel(_KEY)
        self._stop_reading()

    def _take(self, content: Opened) -> None:
        self.paths, self.content = self.reading, content
        self._stop_reading()
        self.opened.emit()

    def _fail(self, error: Exception) -> None:
        paths = ", ".join(self.reading)
        self._stop_reading()
        self.open_failed.emit(f"{paths} could not be read: {error}")

    def _stop_reading(self) -> None:
        self.reading = ()
        self.reading_changed.emit(False)


def _reader(paths: Sequence[str]) -> Callable[[Ticket], Opened]:
    def read(ticket: Ticket) -> Opened:
        files = records = 0

        def tell(source: Source) -> None:
            nonlocal files, records
            files += 1
            records += source.records
            ticket.report(Progress(files, records, source.path))

        content = open_traces(paths, ticket.cancelled, tell)
        for trace in content.traces:
            if ticket.cancelled():
                break
            _ = trace.method  # read from a few windows when it is first asked for
        return content

    return read
