"""The grid of a sweep: which settings take which values, and which combinations are run.

An axis is written `NAME=VALUES`, names as in `--set`. VALUES are

- `start:stop:step`, stop included when a whole number of steps leads there: `0.5:0.9:0.1`;
- `a,b,c`: each is JSON, else a bare string;
- `log:start:stop:count`: so many values with equal ratios, both ends included.

Values are those that a person would write: steps are added as fractions, so 0.1 + 0.2 is 0.3, and
where start, stop and step are whole numbers the values are too (`log` rounds them and drops what
comes twice). Combinations are counted, not listed, so a sample of a huge grid costs what it holds.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from inspector.replay.cases.case import CaseError
from inspector.replay.settings.edits import Edit

LONGEST_AXIS: Final = 10_000
"""Values of one axis at most."""

LARGEST_GRID: Final = 1_000_000
"""Combinations that are run at most; a larger grid needs a sample."""

_NUMBER = r"[+-]?(?:\d{1,99}\.?\d{0,99}|\.\d{1,99})(?:[eE][+-]?\d{1,2})?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER}):({_NUMBER})")
_LOG = re.compile(rf"log:({_NUMBER}):({_NUMBER}):(\d{{1,9}})")


class Axis(NamedTuple):
    """A setting and the values that it takes."""

    name: str
    """`Processor.field` or `engine.field`."""
    values: tuple[Any, ...]


Combination = tuple[Edit, ...]
"""A value for each axis."""


class Grid:
    """All combinations of the values of some axes; without axes there is one, the empty one.

    Attributes:
        axes: the axes, in the order given.
    """

    def __init__(self, axes: Sequence[Axis] = ()) -> None:
        """Take the axes.

        Raises:
            CaseError: two of them have the same name.
        """
        self.axes = tuple(axes)
        names = [axis.name for axis in axes]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise CaseError(f"--vary {twice} is given twice; name all its values in one")

    def __len__(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    def combination(self, position: int) -> Combination:
        """Return the combination at a position; the last axis turns fastest."""
        edits = []
        for axis in reversed(self.axes):
            position, at = divmod(position, len(axis.values))
            owner, _, field = axis.name.partition(".")
            edits.append(Edit(owner, field, axis.values[at]))
        return tuple(reversed(edits))

    def chosen(self, sample: int | None = None) -> list[Combination]:
        """Return all combinations, or a sample that is the same each time, in the grid's order.

        Raises:
            CaseError: they are too many.
        """
        total = len(self)
        wanted = total if sample is None else min(sample, total)
        if wanted > LARGEST_GRID:
            raise CaseError(
                f"the grid has {total:,} combinations and {LARGEST_GRID:,} are run at most: "
                "name fewer values, or --sample N"
            )
        if wanted == total:
            return [self.combination(at) for at in range(total)]
        return [
            self.combination(at) for at in sorted(random.Random(0).sample(range(total), wanted))
        ]

    def to_json(self) -> dict[str, list[Any]]:
        """Return the values by name."""
        return {axis.name: list(axis.values) for axis in self.axes}


def parse_axis(text: str) -> Axis:
    """Return the axis that `NAME=VALUES` describes.

    Raises:
        CaseError: the text has another form, or there are no values or too many.
    """
    name, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise CaseError(
            f"--vary {text}: expected NAME=VALUES with VALUES as start:stop:step, a,b,c "
            "or log:start:stop:count"
        )
    owner, dot, field = name.strip().partition(".")
    if not (owner and dot and field):
        raise CaseError(f"--vary {text}: {name} is no Processor.field nor engine.field")
    found = tuple(_values(text, values.strip()))
    if len(found) > LONGEST_AXIS:
        raise CaseError(f"--vary {text}: has {len(found):,} values, {LONGEST_AXIS:,} are allowed")
    return Axis(f"{owner}.{field}", found)


def _values(text: str, values: str) -> Sequence[Any]:
    if match := _RANGE.fullmatch(values):
        return _steps(text, *match.groups())
    if match := _LOG.fullmatch(values):
        return _ratios(text, *match.groups())
    if values.startswith("log:") or re.match(rf"{_NUMBER}:", values):
        raise CaseError(
            f"--vary {text}: {values} is neither start:stop:step nor log:start:stop:count"
        )
    return _listed(text, values)


def _steps(text: str, start: str, stop: str, step: str) -> Sequence[Any]:
    first, last, by = Fraction(start), Fraction(stop), Fraction(step)
    if by == 0 or (last - first) / by < 0:
        raise CaseError(f"--vary {text}: steps of {step} do not lead from {start} to {stop}")
    count = int((last - first) / by) + 1
    if count > LONGEST_AXIS:
        raise CaseError(f"--vary {text}: has {count:,} values, {LONGEST_AXIS:,} are allowed")
    whole = _whole(start, stop, step)
    return [int(value) if whole else float(value) for value in _series(first, by, count)]


def _series(first: Fraction, by: Fraction, count: int) -> Iterator[Fraction]:
    return (first + by * at for at in range(count))


def _ratios(text: str, start: str, stop: str, count: str) -> Sequence[Any]:
    first, last, wanted = float(start), float(stop), int(count)
    if first <= 0 or last <= 0:
        raise CaseError(f"--vary {text}: both ends of a logarithmic range must be positive")
    if not 2 <= wanted <= LONGEST_AXIS:
        raise CaseError(f"--vary {text}: a logarithmic range has from 2 to {LONGEST_AXIS:,} values")
    ratio = math.log(last / first) / (wanted - 1)
    between = [first * math.exp(ratio * at) for at in range(1, wanted - 1)]
    if _whole(start, stop):
        return list(dict.fromkeys([int(first), *map(round, between), int(last)]))
    return [first, *(float(f"{value:.12g}") for value in between), last]


def _listed(text: str, values: str) -> Sequence[Any]:
    try:
        listed: list[Any] = json.loads(f"[{values}]", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        words = [word.strip() for word in values.split(",")]
        if not all(words):
            raise CaseError(f"--vary {text}: a value between commas is missing") from None
        listed = [_read(word) for word in words]
    distinct = {json.dumps(value, sort_keys=True): value for value in listed}
    return list(distinct.values())


def _read(word: str) -> Any:
    try:
        return json.loads(word, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return word


def _no_constant(name: str) -> None:
    """Refuse `NaN` and `Infinity`, which JSON does not have: they are words like any other."""
    raise ValueError(name)


def _whole(*numbers: str) -> bool:
    return all(re.fullmatch(r"[+-]?\d+", number) for number in numbers)
