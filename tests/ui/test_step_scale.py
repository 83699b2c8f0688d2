"""The mapping between steps and pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.charts.step_scale import StepScale, ticks


@pytest.mark.parametrize(
    ("first", "last", "width", "step", "x"),
    [
        (1, 101, 1_000, 1, 0),
        (1, 101, 1_000, 101, 1_000),
        (1, 101, 1_000, 51, 500),
        (0.5, 10.5, 200, 3, 50),
        (7, 7, 300, 7, 150),
    ],
)
def test_a_step_has_a_pixel(first: float, last: float, width: float, step: int, x: float) -> None:
    assert StepScale(first, last, width).x_of(step) == pytest.approx(x)


@pytest.mark.parametrize(
    ("x", "step"), [(-50, 1), (0, 1), (4, 1), (6, 2), (500, 51), (1_000, 101), (2_000, 101)]
)
def test_a_pixel_has_the_nearest_step(x: float, step: int) -> None:
    assert StepScale(1, 101, 1_000).step_at(x) == step


def test_a_stretch_may_be_drawn_backwards() -> None:
    scale = StepScale(1, 101, 1_000)
    assert scale.steps_between(600, 200) == scale.steps_between(200, 600) == (21, 61)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(10, 4_000), st.data())
def test_there_and_back(first: int, extent: int, width: int, data: st.DataObject) -> None:
    scale = StepScale(first, first + extent, width)
    step = data.draw(st.integers(first, first + extent))
    assert scale.step_at(scale.x_of(step)) == step


def test_all_marks_stay_where_there_is_room() -> None:
    steps = np.arange(10, 20)
    assert StepScale(1, 101, 1_000).thinned(steps, 10).tolist() == list(range(10))


def test_crowded_marks_are_thinned_to_the_width() -> None:
    kept = StepScale(1, 1_000_000, 1_000).thinned(np.arange(1, 1_000_001), 10)
    assert 90 <= len(kept) <= 101


def test_moving_the_view_keeps_the_same_marks() -> None:
    steps = np.arange(1, 10_001)
    one = set(StepScale(1, 5_001, 500).thinned(steps, 10).tolist())
    other = set(StepScale(38, 5_038, 500).thinned(steps, 10).tolist())
    inside = {at for at in one if 200 <= at <= 4_800}
    assert inside == {at for at in other if 200 <= at <= 4_800}


def test_marks_out_of_sight_are_left_out() -> None:
    assert StepScale(50, 60, 500).thinned(np.array([1, 55, 99]), 5).tolist() == [1]


def test_the_envelope_keeps_ends_and_extremes_of_each_pixel() -> None:
    scale = StepScale(0, 10, 10)
    steps = np.array([0.0, 0.2, 0.4, 0.9, 1.1, 1.2, 5.0])
    values = np.array([5.0, 9.0, 1.0, 4.0, 2.0, 3.0, np.nan])
    x, y = scale.envelope(steps, values)
    assert x.tolist() == [0.0] * 4 + [1.1] * 4 + [5.0] * 4
    np.testing.assert_array_equal(y, [5, 1, 9, 4, 2, 2, 3, 3, *4 * [np.nan]])


def test_a_line_in_sight_reaches_beyond_the_edges() -> None:
    steps = np.arange(100.0)
    x, _ = StepScale(20, 30, 500).seen(steps, steps)
    assert x.tolist() == [*range(19, 31)]


@given(st.integers(1, 200), st.integers(10, 3_000), st.integers(0, 2**32 - 1))
def test_the_envelope_reaches_as_high_and_low_as_the_line(
    width: int, count: int, seed: int
) -> None:
    values = np.random.default_rng(seed).normal(size=count)
    _, y = StepScale(0, count, width).envelope(np.arange(float(count)), values)
    assert (y.min(), y.max()) == (values.min(), values.max())
    assert (y[0], y[-1]) == (values[0], values[-1])
    assert len(y) <= 4 * (width + 1)


@pytest.mark.parametrize(
    ("low", "high", "most", "spacing", "figures"),
    [
        (0, 24_000, 6, 5_000, [0, 5_000, 10_000, 15_000, 20_000]),
        (0, 24_000, 100, 500, [500 * at for at in range(49)]),
        (0.4, 1.6, 10, 1, [1]),
        (1, 198, 12, 20, [20, 40, 60, 80, 100, 120, 140, 160, 180]),
        (7, 7, 3, 1, [7]),
        (0, 1_000_000, 0.5, 1_000_000, [0, 1_000_000]),
    ],
)
def test_figures_of_an_axis(
    low: float, high: float, most: float, spacing: int, figures: list[float]
) -> None:
    assert ticks(low, high, most) == (spacing, figures)
