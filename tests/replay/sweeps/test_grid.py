"""The grid of a sweep: values as they are written, combinations in order, samples."""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.replay.cases.case import CaseError
from inspector.replay.settings.edits import Edit
from inspector.replay.sweeps.grid import Axis, Grid, parse_axis


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("0.5:0.9:0.1", [0.5, 0.6, 0.7, 0.8, 0.9]),
        ("1:10:3", [1, 4, 7, 10]),
        ("1:9:3", [1, 4, 7]),
        ("10:1:-3", [10, 7, 4, 1]),
        ("5:5:1", [5]),
        ("1:2:0.5", [1.0, 1.5, 2.0]),
        ("1e3:2e3:500", [1000.0, 1500.0, 2000.0]),
        ("-2:2:2", [-2, 0, 2]),
        ("0.1,0.7", [0.1, 0.7]),
        ("7", [7]),
        ("a,b,a", ["a", "b"]),
        ("NaN,1", ["NaN", 1]),
        ("true,null,word,2", [True, None, "word", 2]),
        ('["x","y"],[]', [["x", "y"], []]),
        ("[" * 50_000, ["[" * 50_000]),
        ('"a,b",c', ['"a', 'b"', "c"]),
        ('"a,b","c"', ["a,b", "c"]),
        ("vendor/model:free,gpt-4o", ["vendor/model:free", "gpt-4o"]),
        ("log:1:1000:4", [1, 10, 100, 1000]),
        ("log:1:4:5", [1, 2, 3, 4]),
        ("log:0.01:1.0:3", [0.01, 0.1, 1.0]),
        ("log:8:1:4", [8, 4, 2, 1]),
    ],
)
def test_values_are_those_that_a_person_would_write(values: str, expected: list[Any]) -> None:
    axis = parse_axis(f"A.b={values}")
    assert axis == Axis("A.b", tuple(expected))
    assert list(map(type, axis.values)) == list(map(type, expected))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A.b", "expected NAME=VALUES"),
        ("A.b=", "expected NAME=VALUES"),
        ("A=1,2", "--vary A=1,2: A is no Processor.field"),
        ("A.b=1:2:0", "do not lead from 1 to 2"),
        ("A.b=1:2:-1", "do not lead"),
        ("A.b=1:2", "is neither"),
        ("A.b=1:x:1", "is neither"),
        ("A.b=1:2:1e999", "is neither"),
        (f"A.b=1:{10**2000}:1", "is neither"),
        ("A.b=0:1:1e-99", "values, 10,000 are allowed"),
        ("A.b=log:0:1:3", "must be positive"),
        ("A.b=log:1:2:1", "from 2 to"),
        ("A.b=log:1:2:99999999", "from 2 to"),
        ("A.b=log:1:2", "is neither"),
        ("A.b=1,,x", "between commas"),
    ],
)
def test_what_is_no_axis_is_refused_with_its_text(text: str, message: str) -> None:
    with pytest.raises(CaseError, match=message):
        parse_axis(text)


@given(
    st.decimals(-1000, 1000, places=3),
    st.decimals(Decimal("0.001"), 10, places=3),
    st.integers(0, 200),
)
def test_steps_add_up_as_decimals_do(start: Decimal, step: Decimal, count: int) -> None:
    stop = start + count * step
    values = parse_axis(f"A.b={start}:{stop}:{step}").values
    assert list(values) == [float(start + i * step) for i in range(count + 1)]


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 50))
def test_a_logarithmic_range_has_equal_ratios(start: float, stop: float, count: int) -> None:
    values = parse_axis(f"A.b=log:{start:.20f}:{stop:.20f}:{count}").values
    assert len(values) == count
    assert math.isclose(values[0], start, rel_tol=1e-9)
    assert math.isclose(values[-1], stop, rel_tol=1e-9)
    for a, b, c in zip(values, values[1:], values[2:], strict=False):
        assert math.isclose(b / a, c / b, rel_tol=1e-9)


def test_combinations_come_with_the_last_axis_turning_fastest() -> None:
    grid = Grid([Axis("A.b", (1, 2)), Axis("engine.c", ("x", "y"))])
    assert len(grid) == 4
    assert [[edit.value for edit in edits] for edits in grid.chosen()] == [
        [1, "x"],
        [1, "y"],
        [2, "x"],
        [2, "y"],
    ]
    assert grid.chosen()[0] == (Edit("A", "b", 1), Edit("engine", "c", "x"))
    assert grid.to_json() == {"A.b": [1, 2], "engine.c": ["x", "y"]}


def test_without_axes_the_case_itself_is_run() -> None:
    assert Grid().chosen() == [()]


def test_a_sample_is_the_same_each_time_and_of_a_huge_grid_no_burden() -> None:
    grid = Grid([Axis(f"A.f{i}", tuple(range(1000))) for i in range(5)])
    sample = grid.chosen(20)
    assert sample == grid.chosen(20)
    assert len(set(sample)) == 20
    assert sample == sorted(sample)
    assert Grid([Axis("A.b", (1, 2))]).chosen(9) == [(Edit("A", "b", 1),), (Edit("A", "b", 2),)]


def test_a_grid_too_large_asks_for_a_sample() -> None:
    grid = Grid([Axis("A.b", tuple(range(2000))), Axis("A.c", tuple(range(2000)))])
    with pytest.raises(CaseError, match="--sample N"):
        grid.chosen()


def test_an_axis_given_twice_is_refused() -> None:
    with pytest.raises(CaseError, match=r"A\.b is given twice"):
        Grid([Axis("A.b", (1,)), Axis("A.b", (2,))])
