"""A goal, and what was measured for it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

MEGA = 1_000_000


@dataclass(frozen=True)
class Size:
    """How large the input of a run is."""

    name: str
    bytes: int
    """Of the large file of records."""
    rows: int
    """Decisions in the table, messages in the ribbon at a tenth of it."""
    files: int
    """Files of the large tree."""
    messages: int
    """Of the longest generated conversation."""


SIZES = {
    size.name: size
    for size in (
        Size("small", 30 * MEGA, 50_000, 500, 1_000),
        Size("moderate", 200 * MEGA, 300_000, 2_000, 2_000),
        Size("full", 1_000 * MEGA, 3_000_000, 10_000, 8_000),
    )
}


@dataclass(frozen=True)
class Bench:
    """What the groups work with."""

    size: Size
    scratch: Path
    """An empty folder that is removed afterwards."""
    cases: Path | None = None
    """A folder of speed cases."""


@dataclass(frozen=True)
class Goal:
    """One goal: a measured ratio against its limit."""

    name: str
    ratio: float | None
    """None: not measured."""
    limit: float
    detail: str
    """Both sides as measured, or why there is nothing."""
    at_least: bool = False
    """The ratio has to reach the limit instead of staying below it."""
    reason: str = ""
    """Why it may be missed, and what would be tried next."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None where nothing was measured."""
        if self.ratio is None:
            return None
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit


def compared(
    name: str, ours: float, theirs: float, limit: float, peer: str, reason: str = ""
) -> Goal:
    """Return the goal that `ours` seconds stay below a share of a peer's."""
    detail = f"{told(ours)} against {told(theirs)} of {peer}"
    return Goal(name, ours / theirs, limit, detail, reason=reason)


def missing(name: str, limit: float, why: str, reason: str = "") -> Goal:
    """Return a goal that cannot be measured here."""
    return Goal(name, None, limit, why, reason=reason)


def told(seconds: float) -> str:
    """Return a time for people."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def best(work: Callable[[], object], times: int = 3) -> float:
    """Return the shortest time in seconds that some work takes."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def rivals(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 3
) -> tuple[float, float]:
    """Return the shortest time in seconds of two works in turn, so that both meet one machine."""
    pairs = [(best(ours, 1), best(theirs, 1)) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    return statistics.quantiles(values, n=1000, method="inclusive")[min(int(share * 1000), 999) - 1]
