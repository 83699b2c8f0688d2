"""What a sweep or a study came to so far, as rows to be shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.replay.sweeps.grid import Axis
from inspector.replay.sweeps.study import STRATEGIES, StudySweep
from inspector.replay.sweeps.sweep import Sweep, SweepResult, SweepRow
from inspector.replay.sweeps.sweep import smallest as smallest_rows
from inspector.ui.models.replay.settings.setup import Link, preset

STUDY_NAMES = ("conversation", "strategy", "acts at")


@dataclass(frozen=True)
class SweptRow:
    """A combination with its figures."""

    labels: tuple[str, ...]
    """What was set, as it is written."""
    figures: SweepRow
    settings: dict[str, Any]
    """Values by `Processor.field`; empty in a study."""
    chain: tuple[Link, ...] | None = None
    """The whole chain, in a study."""
    cheapest: bool = False
    """None of the same case costs less and retains more."""
    smallest: bool = False
    """None has a lower peak and sends fewer tokens."""
    conversation: str = ""
    """Rows of one conversation are compared with each other."""


@dataclass(frozen=True)
class Swept:
    """All rows."""

    names: tuple[str, ...]
    """Of the labels."""
    rows: tuple[SweptRow, ...]
    axes: tuple[Axis, ...]
    failed: tuple[str, ...]
    """Why combinations have no figures."""
    currency: str
    rows_per_second: float | None
    result: SweepResult

    @property
    def mapped(self) -> bool:
        """Whether the rows make a map: two settings of one conversation."""
        return len(self.axes) == 2 and len({row.conversation for row in self.rows}) == 1


def rows_of_sweep(sweep: Sweep) -> Swept:
    """Return the rows of a sweep so far; with several cases each says of which it is."""
    result, axes = sweep.result(), sweep.grid.axes
    cheapest, smallest = set(result.pareto), set(result.pareto_size)
    names = tuple(axis.name for axis in axes)
    several = len(sweep.cases) > 1
    rows = (
        SweptRow(
            labels=(*([row.case] if several else ()), *(told(row.settings[n]) for n in names)),
            figures=row,
            settings=row.settings,
            cheapest=at in cheapest,
            smallest=at in smallest,
            conversation=row.case,
        )
        for at, row in enumerate(result.rows)
    )
    return _swept(("case", *names) if several else names, rows, axes, result)


def rows_of_study(sweep: StudySweep) -> Swept:
    """Return the rows of a study so far."""
    study, result = sweep.study(), sweep.result()
    chains = {strategy.name: strategy.chain for strategy in STRATEGIES}
    compared = (row.row.model_copy(update={"case": row.conversation}) for row in study.rows)
    smallest, best = set(smallest_rows(list(compared))), set(study.best)
    rows = (
        SweptRow(
            labels=(
                row.conversation,
                row.strategy,
                "" if row.trigger is None else f"{row.trigger:g}",
            ),
            figures=row.row,
            settings={},
            chain=preset(chains[row.strategy](row.trigger or 1)),
            cheapest=at in best,
            smallest=at in smallest,
            conversation=row.conversation,
        )
        for at, row in enumerate(study.rows)
    )
    return _swept(STUDY_NAMES, rows, (), result)


def told(value: object) -> str:
    """Return a value as it is written in a row."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _swept(
    names: tuple[str, ...], rows: Iterable[SweptRow], axes: Sequence[Axis], result: SweepResult
) -> Swept:
    failed = tuple(
        f"{', '.join(f'{name} = {told(value)}' for name, value in row.settings.items())}: "
        f"{row.reason}"
        for row in result.failed
    )
    return Swept(
        names, tuple(rows), tuple(axes), failed, result.currency, result.rows_per_second, result
    )
