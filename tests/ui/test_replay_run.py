"""The controls of a run: whole, step by step, up to a decision; pause, go on, give up."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CURRENT
from tests.ui.replay_page import OpenCase, drag, settle, slider_of

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def wait_until_held(page: ReplayPerspective, qtbot: QtBot, step: int | None = None) -> int:
    """Wait until the run is held, perhaps at a step, and return where."""

    def held() -> bool:
        progress = page.bench.progress
        return progress is not None and progress.held and step in (None, progress.step)

    qtbot.waitUntil(held)
    assert page.bench.progress is not None
    return page.bench.progress.step


def test_a_run_goes_step_by_step_and_then_to_its_end(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    settle(page, qtbot)
    for step in (1, 2, 3):
        QTest.keyClick(window, Key.Key_F10)
        assert wait_until_held(page, qtbot, step) == step
    assert "waiting, step 3 of 41" in page.chart.title.text()
    curve = page.bench.progress.curve if page.bench.progress is not None else None
    assert curve is not None
    assert curve.number.tolist() == [1, 2, 3]
    QTest.keyClick(window, Key.Key_F8)
    settle(page, qtbot)
    result, baseline = page.bench.result, page.bench.baseline
    assert result is not None
    assert baseline is not None
    assert result.trace.steps.sent.tolist() == baseline.steps.sent.tolist()
    assert not result.differing.any()


def test_a_run_goes_to_the_next_decision_of_a_kind(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    baseline = page.bench.baseline
    assert baseline is not None
    columns = baseline.decisions
    made = columns.step[columns.outcome == list(columns.outcomes).index("compressed")]
    window.actions_["run_compressed"].trigger()
    assert wait_until_held(page, qtbot) == made[0]
    window.actions_["run_compressed"].trigger()
    assert wait_until_held(page, qtbot, int(made[1])) == made[1]
    window.actions_["stop_replay"].trigger()
    assert page.bench.progress is None
    settle(page, qtbot)


def test_another_baseline_is_taken_while_a_run_waits(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    page.chain.remove(1)
    settle(page, qtbot)
    window.actions_["keep_run"].trigger()
    drag(slider_of(page, CURRENT), 40)
    settle(page, qtbot)
    QTest.keyClick(window, Key.Key_F10)
    wait_until_held(page, qtbot, 1)
    assert page.runs.compare_with(page.runs.runs[0])
    QTest.keyClick(window, Key.Key_F8)
    settle(page, qtbot)
    result, kept = page.bench.result, page.runs.runs[0].result
    assert result is not None
    assert kept is not None
    assert result.baseline is page.bench.baseline is kept.trace
    assert max(pair.a for pair in result.aligned) < len(kept.trace.decisions.step)
    window.actions_["keep_run"].trigger()
    page.runs.compare_with(None)
    window.actions_["keep_run"].trigger()
    assert len(page.runs.runs) == 2


def test_a_run_is_paused_and_an_edit_begins_another(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(rounds=120)
    QTest.keyClick(window, Key.Key_F8)
    QTest.keyClick(window, Key.Key_F9)
    first = wait_until_held(page, qtbot)
    assert first < 121
    assert not window.actions_["pause_replay"].isEnabled()
    drag(slider_of(page, CURRENT), 60)
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert len(result.trace.steps.number) == 121
