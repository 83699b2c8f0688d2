"""A window without a screen, and its measures: ticks of its thread, frames of its views."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from inspector.bench.goal import percentile
from inspector.ui import theme
from inspector.ui.main_window import MainWindow

TICK = 0.01
"""Seconds from tick to tick of a thread that has nothing to do."""
_PATIENCE = 300.0
FRAMES = 60


def application() -> QApplication:
    """Return the application; nothing of it is seen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app)
    return app


def new_window(scratch: Path) -> MainWindow:
    """Return a window that has been painted, its charts loaded."""
    window = MainWindow(QSettings(str(scratch / "settings.ini"), QSettings.Format.IniFormat))
    window.resize(1200, 900)
    window.show()
    ticks(lambda: window.inspect.timeline.chart is not None)
    return window


class Ticks(NamedTuple):
    """What lay between the ticks of a timer, in seconds."""

    waited: list[float]
    worked: list[float]
    """Of it, what the thread computed itself; the rest it waited for other threads and programs."""

    def __add__(self, more: Ticks) -> Ticks:  # type: ignore[override]
        """Return these and those that came after them."""
        return Ticks(self.waited + more.waited, self.worked + more.worked)


def ticks(done: Callable[[], bool], longest: float = _PATIENCE) -> Ticks:
    """Return the ticks of the thread until something holds."""
    loop, timer = QEventLoop(), QTimer()
    times, works = [time.perf_counter()], [time.thread_time()]

    def tick() -> None:
        times.append(time.perf_counter())
        works.append(time.thread_time())
        if done() or times[-1] - times[0] > longest:
            loop.quit()

    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(int(TICK * 1000))
    loop.exec()
    timer.stop()
    return Ticks(np.diff(times).tolist(), np.diff(works).tolist())


def settle(seconds: float = 0.1) -> Ticks:
    """Return the ticks of a while in which nothing is asked for; what is shown gets painted."""
    return ticks(lambda: False, seconds)


def expose(widget: QWidget, width: int, height: int) -> None:
    """Show a widget in a size, and wait until it has been painted."""
    widget.resize(width, height)
    widget.show()
    settle()


def frames(*works: Callable[[int], object]) -> list[float]:
    """Return the seconds of a frame (p95) of each work; they take turns, to meet one machine.

    Args:
        works: Each paints its frame with a number, from 0 to `FRAMES` - 1.
    """
    found: list[list[float]] = [[] for _ in works]
    for at in range(FRAMES):
        for work, times in zip(works, found, strict=True):
            start = time.perf_counter()
            work(at)
            times.append(time.perf_counter() - start)
    return [percentile(times, 0.95) for times in found]


def scrolled(view: QAbstractScrollArea) -> Callable[[int], None]:
    """Return what paints a view further down with each frame."""

    def work(at: int) -> None:
        bar = view.verticalScrollBar()
        bar.setValue(bar.maximum() * at // FRAMES)
        view.viewport().repaint()

    return work
