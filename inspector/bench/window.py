"""The window, rendered offscreen: first rows, frames, filters, long texts, stalls while reading."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QEventLoop,
    QModelIndex,
    QPersistentModelIndex,
    QSettings,
    QSortFilterProxyModel,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTableView, QWidget

from inspector.bench.generators import write_checks
from inspector.bench.goal import Bench, Goal, best, compared, percentile, told
from inspector.trace.detail import SpanView, TraceMessage, Zone
from inspector.ui import theme
from inspector.ui.main_window import MainWindow
from inspector.ui.models.selection import EVERYTHING, Filter
from inspector.ui.widgets.ribbon import Ribbon
from inspector.ui.widgets.text_view import TextView

_PATIENCE = 300.0
_FRAMES = 60
_SMALL = 9_000_000
_STALL = 0.1
_TICK = 0.01


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the window on generated records."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app)
    small, large = bench.scratch / "small.jsonl", bench.scratch / "rows.jsonl"
    write_checks(small, _SMALL // 330)
    write_checks(large, bench.size.rows)
    window = _window(bench.scratch)
    idle = _ticks(lambda: False, 1.0)
    few, _ = _open(window, small)
    many, stalls = _open(window, large)
    large_bytes = large.stat().st_size
    yield compared(
        f"first rows of {large_bytes / 1e6:.0f} MB / of 9 MB", many, few, 2, "the small file"
    )
    usual, busy = percentile(idle, 0.99), percentile(stalls, 0.99)
    yield compared("tick p99 while reading / idle", busy, usual, 3, "an idle window")
    worst = percentile(stalls, 0.999) - _TICK
    yield Goal("UI stall p99.9 while reading / 100 ms", worst / _STALL, 1, told(worst))
    yield _frames(window)
    yield _filter(window)
    window.close()
    yield from _ribbon()
    yield _long_text()


def _window(scratch: Path) -> MainWindow:
    window = MainWindow(QSettings(str(scratch / "settings.ini"), QSettings.Format.IniFormat))
    window.resize(1200, 900)
    window.show()
    _until(lambda: window.inspect.timeline.chart is not None)
    return window


def _open(window: MainWindow, path: Path) -> tuple[float, list[float]]:
    """Return the seconds to a file's first rows, and those of each tick until all is read."""
    first: list[float] = []
    start = time.perf_counter()

    def painted() -> None:
        window.inspect.decisions.view.viewport().repaint()
        first.append(time.perf_counter() - start)

    connection = window.document.replaced.connect(painted)
    window.open([str(path)])
    ticks = _ticks(lambda: bool(first) and not window.document.reading, _PATIENCE)
    window.document.replaced.disconnect(connection)
    return first[0], ticks


def _ticks(done: Callable[[], bool], longest: float) -> list[float]:
    """Return the seconds between the ticks of a timer until something holds."""
    loop, timer = QEventLoop(), QTimer()
    times = [time.perf_counter()]

    def tick() -> None:
        times.append(time.perf_counter())
        if done() or times[-1] - times[0] > longest:
            loop.quit()

    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(int(_TICK * 1000))
    loop.exec()
    timer.stop()
    return np.diff(times).tolist()


def _settle() -> None:
    """Let a window be exposed; before that nothing is painted."""
    _ticks(lambda: False, 0.1)


def _until(condition: Callable[[], bool]) -> None:
    _ticks(condition, _PATIENCE)


class _Empty(QAbstractTableModel):
    """As many rows with nothing in them, or with a number each."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self._rows, self._columns = rows, columns

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._columns

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
        return None


class _PassesTenth(QSortFilterProxyModel):
    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        return row % 10 == 0


def _frames(window: MainWindow) -> Goal:
    ours = window.inspect.decisions.view
    plain = QTableView()
    model = _Empty(ours.model().rowCount(), ours.model().columnCount())
    plain.setModel(model)
    plain.verticalHeader().setDefaultSectionSize(theme.ROW)
    plain.resize(ours.size())
    plain.show()
    _settle()
    mine, theirs = (_frame(view) for view in (ours, plain))
    name = f"frame p95 of {model.rowCount():,} decisions / of an empty table"
    return compared(name, mine, theirs, 6, "an empty QTableView")


def _frame(view: QTableView) -> float:
    bar, found = view.verticalScrollBar(), []
    for at in range(_FRAMES):
        bar.setValue(bar.maximum() * at // _FRAMES)
        start = time.perf_counter()
        view.viewport().repaint()
        found.append(time.perf_counter() - start)
    return percentile(found, 0.95)


def _filter(window: MainWindow) -> Goal:
    selection, rows = window.selection, window.inspect.decisions.model.rowCount()
    tenth = Filter((1, max(rows // 30, 2)))

    def ours() -> None:
        selection.set_filter(EVERYTHING if selection.filter == tenth else tenth)
        window.inspect.decisions.view.viewport().repaint()

    proxy, source = _PassesTenth(), _Empty(rows, 1)

    def theirs() -> None:
        proxy.setSourceModel(source)
        proxy.rowCount()
        proxy.setSourceModel(None)  # type: ignore[arg-type]

    name = f"filter over {rows:,} rows / QSortFilterProxyModel"
    return compared(name, best(ours), best(theirs), 0.05, "a filter in Python")


class _Naive(QWidget):
    """The ribbon as one rectangle a message."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def draw(self, pixmap: QPixmap) -> None:
        """Paint every message."""
        painter, colour = QPainter(pixmap), QColor("#5b7db1")
        for at in range(self._count):
            painter.fillRect(at * pixmap.width() // self._count, 0, 1, pixmap.height(), colour)
        painter.end()


def _ribbon() -> Iterator[Goal]:
    few, many = (_ribbon_frame(count) for count in (1_000, 100_000))
    naive, pixmap = _Naive(100_000), QPixmap(1200, 60)
    plain = best(lambda: naive.draw(pixmap))
    yield compared("ribbon of 100,000 messages / one rectangle each", many, plain, 0.02, "fillRect")
    yield compared("ribbon of 100,000 messages / of 1,000", many, few, 3, "1,000 messages")


def _ribbon_frame(count: int) -> float:
    message, zones = TraceMessage(0, "tool", "x", 100), tuple[Zone, ...](["compress"] * count)
    ribbon = Ribbon()
    ribbon.resize(1200, 60)
    ribbon.show_span(SpanView((message,) * count, zones, ()))
    ribbon.show()
    _settle()
    found = best(ribbon.repaint, 20)
    ribbon.close()
    return found


def _long_text() -> Goal:
    text = '{"text": "' + "word " * 1_000_000 + '"}'
    views: list[QPlainTextEdit] = []

    def show(view: QPlainTextEdit, fill: Callable[[str], None]) -> float:
        views.append(view)
        view.resize(900, 600)
        view.show()
        _settle()

        def work() -> None:
            fill(text)
            view.viewport().repaint()

        return best(work, 1)

    ours, plain = TextView("text"), QPlainTextEdit()
    return compared(
        "open a line of 5 MB / QPlainTextEdit",
        show(ours, ours.show_text),
        show(plain, plain.setPlainText),
        0.05,
        "QPlainTextEdit",
    )
