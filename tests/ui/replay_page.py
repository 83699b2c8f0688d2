"""The Replay perspective at hand: opened on a case, waited for, and set with the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective
from inspector.ui.widgets.fields.bar_slider import BarSlider
from tests.ui.replay_cases import TRIGGER

LEFT = Qt.MouseButton.LeftButton

OpenCase = Callable[..., ReplayPerspective]
"""Opens a made-up case in the window and waits until its baseline has run."""


def replay_of(window: MainWindow) -> ReplayPerspective:
    return next(page for page in window.perspectives if isinstance(page, ReplayPerspective))


def settle(page: ReplayPerspective, qtbot: QtBot) -> None:
    """Wait until the last replay is shown and judged."""
    bench = page.bench
    qtbot.waitUntil(lambda: bench.progress is None and not bench.stale)
    qtbot.waitUntil(lambda: page.judge.result is not None)
    assert not page.judge.failure


def slider_of(page: ReplayPerspective, owner: str, name: str = TRIGGER) -> BarSlider:
    slider = page.chain.row(owner, name).slider
    assert slider is not None
    return slider


def limits(page: ReplayPerspective) -> dict[str, int]:
    """Return where each threshold stands in the chart, in tokens."""
    return {name: limit.tokens for name, limit in page.bench.settings.thresholds().items()}


def drag(slider: BarSlider, goal: int) -> None:
    """Take hold of a slider where it stands and pull it to a position, pixel by pixel."""
    y = slider.height() // 2
    start, end = round(slider.x_of(slider.value())), round(slider.x_of(goal))
    QTest.mousePress(slider, LEFT, pos=QPoint(start, y))
    step = 1 if end > start else -1
    for x in range(start, end + step, step):
        QTest.mouseMove(slider, QPoint(x, y))
    QTest.mouseRelease(slider, LEFT, pos=QPoint(end, y))
    assert slider.value() == goal
