"""Names in the margin of a chart: near their limits, and none over another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from inspector.ui.charts.limit_names import LimitName, LimitNames, spread
from inspector.ui.charts.step_box import Extent
from inspector.ui.charts.step_plot import StepPlot


@pytest.mark.parametrize(
    ("wanted", "heights", "room", "tops"),
    [
        ([10, 50], [16, 16], 100, [10, 50]),
        ([10, 12, 50], [16, 16, 16], 100, [10, 26, 50]),
        ([10, 12], [32, 16], 100, [10, 42]),
        ([-8, 90], [16, 16], 100, [0, 84]),
        ([80, 82, 84], [16, 16, 16], 100, [52, 68, 84]),
        ([], [], 100, []),
    ],
)
def test_names_stay_near_where_they_are_wanted(
    wanted: list[float], heights: list[float], room: float, tops: list[float]
) -> None:
    assert spread(wanted, heights, room) == tops


@given(st.lists(st.floats(-50, 250), max_size=8))
def test_no_name_covers_another_nor_leaves_the_margin(wanted: list[float]) -> None:
    tops = spread(sorted(wanted), [20.0] * len(wanted), 200)
    assert all(below - above >= 20 - 1e-9 for above, below in pairwise(tops))
    assert all(-1e-9 <= top <= 180 + 1e-9 for top in tops)


def test_a_long_name_goes_on_in_the_next_line_and_a_long_word_is_cut(qtbot: QtBot) -> None:
    plot = StepPlot("Chart", movable=False)
    qtbot.addWidget(plot)
    plot.resize(600, 200)
    plot.show_extent(Extent(1, 10, 100))
    names: LimitNames = plot.plot.getAxis("right")
    words = LimitName("Dialogue, CurrentRound, RoundLevel 0.8", 80, "compress")
    names.show_names([words, LimitName("W" * 500, 40, "tail")])
    long, word = names.areas()
    assert long.height() > 1.5 * word.height()
    assert not long.intersects(word)
