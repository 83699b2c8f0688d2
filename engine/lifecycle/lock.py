"""The lock of a context: one at a time, and a long wait is told of (`engine.md` §4.7)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

_LOG = logging.getLogger(__name__)

REMINDER_SECONDS = 120.0
"""How long somebody waits before the log says so, and again each time."""


class ContextLock:
    """Lets one coroutine at a time change a context; nobody is ever turned away.

    A context may outlive an event loop: an agent may call `asyncio.run` for each turn.
    """

    def __init__(self) -> None:
        """Start free."""
        self._lock = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_taken(self) -> bool:
        """Whether somebody holds it."""
        return self._lock.locked()

    def held(self, waiter: str) -> _Held:
        """Return what holds the lock for an `async with` block, in the running event loop.

        Args:
            waiter: who wants it, for the log.
        """
        if self._loop is not None and self._loop.is_closed():
            self._lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        return _Held(self._lock, waiter)


@dataclass
class _Held:
    lock: asyncio.Lock
    waiter: str

    async def __aenter__(self) -> None:
        if not self.lock.locked():
            await self.lock.acquire()
            return
        reminder = asyncio.create_task(self._remind())
        try:
            await self.lock.acquire()
        finally:
            reminder.cancel()

    async def __aexit__(self, *exception: object) -> None:
        self.lock.release()

    async def _remind(self) -> None:
        waited = 0.0
        while True:
            await asyncio.sleep(REMINDER_SECONDS)
            waited += REMINDER_SECONDS
            _LOG.warning("%s has waited %.0f s for its context's lock", self.waiter, waited)
