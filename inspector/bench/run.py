"""Runs every group and tells each goal as soon as it is measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from inspector.bench.goal import SIZES, Bench, Goal

GROUPS = ("index", "shapes", "tail", "texts", "engine", "replay", "window", "frames")
"""The groups of goals, one module each; a new one is registered here."""


def run(size: str, cases: Path | None, groups: tuple[str, ...] = GROUPS) -> Iterator[Goal]:
    """Measure the goals of these groups.

    Args:
        size: A name in `SIZES`.
        cases: A folder of speed cases.
        groups: Names in `GROUPS`.
    """
    for group in groups:
        with tempfile.TemporaryDirectory(prefix="context-inspector-bench-") as folder:
            measure: Callable[[Bench], Iterator[Goal]]
            measure = import_module(f"inspector.bench.{group}").goals
            yield from measure(Bench(SIZES[size], Path(folder), cases))


def told(goal: Goal) -> str:
    """Return a goal as a line."""
    verdict = {True: "met", False: "MISSED", None: "not measured"}[goal.met]
    sign = "≥" if goal.at_least else "≤"
    ratio = "–" if goal.ratio is None else f"{goal.ratio:.3g}"
    line = f"{verdict:12}  {ratio:>8} {sign} {goal.limit:<6g}  {goal.name}  ({goal.detail})"
    return line if goal.met or not goal.reason else f"{line}\n{'':14}{goal.reason}"
