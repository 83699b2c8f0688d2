"""Two sets of colours that can be read, and fonts whose figures line up."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication

from inspector.ui import theme
from inspector.ui.theme import DARK, LIGHT, Colours


def luminance(name: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts: list[float] = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in QColor(name).getRgbF()[:3]  # type: ignore[index]
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("chosen", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("ground", ["surface", "raised", "selection"])
def test_text_can_be_read_on_every_ground(chosen: Colours, ground: str) -> None:
    assert contrast(chosen.text, getattr(chosen, ground)) >= 7
    assert contrast(chosen.muted, getattr(chosen, ground)) >= 3.5


@pytest.mark.parametrize("chosen", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("tone", ["prefix", "compress", "tail", "summary", "failure", "better"])
def test_colours_that_mean_something_stand_out(chosen: Colours, tone: str) -> None:
    assert contrast(getattr(chosen, tone), chosen.surface) >= 3
    assert contrast(chosen.on_zone, getattr(chosen, tone)) >= 3


def test_the_application_is_dressed_and_undressed(qapp: QApplication) -> None:
    theme.choose(Qt.ColorScheme.Dark)
    assert theme.colours(qapp.palette()) is DARK
    assert DARK.surface in qapp.styleSheet()
    theme.choose(Qt.ColorScheme.Light)
    assert theme.colours(qapp.palette()) is LIGHT
    assert qapp.palette().color(QPalette.ColorRole.Highlight).name() == LIGHT.selection


def test_figures_have_one_width(qapp: QApplication) -> None:
    for font in (theme.interface_font(), theme.content_font()):
        metrics = QFontMetricsF(font)
        assert len({round(metrics.horizontalAdvance(digit), 3) for digit in "0123456789"}) == 1
