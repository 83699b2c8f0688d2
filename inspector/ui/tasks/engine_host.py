"""The engine's thread: one asyncio loop, on which replays and model calls run.

A coroutine that is superseded is told so through its ticket, which a replay asks between steps, and
is cancelled where it waits. Replays of one key never overlap: a newer one starts when the older one
has let go.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from inspector.ui.tasks.jobs import Cancelled, Job, JobDesk, Ticket

T = TypeVar("T")

_TURN = 0.0002
"""Seconds that another thread computes before the window may have its turn. Python's own 5 ms make
it stutter, as any call into Qt may have to wait so long (measured while a conversation is replayed,
worst of 1,000 waits: 105 ms with turns of 1 ms, 60 ms with these, at the same speed)."""


class EngineHost(JobDesk):
    """Runs coroutines on a loop in a thread of its own; calls back on the thread that made it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(_TURN)
        self._loop = asyncio.new_event_loop()
        self._running: dict[str, Future[None]] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def submit(
        self,
        key: str,
        work: Callable[[Ticket], Coroutine[Any, Any, T]],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        progressed: Callable[[Any], None] = lambda _: None,
    ) -> None:
        """Start a coroutine in place of any earlier one with the same key.

        After closing nothing is started any more.

        Args:
            key: What the job is about.
            work: Makes the coroutine, on the loop's thread.
            done: Gets the result.
            failed: Gets the exception that ended the work.
            progressed: Gets the latest of what the work reported.
        """
        if not self._thread.is_alive():
            return
        job, ticket = self.order(key, work, done, failed, progressed)
        self._running[key] = asyncio.run_coroutine_threadsafe(self._carry(job, ticket), self._loop)

    def cancel(self, key: str) -> None:
        """Give up the job with this key, and what it waits for."""
        super().cancel(key)
        future = self._running.pop(key, None)
        if future is not None:
            future.cancel()

    def close(self) -> None:
        """Give everything up and wait for the thread, at most two seconds."""
        if self._thread.is_alive():
            self.cancel_all()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(2.0)

    async def _carry(self, job: Job, ticket: Ticket) -> None:
        async with self._turns[job.key]:
            if ticket.cancelled():
                return
            try:
                self.finish(job, ticket, await job.work(ticket))
            except Cancelled:
                return
            except Exception as error:
                self.fail(job, ticket, error)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()
