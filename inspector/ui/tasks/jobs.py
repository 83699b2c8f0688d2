"""Jobs by key, whoever runs them: newer ones supersede older ones, callbacks come to the UI thread.

A job has a key. A newer job with the same key supersedes an older one: it is told to stop through
its `Ticket`, and nothing that it still says is passed on. So a user who steps quickly through
decisions, or moves a slider, waits for the last one only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject

from inspector.ui.tasks.coalescer import Coalescer


class Cancelled(Exception):
    """Raised inside a job that was told to stop."""


class Ticket:
    """What a running job knows of its order: whether it is wanted, and where to tell progress."""

    def __init__(self, report: Callable[[Ticket, object], None]) -> None:
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
        self._report(self, progress)


@dataclass(frozen=True)
class Job:
    """Work with the callbacks that wait for it."""

    key: str
    work: Callable[[Ticket], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    progressed: Callable[[Any], None]


@dataclass(frozen=True)
class _News:
    job: Job
    ticket: Ticket
    kind: str
    value: Any


class JobDesk(QObject):
    """Takes orders and passes on what comes of them; a subclass says where they run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: dict[str, Ticket] = {}
        self._news = Coalescer(self)
        self._news.delivered.connect(self._pass_on)

    def cancel(self, key: str) -> None:
        """Give up the job with this key; none of its callbacks is called any more."""
        ticket = self._wanted.pop(key, None)
        if ticket is not None:
            ticket.cancel()

    def busy(self) -> bool:
        """Whether any job is waiting or running."""
        return bool(self._wanted)

    def order(
        self,
        key: str,
        work: Callable[[Ticket], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        progressed: Callable[[Any], None],
    ) -> tuple[Job, Ticket]:
        """Write a job down in place of any earlier one with the same key."""
        self.cancel(key)
        job = Job(key, work, done, failed, progressed)
        ticket = Ticket(lambda ticket, told: self._post(job, ticket, "progressed", told))
        self._wanted[key] = ticket
        return job, ticket

    def finish(self, job: Job, ticket: Ticket, value: object) -> None:
        """Hand over a result; may be called from any thread."""
        self._post(job, ticket, "done", value)

    def fail(self, job: Job, ticket: Ticket, error: Exception) -> None:
        """Hand over what ended the work; may be called from any thread."""
        self._post(job, ticket, "failed", error)

    def cancel_all(self) -> None:
        """Give everything up."""
        for key in list(self._wanted):
            self.cancel(key)

    def _post(self, job: Job, ticket: Ticket, kind: str, value: object) -> None:
        if not ticket.cancelled():
            self._news.post(_News(job, ticket, kind, value))

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
