"""The chain editor: order, what acts, presets, errors, and what is taken home."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CAPACITY, CURRENT, ROUND, TRIGGER
from tests.ui.replay_page import OpenCase, drag, limits, settle, slider_of

Key, Modifier, LEFT = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton
OFFLOADER = "MessageOffloader"


def chain(page: ReplayPerspective) -> list[str]:
    case = page.bench.settings.case
    assert case is not None
    return [name for name, _ in case.processors]


def test_cards_are_put_in_another_order_by_keys_and_by_the_mouse(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    card = page.chain.card(CURRENT)
    card.setFocus()
    QTest.keyClick(card, Key.Key_Down, Modifier.ControlModifier)
    assert chain(page) == [ROUND, CURRENT]
    settle(page, qtbot)
    head = page.chain.card(CURRENT).on.parentWidget()
    assert head is not None
    QTest.mousePress(head, LEFT, pos=QPoint(40, 8))
    for y in range(8, -400, -20):
        QTest.mouseMove(head, QPoint(40, y))
    QTest.mouseRelease(head, LEFT, pos=QPoint(40, -400))
    assert chain(page) == [CURRENT, ROUND]
    assert page.bench.settings.edits == 0
    settle(page, qtbot)


def test_a_processor_is_switched_off_and_removed_and_others_come(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    QTest.mouseClick(page.chain.card(ROUND).on, LEFT, pos=QPoint(6, 8))
    assert chain(page) == [CURRENT]
    assert limits(page) == {CURRENT: 3_200}
    assert len(page.chain.cards) == 2
    page.chain.additions.aboutToShow.emit()
    offered = {action.text(): action for action in page.chain.additions.actions()}
    assert CURRENT not in offered
    offered[OFFLOADER].trigger()
    assert chain(page) == [CURRENT, OFFLOADER]
    settle(page, qtbot)
    card = page.chain.card(CURRENT)
    card.setFocus()
    QTest.keyClick(card, Key.Key_Delete)
    assert chain(page) == [OFFLOADER]
    settle(page, qtbot)
    page.bench.settings.reset()
    assert chain(page) == [CURRENT, ROUND]


def test_a_preset_is_a_whole_chain_and_can_be_left_again(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    page.chain.presets.aboutToShow.emit()
    offered = {action.text(): action for action in page.chain.presets.actions()}
    offered["Masking"].trigger()
    assert chain(page) == ["ObservationMasking"]
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert result.comparison.decisions
    page.chain.presets.aboutToShow.emit()
    page.chain.presets.actions()[0].trigger()
    assert chain(page) == [CURRENT, ROUND]
    assert page.bench.settings.edits == 0


def test_a_preset_comes_without_the_edits_before_and_with_room_for_its_cards(
    replay: OpenCase, qtbot: QtBot
) -> None:
    assumed = {f"{CURRENT}.{TRIGGER}": 0.6}
    page = replay(processors=[(CURRENT, {TRIGGER: 0.6})], assumed=assumed)
    assert page.chain.row(CURRENT, TRIGGER).provenance.text() == "assumed"
    page.bench.settings.edit(FieldKey(CURRENT, TRIGGER), 0.4)
    page.chain.presets.aboutToShow.emit()
    offered = {action.text(): action for action in page.chain.presets.actions()}
    offered["Default chain"].trigger()
    assert page.bench.settings.edits == 1
    assert page.chain.row(CURRENT, TRIGGER).provenance.text() == "default"
    first = page.chain.cards[0]
    qtbot.waitUntil(lambda: first.visibleRegion().boundingRect().width() == first.width())
    assert all(card.width() >= card.minimumSizeHint().width() for card in page.chain.cards)
    settle(page, qtbot)


def test_a_case_without_a_chain_takes_the_cards_away(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    assert len(page.chain.cards) == 2
    page = replay(2, processors=[])
    assert not page.chain.cards
    page.chain.add(CURRENT)
    assert page.chain.row(CURRENT, TRIGGER).isVisible()
    settle(page, qtbot)


def test_every_share_of_the_capacity_is_a_slider_that_tells_tokens(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    page.chain.add("MessageSummaryOffloader")
    row = page.chain.row("MessageSummaryOffloader", "add_message_threshold_ratio")
    assert row.tokens.text() == "400"
    drag(slider_of(page, "MessageSummaryOffloader", "add_message_threshold_ratio"), 25)
    assert row.tokens.text() == "1,000"
    settle(page, qtbot)


def test_an_error_across_fields_is_told_and_nothing_typed_is_lost(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    page.chain.add(OFFLOADER)
    settle(page, qtbot)
    shown = page.bench.result
    page.bench.settings.edit(FieldKey(OFFLOADER, "trim_size"), 900)
    page.bench.settings.edit(FieldKey(OFFLOADER, "large_message_threshold"), 800)
    card = page.chain.card(OFFLOADER)
    assert "trim_size must be less than large_message_threshold" in card.error.text()
    assert page.chain.row(OFFLOADER, "trim_size").editor.read() == 900
    assert page.bench.result is shown
    page.bench.settings.edit(FieldKey(OFFLOADER, "trim_size"), 700)
    assert not card.error.isVisible()
    settle(page, qtbot)
    case = page.bench.settings.case
    assert case is not None
    assert dict(case.processors)[OFFLOADER] == {"trim_size": 700, "large_message_threshold": 800}


def test_what_is_wrong_with_a_processor_does_not_matter_while_it_is_off(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    page.bench.settings.edit(FieldKey(ROUND, "keep_recent_messages"), -1)
    assert page.bench.settings.errors
    page.chain.switch(1, False)
    assert not page.bench.settings.errors
    settle(page, qtbot)
    assert chain(page) == [CURRENT]
    page.chain.switch(1, True)
    assert page.chain.row(ROUND, "keep_recent_messages").error.isVisible()
    page.bench.settings.undo()
    page.bench.settings.reset()
    settle(page, qtbot)


def test_a_processor_that_cannot_act_says_why(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    page.bench.settings.edit(FieldKey(CURRENT, "model"), None)
    assert page.chain.card(CURRENT).state.text() == "no model"
    page.bench.settings.edit(FieldKey(ROUND, TRIGGER), 0.97)
    page.bench.settings.edit(FieldKey(CURRENT, "model"), "default")
    drag(slider_of(page, CURRENT), 30)
    settle(page, qtbot)
    assert page.chain.card(ROUND).state.text() == "unreached"
    assert "holds" in page.chain.card(ROUND).state.toolTip()
    page.chain.add(OFFLOADER)
    settle(page, qtbot)
    assert page.chain.card(OFFLOADER).state.text() == "idle"
    page.chain.add("SessionMemoryCompressor")
    assert page.chain.card("SessionMemoryCompressor").state.text() == "not enabled"
    settle(page, qtbot)


def test_model_and_counter_are_set_like_the_rest(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    engine = page.chain.engine
    engine.counter.textActivated.emit("tiktoken")
    assert page.bench.settings.edits == 1
    assert engine.counter_row.provenance.text() == "↺ edited"
    settle(page, qtbot)
    QTest.mouseClick(engine.counter_row.provenance, LEFT)
    engine.model.setFocus()
    QTest.keyClicks(engine.model, "gpt-4o")
    qtbot.waitUntil(lambda: page.bench.settings.setup.model == "gpt-4o")
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert result.case.engine_config().model_name == "gpt-4o"
    assert page.bench.settings.capacity == CAPACITY


def test_what_was_set_is_taken_home(replay: OpenCase, window: MainWindow, qtbot: QtBot) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 55)
    settle(page, qtbot)
    clipboard = QGuiApplication.clipboard()
    QTest.keyClick(window, Key.Key_C, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert "'trigger_context_ratio': 0.55" in clipboard.text() or (
        "trigger_context_ratio=0.55" in clipboard.text()
    )
    assert "copied: settings as Python" in window.legend.text()
    window.actions_["copy_command"].trigger()
    assert f"--set {CURRENT}.{TRIGGER}=0.55" in clipboard.text()
    assert page.bench.path in clipboard.text()
    window.actions_["copy_settings"].trigger()
    assert f"{CURRENT}.{TRIGGER} = 0.55  # edited, before 0.80" in clipboard.text()
    assert f"{ROUND}.{TRIGGER} = 0.80  # stated" in clipboard.text() or (
        f"{ROUND}.{TRIGGER} = 0.80  # default" in clipboard.text()
    )
