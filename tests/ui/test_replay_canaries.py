"""Canaries are planted with one click, followed, and taken out again."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from tests.ui.replay_page import OpenCase, settle


def test_canaries_are_planted_and_what_became_of_them_is_told(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(30, processors=[("ObservationMasking", {"soft_ratio": 0.3})])
    settle(page, qtbot)
    before = page.bench.settings.case
    window.actions_["canaries"].trigger()
    settle(page, qtbot)
    judged = page.judge.result
    assert judged is not None
    lost = [canary for canary, loss in judged.canaries if loss is not None]
    held = len(judged.canaries) - len(lost)
    assert 0 < held < len(judged.canaries)
    told = f"Of {len(judged.canaries)} canaries the last window holds {held}."
    assert told in page.comparison.notes.text()
    page.comparison.lost.only_canaries.setChecked(True)
    table = page.comparison.lost.table
    assert {loss.item.key for loss in table.losses} == {canary.item.key for canary in lost}
    assert {table.cell(row, 2).text for row in range(table.row_count())} == {"canary"}
    window.actions_["keep_run"].trigger()
    project = page.runs.project()
    assert project is not None
    [kept] = project.runs
    assert kept.applied(project.case) == page.bench.settings.case
    window.actions_["canaries"].trigger()
    settle(page, qtbot)
    assert page.bench.settings.case == before
    assert page.bench.settings.edits == 0
