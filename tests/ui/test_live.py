"""The window on files that are being written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from tests.debug_files import DebugFolder, Record, check, dump, hit, span

NAME = "CurrentRoundCompressor"


def declines(first: int, count: int) -> Iterable[Record]:
    return (check(NAME, at, at) for at in range(first, first + count))


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    made = DebugFolder(tmp_path / "ws")
    made.write(declines(0, 200))
    return made


@pytest.fixture
def live(window: MainWindow, folder: DebugFolder, qtbot: QtBot) -> MainWindow:
    """A window that keeps up with a folder of 200 declines."""
    with qtbot.waitSignal(window.document.opened):
        window.open([str(folder.root)])
    return window


@pytest.fixture
def arrived(live: MainWindow, qtbot: QtBot) -> Callable[[int], None]:
    def wait(rows: int) -> None:
        qtbot.waitUntil(lambda: listed_with_time(live) == rows)

    return wait


def listed_with_time(window: MainWindow) -> int:
    trace = window.selection.trace
    assert trace is not None
    return int((trace.decisions.time > 0).sum())


def top_total(window: MainWindow) -> int:
    """Return the tokens of the decision in the first row that is in sight."""
    panel, trace = window.inspect.decisions, window.selection.trace
    assert trace is not None
    return int(trace.decisions.total[panel.model.trace_row(panel.view.top_row())])


def selected_total(window: MainWindow) -> int:
    trace, row = window.selection.trace, window.selection.row
    assert trace is not None
    assert row is not None
    return int(trace.decisions.total[row])


def turn_wheel(window: MainWindow, notches: int) -> None:
    viewport = window.inspect.decisions.view.viewport()
    middle = QPointF(viewport.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(viewport.mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def test_what_is_in_sight_stays_while_ten_thousand_rows_come(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None]
) -> None:
    live.selection.select(100)
    live.inspect.decisions.view.scrollTo(live.inspect.decisions.model.index(90, 0))
    turn_wheel(live, 3)
    top, selected = top_total(live), selected_total(live)
    records = [*declines(200, 10_000), *(check("RoundLevelCompressor", 3.5, 3) for _ in range(5))]
    folder.write(records)
    arrived(10_205)
    assert top_total(live) == top
    assert selected_total(live) == selected == 100
    assert live.inspect.decisions.view.current_row() == 105
    assert live.inspect.detail.about.text().startswith("step")


def test_following_looks_at_the_newest(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None]
) -> None:
    QTest.keyClick(live, Qt.Key.Key_F)
    assert live.actions_["follow"].isChecked()
    assert selected_total(live) == 199
    folder.write(declines(200, 50))
    arrived(250)
    assert selected_total(live) == 249
    view = live.inspect.decisions.view
    row = view.current_row()
    assert row is not None
    assert view.viewport().rect().contains(view.visualRect(view.model().index(row, 0)).center())


def test_following_goes_on_when_the_newest_turns_out_otherwise(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None]
) -> None:
    QTest.keyClick(live, Qt.Key.Key_F)
    folder.write([hit("CurrentRoundCompressor", 200)])
    arrived(201)
    folder.write(declines(201, 5))  # the attempt at 200 came to nothing, as these show
    arrived(206)
    assert live.follow.moves
    assert selected_total(live) == 205


def test_scrolling_up_pauses_and_says_so(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None]
) -> None:
    QTest.keyClick(live, Qt.Key.Key_F)
    turn_wheel(live, 5)
    assert "Follow pauses: you scrolled up" in live.counts.text()
    assert not live.actions_["follow"].isChecked()
    top = top_total(live)
    folder.write(declines(200, 50))
    arrived(250)
    assert selected_total(live) == 199
    assert top_total(live) == top
    QTest.keyClick(live, Qt.Key.Key_F)
    assert selected_total(live) == 249
    assert "pauses" not in live.counts.text()


def test_stepping_away_pauses(live: MainWindow) -> None:
    QTest.keyClick(live, Qt.Key.Key_F)
    QTest.keyClick(live, Qt.Key.Key_P)
    assert selected_total(live) == 198
    assert "you looked at another decision" in live.counts.text()


def test_a_running_decision_ends_on_the_screen(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None], qtbot: QtBot
) -> None:
    folder.write([hit(NAME, 300), span(NAME, 300.1)])
    arrived(201)
    live.selection.select(200)
    assert "running" in live.inspect.detail.about.text()
    folder.write_dump(dump(NAME, 301, 9_000, 5_000, (1, 1, 1)))
    qtbot.waitUntil(lambda: "compressed" in live.inspect.detail.about.text())
    qtbot.waitUntil(lambda: not live.inspect.detail.is_reading())


def test_the_window_tells_what_is_tailed_and_what_is_gone(
    live: MainWindow, folder: DebugFolder, qtbot: QtBot
) -> None:
    assert "tailing 1 file · 0 behind" in live.counts.text()
    texts = [node.aside for _, node in live.inspect.sources.model.indexes()]
    assert "● live" in texts
    (folder.session / "context_debug" / f"{NAME}.jsonl").unlink()

    def told_gone() -> bool:
        nodes = [node for _, node in live.inspect.sources.model.indexes()]
        return any(node.kind == "file" and "gone" in node.aside for node in nodes)

    qtbot.waitUntil(told_gone)
    assert listed_with_time(live) == 200


def test_the_tree_keeps_what_is_folded_and_current(
    live: MainWindow, folder: DebugFolder, qtbot: QtBot
) -> None:
    tree, model = live.inspect.sources.tree, live.inspect.sources.model
    kind = next(index for index, node in model.indexes() if node.kind == "kind")
    tree.setExpanded(kind, True)
    current = model.path(tree.currentIndex())
    folder.write([check("RoundLevelCompressor", 1.5, 3)])
    qtbot.waitUntil(lambda: sum(node.kind == "file" for _, node in model.indexes()) == 2)
    kind = next(index for index, node in model.indexes() if node.kind == "kind")
    assert tree.isExpanded(kind)
    assert model.path(tree.currentIndex()) == current


def test_a_filter_stays_while_more_comes(
    live: MainWindow, folder: DebugFolder, arrived: Callable[[int], None]
) -> None:
    live.actions_["only_fired"].trigger()
    folder.write([hit(NAME, 300), span(NAME, 300.1)])
    arrived(201)
    assert len(live.selection.rows) >= 1
    assert live.inspect.decisions.model.row_count() == len(live.selection.rows)


def test_closing_frees_the_threads(live: MainWindow, qtbot: QtBot) -> None:
    assert any(thread.name == "tail" for thread in threading.enumerate())
    live.close()
    qtbot.waitUntil(lambda: not any(thread.name == "tail" for thread in threading.enumerate()))
    assert not any("notify" in thread.name.lower() for thread in threading.enumerate())
