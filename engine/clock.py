"""Time as a parameter, so that a replay waits for nothing and still looks like today."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now(self) -> float:
        """Return epoch seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after the given seconds have passed on this clock."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return epoch seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait for real."""
        await asyncio.sleep(seconds)


class VirtualClock:
    """A clock that moves by `sleep` and by a tick per reading, which keeps records in order."""

    def __init__(self, start: float, tick: float = 0.001) -> None:
        """Start at `start` epoch seconds; each reading adds `tick` seconds."""
        self._now = start
        self._tick = tick

    def now(self) -> float:
        """Return epoch seconds, later with every call."""
        self._now += self._tick
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Let the seconds pass at once."""
        self._now += seconds
