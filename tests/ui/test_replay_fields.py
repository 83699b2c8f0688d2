"""What the fields of a chain show, and how a pixel becomes a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from engine.config import LARGEST_COUNT
from inspector.replay.settings.fields import SettingField
from inspector.ui import formats
from inspector.ui.models.replay.tables.assumption_list import told_possible, told_value
from inspector.ui.panels.replay.chain.capacity import tokens_of_position
from inspector.ui.widgets.fields.bar_slider import BarSlider
from inspector.ui.widgets.fields.number_field import CountField, RatioField


def field(kind: str = "ratio", **more: object) -> SettingField:
    values = {"value": 0.8, "default": 0.8, "provenance": "assumed"} | more
    return SettingField(owner="X", name="trigger_context_ratio", kind=kind, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.8, "0.80"), (0.62, "0.62"), (0.8125, "0.8125"), (1, "1.00"), (0.0000004, "0.00")],
)
def test_a_share_has_two_decimals_or_as_many_as_it_needs(value: float, written: str) -> None:
    assert formats.ratio(value) == written


@given(st.integers(0, 1_000_000))
def test_a_written_share_reads_back(millionths: int) -> None:
    value = millionths / 1_000_000
    assert float(formats.ratio(value)) == value


def test_values_are_written_as_a_form_shows_them() -> None:
    told = [told_value(value) for value in (None, True, False, 0.5, 4, "default\n\x1b")]
    assert told == ["none", "on", "off", "0.50", "4", "default \\x1b"]


def test_a_possible_range_is_told_once_where_it_is_one_value() -> None:
    assert told_possible(field()) == ""
    assert told_possible(field(possible=(0.8, 0.800042))) == "0.80 – 0.800042"
    assert told_possible(field("integer", possible=(2.0, 2.0))) == "2"


@pytest.mark.parametrize(
    ("base", "unit"), [(1, 1), (24, 1), (1_000, 20), (24_000, 500), (128_000, 5_000)]
)
def test_a_position_of_the_capacity_is_a_round_number(base: int, unit: int) -> None:
    assert tokens_of_position(base) == unit


@given(st.integers(1, 50_000_000))
def test_the_capacity_has_neither_too_few_nor_too_many_positions(base: int) -> None:
    positions = base / tokens_of_position(base)
    assert positions <= 62.5
    assert positions >= min(base, 25)


@given(st.integers(60, 900), st.integers(0, 50), st.integers(51, 400))
def test_the_ends_of_a_slider_are_its_bounds(width: int, low: int, high: int) -> None:
    slider = BarSlider("x")
    slider.setRange(low, high)
    slider.resize(width, 16)
    assert slider.value_at(-10) == slider.value_at(0) == low
    assert slider.value_at(width) == slider.value_at(width + 10) == high
    for value in (low, (low + high) // 2, high):
        if high - low <= width - 6:
            assert slider.value_at(slider.x_of(value)) == value


def test_the_wheel_passes_by_a_slider_without_the_focus(qtbot: QtBot) -> None:
    slider = BarSlider("x")
    qtbot.addWidget(slider)
    slider.setRange(0, 100)
    slider.setValue(50)
    slider.show()
    assert not slider.hasFocus()
    wheel(slider)
    assert slider.value() == 50
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    wheel(slider)
    assert slider.value() != 50


def wheel(slider: BarSlider) -> None:
    event = QWheelEvent(
        QPointF(20, 8),
        QPointF(20, 8),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QCoreApplication.sendEvent(slider, event)


def test_figures_are_written_alike_in_every_language(qtbot: QtBot) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        ratio, count = RatioField("ratio", 0, 1), CountField("count", 0, digits=9)
        for made in (ratio, count):
            qtbot.addWidget(made)
        ratio.setValue(0.62)
        count.setValue(24_000)
        assert (ratio.text(), count.text()) == ("0.62", "24,000")
        ratio.lineEdit().setText("0.55")
        ratio.interpretText()
        assert ratio.value() == 0.55
    finally:
        QLocale.setDefault(before)


def test_a_count_beyond_32_bits_is_shown_and_read_to_the_token(qtbot: QtBot) -> None:
    field = CountField("count", 0, digits=9)
    qtbot.addWidget(field)
    field.setValue(LARGEST_COUNT - 1)
    assert field.count() == LARGEST_COUNT - 1
    assert field.text().replace(",", "") == str(LARGEST_COUNT - 1)


def test_keys_stay_within_the_bounds_and_typing_does_not(qtbot: QtBot) -> None:
    ratio = RatioField("ratio", 0.01, 0.99)
    qtbot.addWidget(ratio)
    ratio.show()
    ratio.setValue(0.98)
    for _ in range(3):
        QTest.keyClick(ratio, Qt.Key.Key_Up)
    assert ratio.value() == 0.99
    QTest.keyClick(ratio, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(ratio, "62")
    assert ratio.value() == 62
