"""One thread with a queue, for work that must not hold up the UI.

A job has a key. A newer job with the same key supersedes an older one: a queued one is never
started, a running one is told to stop through its `Ticket`, and nothing that it still says is
passed on. So a user who steps quickly through decisions waits for the last one only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.ui.tasks.coalescer import Coalescer

T = TypeVar("T")


class Cancelled(Exception):
    """Raised inside a job that was told to stop."""


class Ticket:
    """What a running job knows: whether it is still wanted, and where to say how far it is."""

    def __init__(self, report: Callable[[object], None]) -> None:
        self._cancelled = threading.Event()
        self._report = report

    def cancel(self) -> None:
        """Tell the job to stop."""
        self._cancelled.set()

    def cancelled(self) -> bool:
        """Whether the job was told to stop; cheap enough for an inner loop."""
        return self._cancelled.is_set()

    def report(self, progress: object) -> None:
        """Say how far the job is; reaches the UI thread at most every 33 ms."""
        self._report(progress)


@dataclass(frozen=True)
class _Job:
    key: str
    work: Callable[[Ticket], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    progressed: Callable[[Any], None]


@dataclass(frozen=True)
class _News:
    job: _Job
    ticket: Ticket
    kind: str
    value: Any


class Worker(QObject):
    """Runs jobs one after another on a thread of its own and calls back on the thread that made it.

    Signals:
        busy_changed: whether any job is waiting or running.
    """

    busy_changed = Signal(bool)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: SimpleQueue[tuple[_Job, Ticket] | None] = SimpleQueue()
        self._wanted: dict[str, Ticket] = {}
        self._news = Coalescer(self)
        self._news.delivered.connect(self._pass_on)
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
        self._drop(key)
        job = _Job(key, work, done, failed, progressed)
        ticket = Ticket(
            lambda progress: self._news.post(_News(job, ticket, "progressed", progress))
        )
        self._wanted[key] = ticket
        self._queue.put((job, ticket))
        self.busy_changed.emit(True)

    def cancel(self, key: str) -> None:
        """Give up the job with this key; none of its callbacks is called any more."""
        self._drop(key)
        self.busy_changed.emit(bool(self._wanted))

    def busy(self) -> bool:
        """Whether any job is waiting or running."""
        return bool(self._wanted)

    def close(self) -> None:
        """Give everything up and wait for the thread, at most a second."""
        for key in list(self._wanted):
            self._drop(key)
        self._queue.put(None)
        self._thread.join(1.0)

    def _drop(self, key: str) -> None:
        ticket = self._wanted.pop(key, None)
        if ticket is not None:
            ticket.cancel()

    def _run(self) -> None:
        while (order := self._queue.get()) is not None:
            job, ticket = order
            if ticket.cancelled():
                continue
            try:
                news = _News(job, ticket, "done", job.work(ticket))
            except Cancelled:
                continue
            except Exception as error:
                news = _News(job, ticket, "failed", error)
            self._news.post(news)

    def _pass_on(self, batch: list[_News]) -> None:
        latest = {id(news.ticket): news for news in batch if news.kind == "progressed"}
        for news in batch:
            if news.kind == "progressed" and latest[id(news.ticket)] is not news:
                continue
            if self._wanted.get(news.job.key) is not news.ticket:
                continue
            if news.kind == "progressed":
                news.job.progressed(news.value)
                continue
            del self._wanted[news.job.key]
            (news.job.done if news.kind == "done" else news.job.failed)(news.value)
            self.busy_changed.emit(bool(self._wanted))
