"""Branches and runs: made in the window, named by their parents, saved and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from inspector.replay.project import open_project
from inspector.ui.main_window import MainWindow
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.tables.window_pairs import sent_window
from inspector.ui.panels.replay.dialogs.branch import BranchDialog
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CAPACITY, CURRENT, TRIGGER
from tests.ui.replay_page import OpenCase, drag, replay_of, settle, slider_of

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton


def branch_dialog(page: ReplayPerspective, window: MainWindow) -> BranchDialog:
    window.actions_["branch"].trigger()
    return page.findChildren(BranchDialog)[-1]


def runs(page: ReplayPerspective) -> list[tuple[str, str]]:
    """Return each listed run with its parent."""
    table = page.runs_tab.table
    return [(table.cell(at, 1).text, table.cell(at, 2).text) for at in range(table.row_count())]


def marked(page: ReplayPerspective) -> list[str]:
    """Return of each listed run whether it is on the bench or what that is compared with."""
    table = page.runs_tab.table
    return [table.cell(at, 0).told() for at in range(table.row_count())]


def answered(window: MainWindow, word: str) -> QMessageBox:
    """Press a button of the question that was asked last."""
    question = window.findChildren(QMessageBox)[-1]
    button = next(b for b in question.buttons() if word in b.text())
    button.click()
    return question


def test_a_message_is_dropped_at_a_step_and_the_branch_names_its_parent(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 60)
    settle(page, qtbot)
    page.selection.select_step(10)
    dialog = branch_dialog(page, window)
    assert not dialog.buttons.button(dialog.buttons.StandardButton.Ok).isEnabled()
    dialog.view.show_row(3)
    dialog.text.setPlainText("边界差一 is fixed")
    dialog.view.show_row(5)
    dialog.drop.click()
    dialog.accept()
    settle(page, qtbot)
    assert runs(page) == [("the case", ""), ("run 1", "the case"), ("run 2", "run 1")]
    assert marked(page) == ["compared with", "", "the candidate comes from it"]
    result, baseline = page.bench.result, page.bench.own
    assert result is not None
    assert baseline is not None
    assert [turn.step for turn in result.case.turns] == [10]
    assert len(result.case.turns[0].messages) == 2
    window_10 = sent_window(result.trace, 10)
    assert window_10 is not None
    sent = [message.text for message in window_10.messages]
    assert "边界差一 is fixed" in sent
    assert baseline.run.case.turns == []
    dialog = branch_dialog(page, window)
    assert "边界差一 is fixed" in [message.text for message in dialog.model.messages]
    dialog.view.show_row(0)
    dialog.drop.click()
    dialog.accept()
    settle(page, qtbot)
    assert runs(page)[-1] == ("run 3", "run 2")
    result = page.bench.result
    assert result is not None
    assert not page.bench.failure
    assert [turn.step for turn in result.case.turns] == [10, 10]


def test_settings_change_from_a_step_on(replay: OpenCase, window: MainWindow, qtbot: QtBot) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 30)
    settle(page, qtbot)
    page.selection.select_step(15)
    page.bench.settings.edit_capacity(5_000)
    settle(page, qtbot)
    dialog = branch_dialog(page, window)
    assert "CurrentRound trigger ratio 0.30" in dialog.from_here.text()
    dialog.from_here.setChecked(True)
    dialog.accept()
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert result.case.turns[0].settings == {
        f"{CURRENT}.{TRIGGER}": 0.3,
        "engine.context_window_tokens": 5_000,
    }
    assert page.bench.settings.capacity == CAPACITY
    last = result.trace.run.steps[-1].window
    assert last is not None
    assert last.capacity == 5_000
    divergence = result.comparison.first_divergence
    assert divergence is not None
    assert divergence.step >= 15
    assert runs(page)[-1] == ("run 2", "run 1")


def test_a_message_is_dropped_where_settings_change_and_the_context_is_that_before_them(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 30)
    settle(page, qtbot)
    step = 15
    page.selection.select_step(step)
    own = page.bench.own
    assert own is not None
    before = next(made.before for made in own.run.steps if made.number == step)
    dialog = branch_dialog(page, window)
    assert len(dialog.model.messages) < len(before)
    dialog.drop.click()
    dialog.from_here.setChecked(True)
    assert list(dialog.model.messages) == list(before)
    assert not dialog.model.dropped
    dialog.drop.click()
    dialog.accept()
    settle(page, qtbot)
    assert not page.bench.failure
    assert runs(page)[-1] == ("run 2", "run 1")


def test_a_branch_that_cannot_be_replayed_is_not_kept(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    page.selection.select_step(10)
    dialog = branch_dialog(page, window)
    dialog.view.show_row(5)
    dialog.drop.click()
    turn, _ = dialog.branch()
    dialog.reject()
    page.runs.branch(turn.model_copy(update={"step": 1}), page.bench.settings.setup)
    qtbot.waitUntil(lambda: bool(page.bench.failure))
    window.actions_["undo"].trigger()
    page.bench.settings.edit(FieldKey(CURRENT, TRIGGER), 0.5)
    settle(page, qtbot)
    assert runs(page) == [("the case", "")]


def test_a_kept_run_is_compared_with_and_loaded_again(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 60)
    settle(page, qtbot)
    QTest.keyClick(window, Key.Key_K)
    assert runs(page) == [("the case", ""), ("run 1", "the case")]
    assert marked(page) == ["compared with", "the candidate comes from it"]
    page.bench.settings.edit(FieldKey(CURRENT, TRIGGER), 0.7)
    page.bar.setCurrentIndex(list(page.tabs).index("Runs"))
    view = page.runs_tab.view
    row = view.visualRect(page.runs_tab.table.index(1, 1)).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=row)
    assert page.bench.settings.field(FieldKey(CURRENT, TRIGGER)).value == 0.7
    settle(page, qtbot)
    window.actions_["compare_run"].trigger()
    assert page.comparison.table.COLUMNS[1].title == "run 1"
    QTest.mouseDClick(view.viewport(), LEFT, pos=row)
    assert page.bench.settings.field(FieldKey(CURRENT, TRIGGER)).value == 0.6
    settle(page, qtbot)
    assert page.comparison.table.COLUMNS[1].title == "run 1"
    result = page.bench.result
    assert result is not None
    assert not result.differing.any()
    page.runs.load(None)
    settle(page, qtbot)
    assert page.bench.settings.edits == 0
    result = page.bench.result
    assert result is not None
    assert result.differing.any()
    page.runs.load(page.runs.runs[0])
    settle(page, qtbot)
    assert page.chain.row(CURRENT, TRIGGER).editor.read() == 0.6


def test_a_project_is_saved_and_opened_again(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 60)
    settle(page, qtbot)
    window.actions_["keep_run"].trigger()
    path = tmp_path / "项目.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(page.commands.export.saved):
        window.actions_["save_project"].trigger()
    assert [run.id for run in open_project(path).runs] == ["run 1"]
    figures = dict(page.runs.runs[0].figures)
    assert "net_cost" in figures
    window.open([str(path)])
    page = replay_of(window)
    qtbot.waitUntil(lambda: page.bench.state == "ready" and bool(page.runs.runs))
    assert runs(page) == [("the case", ""), ("run 1", "the case")]
    page.runs_tab.view.show_row(1)
    window.actions_["compare_run"].trigger()
    assert "put it on the bench first" in page.runs_tab.about.text()
    page.runs.load(page.runs.runs[0])
    settle(page, qtbot)
    assert page.chain.row(CURRENT, TRIGGER).editor.read() == 0.6
    assert dict(page.runs.runs[0].figures) == figures


def test_the_windows_of_both_runs_stand_side_by_side(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    page.bar.setCurrentIndex(list(page.tabs).index("Windows"))
    drag(slider_of(page, CURRENT), 40)
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    divergence = result.comparison.first_divergence
    assert divergence is not None
    page.selection.select_step(divergence.step)
    rows = page.windows.rows
    told = [rows.cell(row, 2).text for row in range(rows.row_count())]
    assert "same" in told
    assert "candidate only" in told
    assert "baseline only" in told
    assert f"step {divergence.step}" in page.windows.head.text()


def test_kept_runs_are_not_lost_unasked(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = replay()
    case = page.bench.path
    drag(slider_of(page, CURRENT), 60)
    settle(page, qtbot)
    window.actions_["keep_run"].trigger()
    window.close()
    assert window.isVisible()
    question = answered(window, "Cancel")
    assert question.text() == "1 kept run not saved as a project"
    window.open([case])
    answered(window, "Cancel")
    assert runs(page)[1:] == [("run 1", "the case")]

    path = tmp_path / "project.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(page.commands.export.saved):
        window.actions_["save_project"].trigger()
    assert not page.unsaved()
    page.bench.settings.edit(FieldKey(CURRENT, TRIGGER), 0.7)
    settle(page, qtbot)
    window.actions_["keep_run"].trigger()
    window.open([case])
    answered(window, "Open")
    assert page.bench.state == "preparing"
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    assert runs(page) == [("the case", "")]
    window.close()
    assert not window.isVisible()
