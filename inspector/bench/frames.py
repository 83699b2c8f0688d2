"""What is painted: lists, the timeline, the ribbon, a filter at work, a line of 5 MB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QSortFilterProxyModel,
)
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QPlainTextEdit, QTableView

from inspector.bench.generators import write_checks
from inspector.bench.goal import Bench, Goal, best, compared, rivals
from inspector.bench.screen import application, expose, frames, scrolled
from inspector.trace.detail import SpanView, TraceMessage, Zone
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording
from inspector.ui import theme
from inspector.ui.charts.timeline_data import timeline_data
from inspector.ui.models.decision_table import DecisionTableModel
from inspector.ui.models.selection import EVERYTHING, Filter, Selection
from inspector.ui.widgets.plots.ribbon import Ribbon
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.text_view import TextView

_SIZE = (1200, 900)
_STRIP = (1200, 60)
_CHART = (1200, 240)
_ROWS = 1_000_000
_MANY, _FEW = 100_000, 1_000
"""Messages of a ribbon, steps of a timeline."""
_CHAIN = 3
"""Decisions of a step."""
_LINE = 5_000_000
"""Characters."""
_INK = "#5b7db1"


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure what is painted."""
    application()
    rows = _ROWS if bench.size.name == "full" else bench.size.rows
    yield from _list(_trace(bench.scratch, rows))
    yield from _timeline(bench.scratch)
    yield from _ribbon()
    yield _long_line()


def _trace(scratch: Path, decisions: int) -> Recording:
    path = scratch / f"{decisions}.jsonl"
    write_checks(path, decisions)
    return open_traces([path]).traces[0]


def _list(trace: Recording) -> Iterator[Goal]:
    """Measure the list that decisions, messages and records have in common, and its filter."""
    selection = Selection()
    selection.reset(trace)
    model = DecisionTableModel(selection)
    model.relist()
    rows = model.row_count()
    ours, plain = RowView(model, "Decisions"), QTableView()
    empty = _Empty(rows, model.columnCount())
    plain.setModel(empty)
    plain.verticalHeader().setDefaultSectionSize(theme.ROW)
    for view in (ours, plain):
        expose(view, *_SIZE)
    mine, theirs = frames(scrolled(ours), scrolled(plain))
    name = f"frame p95 of a list of {rows:,} decisions / of an empty table"
    yield compared(name, mine, theirs, 2.5, "an empty QTableView", _TABLE)

    def filtered() -> None:
        tenth = Filter((1, max(rows // 30, 2)))
        selection.set_filter(EVERYTHING if selection.filter == tenth else tenth)
        ours.viewport().repaint()

    proxy = _PassesTenth()

    def proxied() -> None:
        proxy.setSourceModel(empty)
        proxy.rowCount()
        proxy.setSourceModel(None)  # type: ignore[arg-type]

    name = f"filter over {rows:,} rows / QSortFilterProxyModel"
    yield compared(name, *rivals(filtered, proxied), 0.05, "a filter in Python")


def _timeline(scratch: Path) -> Iterator[Goal]:
    """Measure the chart of a session, and what it would cost to paint each decision."""
    from inspector.ui.charts.timeline import Timeline

    def moved(chart: Timeline) -> Callable[[int], None]:
        def work(at: int) -> None:
            extent = chart.box.extent
            assert extent is not None
            chart.box.zoom_to(extent.first + at, extent.last)
            chart.plot.viewport().repaint()

        return work

    charts = []
    for steps in (_MANY, _FEW):
        chart = Timeline()
        chart.show_data(timeline_data(_trace(scratch, steps * _CHAIN)))
        expose(chart, *_CHART)
        charts.append(chart)
    frame = charts[0].plot.viewport().repaint
    ours, plain = rivals(frame, lambda: _paint_rings(_MANY * _CHAIN))
    name = f"timeline of {_MANY:,} steps"
    yield compared(f"{name} / a ring a decision", ours, plain, 0.02, "drawEllipse", _CHART_FLOOR)
    many, few = frames(*map(moved, charts))
    yield compared(f"{name} / of {_FEW:,}, frame p95", many, few, 3, f"{_FEW:,} steps")


def _paint_rings(count: int) -> None:
    pixmap = QPixmap(*_CHART)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for at in range(count):
        painter.drawEllipse(QPointF(at * pixmap.width() / count, 20.0), 3.0, 3.0)
    painter.end()


def _ribbon() -> Iterator[Goal]:
    many, few = (_shown_ribbon(count) for count in (_MANY, _FEW))
    name = f"ribbon of {_MANY:,} messages"
    ours, plain = rivals(many.repaint, lambda: _paint_cells(_MANY))
    yield compared(f"{name} / one rectangle each", ours, plain, 0.02, "fillRect")
    longer, shorter = frames(lambda _: many.repaint(), lambda _: few.repaint())
    yield compared(f"{name} / of {_FEW:,}, frame p95", longer, shorter, 3, f"{_FEW:,} messages")


def _shown_ribbon(count: int) -> Ribbon:
    message, zones = TraceMessage(0, "tool", "x", 100), tuple[Zone, ...](["compress"] * count)
    ribbon = Ribbon()
    ribbon.show_span(SpanView((message,) * count, zones, ()))
    expose(ribbon, *_STRIP)
    return ribbon


def _paint_cells(count: int) -> None:
    pixmap, colour = QPixmap(*_STRIP), QColor(_INK)
    painter = QPainter(pixmap)
    for at in range(count):
        painter.fillRect(at * pixmap.width() // count, 0, 1, pixmap.height(), colour)
    painter.end()


def _long_line() -> Goal:
    text = '{"text": "' + "word " * (_LINE // 5) + '"}'
    ours, plain = TextView("text"), QPlainTextEdit()
    for view in (ours, plain):
        expose(view, *_SIZE)

    def show(view: QPlainTextEdit, fill: Callable[[str], None]) -> float:
        def work() -> None:
            fill(text)
            view.viewport().repaint()

        return best(work, 1)

    mine, theirs = show(ours, ours.show_text), show(plain, plain.setPlainText)
    return compared("open a line of 5 MB / QPlainTextEdit", mine, theirs, 0.05, "QPlainTextEdit")


class _Empty(QAbstractTableModel):
    """As many rows, with nothing in them."""

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


_TABLE = (
    "each text is shaped anew for each frame; next: keep the shaped text of what recurs "
    "(QStaticText), as processors and reasons do"
)
_CHART_FLOOR = (
    "half of a frame is spent by pyqtgraph on axes and labels, whatever the number of steps; next: "
    "keep them as a picture until the range changes"
)
