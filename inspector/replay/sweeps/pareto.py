"""The Pareto front: the points of which none other is better in one way and no worse in the other.

Sorted once, then passed over once: n log n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float]
"""Two figures of each of which less is better."""


def pareto_front(points: Sequence[Point]) -> list[int]:
    """Return the positions of the points on the front, rising; equal points are all on it."""
    front: list[int] = []
    best = math.inf
    last: Point | None = None
    for at in sorted(range(len(points)), key=points.__getitem__):
        if points[at][1] < best or points[at] == last:
            front.append(at)
            last = points[at]
            best = last[1]
    return sorted(front)
