"""The window as it is used: with the mouse and with keys, on made-up and on recorded input."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from inspector.sources.problem import Problem
from inspector.sources.recall_calls import RecallCall
from inspector.trace.evidence.markers import Marker, Payload
from inspector.trace.evidence.recalls import Recall
from inspector.ui.main_window import MainWindow
from inspector.ui.models.selection import EVERYTHING
from inspector.ui.panels.detail.spans import SpansTab
from inspector.ui.panels.keys import KeysDialog
from tests.ui.conftest import Show
from tests.ui.fake_trace import FakeTrace

Key, Modifier = Qt.Key, Qt.KeyboardModifier
MARKER = Marker("offload", 0, 0, "9f8e")
PROBLEM = Problem("a/CurrentRoundCompressor.jsonl", 88_214, 17, "the line <b>ends</b> too early")


def press(
    window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier = Modifier.NoModifier
) -> None:
    QTest.keyClick(window, key, modifier)


def read_detail(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.inspect.detail.is_reading())


def show_tab(window: MainWindow, title: str) -> None:
    detail = window.inspect.detail
    detail.show_tab(next(at for at, tab in enumerate(detail.tabs) if tab.title == title))


def click_row(window: MainWindow, row: int) -> None:
    view = window.inspect.decisions.view
    view.scrollTo(view.model().index(row, 0))
    place = view.visualRect(view.model().index(row, 2)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    """Drag with the left button; `QTest` moves the pointer with no button held."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    kinds = QEvent.Type
    middle = (start + end) / 2
    for kind, place, button, held in (
        (kinds.MouseButtonPress, start, left, left),
        (kinds.MouseMove, middle, none, left),
        (kinds.MouseMove, end, none, left),
        (kinds.MouseButtonRelease, end, left, none),
    ):
        there = QPointF(place)
        far = QPointF(widget.mapToGlobal(place))
        QApplication.sendEvent(
            widget, QMouseEvent(kind, there, far, button, held, Modifier.NoModifier)
        )
        QTest.qWait(20)


def test_an_empty_window_welcomes_and_offers_what_can_be_done(window: MainWindow) -> None:
    note = window.inspect.welcome.note
    assert note.isVisible()
    assert "Open a workspace" in note.text()
    buttons = [b.text() for b in note.findChildren(QAbstractButton) if not b.isHidden()]
    assert buttons == ["Open folder…", "Open file…", "Open sample"]
    assert not window.actions_["next"].isEnabled()
    press(window, Key.Key_N)


def test_opening_shows_the_first_context(show: Show) -> None:
    window = show(FakeTrace(600), FakeTrace(90, session_id="other"))
    assert window.selection.row == 28
    assert window.inspect.decisions.view.current_row() == 28
    assert window.counts.text() == "600 decisions · tailing 1 file · 0 behind · 0 problems"
    assert "recorded · inferred · ~ estimate" in window.legend.text()


