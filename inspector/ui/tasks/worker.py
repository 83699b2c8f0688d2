"""One thread with a queue, for work that must not hold up the UI.

A queued job that is superseded is never started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from inspector.ui.tasks.jobs import Cancelled, Job, JobDesk, Ticket

T = TypeVar("T")


class Worker(JobDesk):
    """Runs jobs one by one on a thread of its own; calls back on the thread that made it."""

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: SimpleQueue[tuple[Job, Ticket] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(
        self,
        key: str,
        work: Callable[[Ticket], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        progressed: Callable[[Any], None] = lambda _: None,
    ) -> None:
        """Queue a job in place of any earlier one with the same key.

        Args:
            key: What the job is about.
            work: Runs on the worker's thread.
            done: Gets the result.
            failed: Gets the exception that ended the work.
            progressed: Gets the latest of what the work reported.
        """
        self._queue.put(self.order(key, work, done, failed, progressed))

    def close(self) -> None:
        """Give everything up and wait for the thread, at most a second."""
        self.cancel_all()
        self._queue.put(None)
        self._thread.join(1.0)

    def _run(self) -> None:
        while (order := self._queue.get()) is not None:
            job, ticket = order
            if ticket.cancelled():
                continue
            try:
                self.finish(job, ticket, job.work(ticket))
            except Cancelled:
                continue
            except Exception as error:
                self.fail(job, ticket, error)
