"""What was set can be undone and done again, one setting at a time."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.models.replay.settings.history import PAUSE, SetupHistory
from inspector.ui.models.replay.settings.setup import FieldKey, ReplaySetup
from tests.ui.replay_cases import CAPACITY, CURRENT, ROUND, TRIGGER
from tests.ui.replay_page import OpenCase, settle

Key, Modifier = Qt.Key, Qt.KeyboardModifier
FIRST, SECOND = FieldKey(CURRENT, TRIGGER), FieldKey(ROUND, TRIGGER)


def test_a_setting_that_moves_on_is_one_change_until_it_rests() -> None:
    history, setups = SetupHistory(ReplaySetup()), [ReplaySetup()]
    for position in range(10):
        setups.append(ReplaySetup().with_edit(FIRST, position / 100))
        history.add(setups[-1], seconds=position * PAUSE / 2)
    rested = ReplaySetup().with_edit(FIRST, 0.5)
    history.add(rested, seconds=100.0)
    history.add(rested, seconds=200.0)
    assert history.go(-1) == setups[-1]
    assert history.go(-1) == setups[0]
    assert not history.can_go(-1)
    assert history.go(2) == rested
    assert not history.can_go(1)


def test_a_setting_that_is_set_back_at_once_is_no_change() -> None:
    history, before = SetupHistory(ReplaySetup()), ReplaySetup(capacity=9_000)
    history.add(before, 0.0)
    history.add(before.with_edit(FIRST, 0.5), 0.0)
    history.add(before, 0.0)
    assert history.go(-1) == ReplaySetup()
    assert history.go(1) == before
    assert not history.can_go(1)
    first = SetupHistory(ReplaySetup())
    for setup in (before, ReplaySetup(), before):
        first.add(setup, 0.0)
    assert first.go(-1) == ReplaySetup()


def test_other_settings_are_changes_of_their_own_and_take_the_place_of_what_was_undone() -> None:
    history = SetupHistory(ReplaySetup())
    first = ReplaySetup().with_edit(FIRST, 0.5)
    both = replace(first, capacity=9_000)
    history.add(first, 0.0)
    history.add(both, 0.0)
    assert history.go(-1) == first
    third = first.with_edit(SECOND, 0.4)
    history.add(third, 0.0)
    assert not history.can_go(1)
    assert history.go(-1) == first


def test_keys_undo_what_was_set_and_do_it_again(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    settings, undo, redo = (
        page.bench.settings,
        window.actions_["undo"],
        window.actions_["redo"],
    )
    assert not undo.isEnabled()
    settings.edit(FIRST, 0.5)
    settings.edit_capacity(2 * CAPACITY)
    page.chain.remove(1)
    settings.reset()
    for edits in (3, 2, 1, 0):
        QTest.keyClick(window, Key.Key_Z, Modifier.ControlModifier)
        assert settings.edits == edits
    assert not undo.isEnabled()
    assert page.chain.row(*FIRST).editor.read() == 0.8
    QTest.keyClick(window, Key.Key_Z, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert page.chain.row(*FIRST).editor.read() == 0.5
    redo.trigger()
    redo.trigger()
    assert [card.name for card in page.chain.cards] == [CURRENT]
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert result.case == settings.case