def test_keys_step_through_decisions(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    press(window, Key.Key_N)
    press(window, Key.Key_N)
    press(window, Key.Key_P)
    assert window.selection.row == 29
    press(window, Key.Key_N, Modifier.ShiftModifier)
    assert window.selection.row == 58
    press(window, Key.Key_P, Modifier.ShiftModifier)
    assert window.selection.row == 28
    assert window.inspect.decisions.view.current_row() == 28
    read_detail(window, qtbot)


def test_keys_are_letters_inside_a_text_field(show: Show) -> None:
    window = show(FakeTrace(600))
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    QTest.keyClicks(field, "np")
    assert field.text() == "np"
    assert window.selection.row == 28


def test_keys_step_while_a_text_is_read(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    show_tab(window, "Records")
    read_detail(window, qtbot)
    reader = window.inspect.detail.current_tab().findChild(QWidget, "reader")
    assert reader is not None
    reader.setFocus()
    QTest.keyClick(reader, Key.Key_N)
    assert window.selection.row == 29


def test_a_click_in_the_list_selects(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    click_row(window, 58)
    assert window.selection.row == 58
    read_detail(window, qtbot)
    assert "step 20" in window.inspect.detail.about.text()


def test_every_tab_shows_the_decision(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    detail = window.inspect.detail
    read_detail(window, qtbot)
    empty = {
        "Retries": "No failed call",
        "Offloads": "Nothing offloaded",
        "Recall": "No archive",
        "Window": "No two requests",
    }
    seen = []
    for at, tab in enumerate(detail.tabs):
        if not detail.bar.isTabVisible(at):
            continue
        place = detail.bar.tabRect(at).center()
        QTest.mouseClick(detail.bar, Qt.MouseButton.LeftButton, pos=place)
        assert detail.current_tab() is tab
        assert tab.isVisible()
        assert tab.note().startswith(empty.get(tab.title, ""))
        assert bool(tab.note()) == (tab.title in empty) == (at in detail.bar.empty)
        seen.append(tab.title)
    assert seen[:2] == ["Gates", "Spans"]
    assert not {"Rule", "Notes"} & set(seen)


def test_tab_leads_from_part_to_part_as_they_are_read(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    inspect = window.inspect
    inspect.sources.tree.setFocus()
    for part in (inspect.timeline.chart, inspect.decisions.view, inspect.detail.bar):
        assert part is not None
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Key.Key_Tab)
        assert part.hasFocus()


def test_a_decline_says_why_a_tab_is_empty(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    window.selection.select(0)
    read_detail(window, qtbot)
    notes = {}
    for at, tab in enumerate(window.inspect.detail.tabs):
        window.inspect.detail.show_tab(at)
        notes[tab.title] = tab.note()
    assert "below its limit" in notes["Spans"]
    assert "sent on as it was" in notes["Before / After"]
    assert "not asked" in notes["Summary"]
    assert notes["Gates"] == notes["Records"] == ""


def test_decisions_that_are_passed_over_are_not_read(show: Show, qtbot: QtBot) -> None:
    trace = FakeTrace(600)
    window = show(trace)
    read_detail(window, qtbot)
    trace.details_read.clear()
    trace.readable.clear()
    for _ in range(200):
        press(window, Key.Key_N)
    trace.readable.set()
    read_detail(window, qtbot)
    assert window.selection.row == 228
    assert trace.details_read[-1] == 228
    assert len(trace.details_read) <= 2  # what was being read when they were passed over


def test_a_tab_stays_as_it_was_until_reading_takes_long(show: Show, qtbot: QtBot) -> None:
    trace = FakeTrace(600)
    window = show(trace)
    window.inspect.detail.show_tab(1)
    read_detail(window, qtbot)
    tab = window.inspect.detail.current_tab()
    trace.readable.clear()
    press(window, Key.Key_N)
    assert tab.note() == ""
    qtbot.waitUntil(lambda: tab.note() == "Reading…")
    trace.readable.set()
    qtbot.waitUntil(lambda: "below its limit" in tab.note())


def test_a_detail_that_cannot_be_read_says_so(
    show: Show, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = show(FakeTrace(600))

    def fail(_: FakeTrace, row: int) -> None:
        raise OSError(f"a/b.jsonl: the disk went away at row {row}")

    monkeypatch.setattr(FakeTrace, "detail", fail)
    window.inspect.detail.show_tab(1)
    press(window, Key.Key_N)
    qtbot.waitUntil(lambda: "went away" in window.inspect.detail.current_tab().note())
    window.inspect.detail.show_tab(0)
    assert window.inspect.detail.current_tab().note() == ""


def test_dragging_in_the_chart_filters_the_list(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    chart = window.inspect.timeline.chart
    assert chart is not None
    viewport = chart.plot.viewport()
    y = viewport.height() // 2
    left = int(chart.x_of(50))
    right = int(chart.x_of(100))
    drag(viewport, QPoint(left, y), QPoint(right, y))
    qtbot.waitUntil(lambda: window.selection.filter.steps is not None)
    first, last = window.selection.filter.steps or (0, 0)
    assert abs(first - 50) <= 1
    assert abs(last - 100) <= 1
    assert window.inspect.decisions.model.row_count() == 3 * (last - first + 1)
    assert f"steps {first}–{last}" in window.counts.text()
    press(window, Key.Key_Escape)
    assert window.selection.filter == EVERYTHING
    press(window, Key.Key_Left, Modifier.AltModifier)
    assert window.selection.filter.steps == (first, last)


def test_a_click_in_the_chart_goes_to_the_step(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    chart = window.inspect.timeline.chart
    assert chart is not None
    viewport = chart.plot.viewport()
    place = QPoint(int(chart.x_of(120)), viewport.height() // 2)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: window.selection.row == 358)


def test_the_chart_works_by_key(show: Show) -> None:
    window = show(FakeTrace(600))
    chart = window.inspect.timeline.chart
    assert chart is not None
    chart.setFocus()
    QTest.keyClick(chart, Key.Key_Right)
    assert window.selection.row == 30
    for _ in range(3):
        QTest.keyClick(chart, Key.Key_Right, Modifier.ShiftModifier)
    assert window.selection.filter.steps == (11, 14)
    QTest.keyClick(chart, Key.Key_Escape)
    assert window.selection.filter.steps is None


def test_pointing_at_the_chart_reads_out_the_step(show: Show) -> None:
    window = show(FakeTrace(600))
    chart = window.inspect.timeline.chart
    assert chart is not None
    chart.step_hovered.emit(20)
    said = window.inspect.timeline.read_out.text()
    assert said == "step 20 · ~19,820 → ~3,000 · CurrentRound compressed"
    chart.step_hovered.emit(0)
    assert window.inspect.timeline.read_out.text() == ""


def test_a_recall_is_marked_in_the_chart_told_by_pointing_and_in_the_legend(show: Show) -> None:
    recall = Recall(RecallCall("call_1", handle="9f8e"), 100, payload=Payload(MARKER, "dangling"))
    recalling = FakeTrace(600, recalls=(recall,))
    window = show(recalling)
    panel, chart = window.inspect.timeline, window.inspect.timeline.chart
    assert chart is not None
    legend = "1 recall: the model asked for what had been taken out of its window"
    assert panel.title.text().endswith(legend)
    chart.step_hovered.emit(100)
    assert panel.read_out.text().endswith(" · recalled 9f8e, which is gone")
    marked, x = chart.plot.grab().toImage(), int(chart.x_of(100))
    window.selection.reset(FakeTrace(600))
    assert "recall" not in panel.title.text()
    bare = chart.plot.grab().toImage()
    assert any(marked.pixel(x, y) != bare.pixel(x, y) for y in range(bare.height()))
    assert all(marked.pixel(x + 40, y) == bare.pixel(x + 40, y) for y in range(bare.height()))


def test_selecting_a_call_lights_its_results(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(600))
    window.inspect.detail.show_tab(1)
    read_detail(window, qtbot)
    tab = window.inspect.detail.current_tab()
    assert isinstance(tab, SpansTab)
    assert "boundary moved 2 → 3: result call_0021 answers a call above it" in tab.legend.text()
    lit = [row for row in range(7) if tab.messages.lit(row)]
    assert lit == []
    view = tab.reader.view
    place = view.visualRect(view.model().index(4, 2)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    lit = [row for row in range(7) if tab.messages.lit(row)]
    assert lit == [4, 5, 6]
    assert "calls run_tests → call_0021" in tab.reader.reader.toPlainText()
    place = view.visualRect(view.model().index(2, 2)).center()
    QTest.mouseMove(view.viewport(), place)
    qtbot.waitUntil(lambda: tab.messages.lit(1))
    assert not tab.messages.lit(4)


def test_only_what_fired_can_be_listed(show: Show) -> None:
    window = show(FakeTrace(600))
    press(window, Key.Key_E, Modifier.ControlModifier)
    assert window.inspect.decisions.model.row_count() == 20
    press(window, Key.Key_N)
    assert window.selection.row == 58
    press(window, Key.Key_E, Modifier.ControlModifier)
    assert window.inspect.decisions.model.row_count() == 600


def test_a_click_on_a_title_sorts_and_keeps_the_selection(show: Show) -> None:
    window = show(FakeTrace(600))
    header = window.inspect.decisions.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(6) + 20, 10)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.selection.row == 28
    assert window.inspect.decisions.view.current_row() == 0
    window.selection.move(1)
    assert window.selection.row == 29


def test_another_context_is_shown_from_the_tree(show: Show) -> None:
    window = show(FakeTrace(600), FakeTrace(90, session_id="zweite 会话"))
    sources = window.inspect.sources
    index = next(i for i, node in sources.model.indexes() if node.aside.startswith("30 steps"))
    place = sources.tree.visualRect(index).center()
    QTest.mouseClick(sources.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.inspect.decisions.model.row_count() == 90
    press(window, Key.Key_Left, Modifier.AltModifier)
    assert window.inspect.decisions.model.row_count() == 600
    assert "200 steps" in sources.tree.currentIndex().data()


def test_a_problem_is_shown_in_place_of_the_decision(show: Show) -> None:
    window = show(FakeTrace(600), problems=[PROBLEM])
    sources = window.inspect.sources
    index = next(i for i, node in sources.model.indexes() if node.kind == "problem")
    place = sources.tree.visualRect(index).center()
    QTest.mouseClick(sources.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    said = window.inspect.below.problem.text.toPlainText()
    assert window.inspect.below.problem.isVisible()
    assert said.startswith("Line 17 of CurrentRoundCompressor.jsonl the line <b>ends</b> too early")
    assert "a/CurrentRoundCompressor.jsonl @ 88,214" in said
    press(window, Key.Key_N)
    assert not window.inspect.below.problem.isVisible()


def test_the_bytes_at_a_problem_are_shown(show: Show, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes(b'{"event": "sound"}\n{"event": \xff\x1b broken\n')
    window = show(FakeTrace(30), problems=[Problem(str(file), 19, 2, "is damaged")])
    problem = window.inspect.below.problem
    window.inspect.sources.tree.choose(window.document.content.problems[0])  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: "From that offset" in problem.text.toPlainText())
    assert '{"event": \\xff\\x1b broken' in problem.text.toPlainText()
    assert "sound" not in problem.text.toPlainText()


def test_input_without_records_says_so(show: Show) -> None:
    window = show()
    assert window.inspect.welcome.note.isVisible()
    assert "No debug files?" in window.inspect.welcome.note.text()


def test_a_path_that_is_not_there_says_so(window: MainWindow) -> None:
    window.open(["/no/such/<b>place</b>"])
    assert "/no/such/<b>place</b> does not exist" in window.inspect.welcome.note.text()


def test_the_last_good_input_stays_when_another_fails(show: Show) -> None:
    window = show(FakeTrace(600))
    window.open(["/no/such/place"])
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "/no/such/place" in box.text()
    box.close()
    assert window.selection.row == 28
    assert window.inspect.decisions.view.isVisible()


def test_dropped_files_are_opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    buttons, none = Qt.MouseButton.LeftButton, Modifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    with qtbot.waitSignal(window.document.opened):
        drop = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, none)
        QApplication.sendEvent(window, drop)
    assert window.document.paths == (str(tmp_path),)


def test_recent_paths_are_listed_newest_first(show: Show, tmp_path: Path) -> None:
    window = show(FakeTrace(30))
    menu = window.actions_.menu("recent")
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == [str(tmp_path), "", "Clear List"]
    menu.actions()[-1].trigger()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["Nothing yet"]


def test_the_layout_is_remembered(show: Show, settings: QSettings, qtbot: QtBot) -> None:
    window = show(FakeTrace(30))
    window.inspect.docks.parts["Timeline"].close()
    window.resize(760, 640)
    window.close()
    again = MainWindow(settings)
    qtbot.addWidget(again)
    with qtbot.waitExposed(again):
        again.show()
    again.document.growth = window.document.growth
    again.document.paths = window.document.paths
    again.document.replaced.emit()
    assert again.size().width() == 760
    assert not again.inspect.timeline.isVisible()
    again.actions_["reset_layout"].trigger()
    assert again.inspect.timeline.isVisible()
    again.close()


def test_every_action_stands_in_a_menu_and_no_key_is_taken_twice(window: MainWindow) -> None:
    keys = [key for _, keys in window.actions_.told() for key in keys.split(", ")]
    assert len(keys) == len(set(keys))
    assert {"N", "P", "Shift+N", "Shift+P", "Ctrl+O", "Esc"} <= set(keys)


def test_the_keys_are_listed(window: MainWindow) -> None:
    press(window, Key.Key_F1)
    dialog = window.findChild(KeysDialog)
    assert dialog is not None
    assert dialog.isVisible()
    model = dialog.model
    rows = {model.cell(row, 0).text: model.cell(row, 1).text for row in range(model.row_count())}
    assert rows["N"] == "Next Decision"
    assert rows["Shift+P"] == "Previous That Fired"
    QTest.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()


def test_every_part_that_takes_the_keyboard_has_a_name(show: Show) -> None:
    window = show(FakeTrace(600))
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert nameless == []


def test_a_context_of_a_million_decisions_is_shown_and_stepped(show: Show, qtbot: QtBot) -> None:
    window = show(FakeTrace(1_000_000))
    assert window.inspect.decisions.model.row_count() == 1_000_000
    press(window, Key.Key_N, Modifier.ShiftModifier)
    window.selection.select(999_990)
    assert window.inspect.decisions.view.current_row() == 999_990
    read_detail(window, qtbot)
    assert not window.grab().isNull()


@pytest.mark.parametrize(
    "tree",
    [
        "d_full_chain",
        "n_react_agent",
        "l_mixed_content",
        "m_one_dump_dir",
        "j_auth_401",
        "l_lone_surrogate",
        "f_message_offloader",
    ],
)
def test_a_recorded_run_is_walked_through(
    window: MainWindow, qtbot: QtBot, shared: Path, tree: str
) -> None:
    with qtbot.waitSignal(window.document.opened):
        window.open([str(shared / "dumps" / tree / "workspace")])
    selection, detail = window.selection, window.inspect.detail
    assert selection.trace is not None
    fired = int(selection.fired(selection.rows).sum())
    assert fired > 0
    for _ in range(fired):
        read_detail(window, qtbot)
        titles = []
        while detail.current_tab().title not in titles:
            titles.append(detail.current_tab().title)
            assert not detail.current_tab().note().startswith("This could not be read"), titles
            press(window, Key.Key_PageDown, Modifier.ControlModifier)
        assert len(titles) > 4
        press(window, Key.Key_N, Modifier.ShiftModifier)
    while selection.row != int(selection.rows[-1]):
        press(window, Key.Key_N)
    read_detail(window, qtbot)
