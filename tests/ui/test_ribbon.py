"""The ribbon: widths by tokens, what is lit, what was pointed at."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.trace.detail import SpanView
from inspector.ui import theme
from inspector.ui.widgets.plots.ribbon import Ribbon, zone_stretches
from inspector.ui.widgets.plots.ribbon_layout import RibbonLayout
from tests.ui.fake_trace import SPAN, message

MIDDLE = 28
"""Height within the cells."""


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300), st.integers(1, 3_000))
def test_cells_fill_the_width_in_order(tokens: list[int], width: int) -> None:
    layout = RibbonLayout.of(tokens, width)
    assert len(layout) == len(tokens)
    assert layout.edges[0] == 0
    assert layout.edges[-1] == pytest.approx(width)
    assert all(layout.at(layout.middle(at)) == at for at in range(len(tokens)))
    widths = [layout.span(at, at + 1) for at in range(len(tokens))]
    assert all(right > left for left, right in widths)


def test_more_tokens_are_wider() -> None:
    layout = RibbonLayout.of([10, 1_000, 100], 600)
    sizes = [right - left for left, right in (layout.span(at, at + 1) for at in range(3))]
    assert sizes[1] > sizes[2] > sizes[0] >= 3


def test_beside_the_ribbon_is_no_message() -> None:
    layout = RibbonLayout.of([1, 2], 100)
    assert layout.at(-1) is layout.at(100) is RibbonLayout.of([], 100).at(5) is None


def test_a_crowded_ribbon_has_a_message_at_each_pixel() -> None:
    columns = RibbonLayout.of([5] * 100_000, 1_000).columns()
    assert len(columns) == 1_000
    assert columns[0] < columns[500] < columns[-1] < 100_000


def test_stretches_of_zones() -> None:
    assert zone_stretches(SPAN.zones) == [("prefix", 0, 1), ("compress", 1, 4), ("tail", 4, 7)]


@pytest.fixture
def ribbon(qtbot: QtBot) -> Ribbon:
    made = Ribbon()
    qtbot.addWidget(made)
    made.resize(800, made.sizeHint().height())
    with qtbot.waitExposed(made):
        made.show()
    return made


def middles(span: SpanView, width: int) -> list[int]:
    layout = RibbonLayout.of([each.tokens for each in span.messages], width)
    return [int(layout.middle(at)) for at in range(len(layout))]


def colour_at(ribbon: Ribbon, x: int) -> QColor:
    return ribbon.grab().toImage().pixelColor(x, MIDDLE)


def test_zones_have_their_colours(ribbon: Ribbon) -> None:
    ribbon.show_span(SPAN)
    chosen = theme.colours(ribbon.palette())
    at = middles(SPAN, 800)
    assert colour_at(ribbon, at[0]).name() == chosen.prefix
    assert colour_at(ribbon, at[2]).name() == chosen.compress
    assert colour_at(ribbon, at[5]).name() == chosen.tail


def test_lighting_dims_the_others(ribbon: Ribbon) -> None:
    ribbon.show_span(SPAN)
    at = middles(SPAN, 800)
    before = colour_at(ribbon, at[5])
    ribbon.light(frozenset({1, 2}), 1)
    assert colour_at(ribbon, at[2]).name() == theme.colours(ribbon.palette()).compress
    assert colour_at(ribbon, at[5]) != before


def test_pointing_and_clicking_name_the_message(ribbon: Ribbon, qtbot: QtBot) -> None:
    ribbon.show_span(SPAN)
    at = middles(SPAN, 800)
    with qtbot.waitSignal(ribbon.hovered) as hovered:
        QTest.mouseMove(ribbon, QPoint(at[2], MIDDLE))
    assert hovered.args == [2]
    with qtbot.waitSignal(ribbon.chosen) as chosen:
        QTest.mouseClick(ribbon, Qt.MouseButton.LeftButton, pos=QPoint(at[5], MIDDLE))
    assert chosen.args == [5]


def test_arrow_keys_walk_and_stop_at_the_ends(ribbon: Ribbon) -> None:
    ribbon.show_span(SPAN)
    ribbon.chosen.connect(lambda row: ribbon.light(frozenset(), row))
    seen: list[int] = []
    ribbon.chosen.connect(seen.append)
    for key in [Qt.Key.Key_Right] * 8 + [Qt.Key.Key_Left]:
        QTest.keyClick(ribbon, key)
    assert seen == [0, 1, 2, 3, 4, 5, 6, 6, 5]


def test_a_hundred_thousand_messages_are_painted(ribbon: Ribbon) -> None:
    many = (message(0, "tool", "x", 3),) * 100_000
    ribbon.show_span(SpanView(many, ("compress",) * 50_000 + ("tail",) * 50_000, ()))
    chosen = theme.colours(ribbon.palette())
    assert colour_at(ribbon, 200).name() == chosen.compress
    assert colour_at(ribbon, 600).name() == chosen.tail


def test_a_span_without_messages_paints_nothing(ribbon: Ribbon) -> None:
    ribbon.show_span(dataclasses.replace(SPAN, messages=(), zones=(), ties=()))
    assert colour_at(ribbon, 100).name() == theme.colours(ribbon.palette()).surface
