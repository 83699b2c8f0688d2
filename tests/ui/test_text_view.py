"""Texts of any length, shown as they are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.ui import theme
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.text_view import CHUNK, LINE, TextView


@pytest.fixture
def view(qtbot: QtBot) -> TextView:
    made = TextView("Text")
    qtbot.addWidget(made)
    made.resize(500, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


def longest_block(view: TextView) -> int:
    document = view.document()
    return max(document.findBlockByNumber(at).length() for at in range(document.blockCount()))


def copied(view: TextView) -> str:
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return QGuiApplication.clipboard().text()


def test_a_line_of_50_mb_is_never_laid_out_whole(view: TextView) -> None:
    view.show_text("x" * 50_000_000)
    assert longest_block(view) <= LINE + 1
    assert view.document().characterCount() < CHUNK + 2 * LINE


def test_more_is_laid_out_as_the_user_scrolls(view: TextView) -> None:
    view.show_text("line\n" * 40_000)
    before = view.document().blockCount()
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert view.document().blockCount() > before
    assert bar.value() < bar.maximum()


def test_the_end_can_be_reached_by_key(view: TextView) -> None:
    view.show_text("line\n" * 100_000 + "the end")
    QTest.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.document().lastBlock().text() == "the end"


def test_a_copy_has_no_soft_breaks(view: TextView) -> None:
    text = "a" * (3 * LINE + 7) + "\nsecond\n"
    view.show_text(text)
    assert view.document().blockCount() > 4
    cursor = view.textCursor()
    cursor.setPosition(5)
    cursor.setPosition(3 * LINE + 7 + 3 + 3, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert copied(view) == "a" * (3 * LINE + 2) + "\nse"


def test_everything_is_copied_though_only_some_is_laid_out(view: TextView) -> None:
    text = "z" * (5 * CHUNK)
    view.show_text(text)
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert copied(view) == text


def test_markup_and_control_characters_are_shown(view: TextView) -> None:
    view.show_text("<h1>no</h1>\x1b[2J\u202e \ud800 中文🙂")
    assert view.toPlainText() == "<h1>no</h1>\\x1b[2J\\u202e \\ud800 中文🙂"


@pytest.mark.parametrize(
    "text", ["", "\n", "one", "one\n", "\n\ntwo\n\n", "x" * LINE, "x" * LINE + "\n\ny"]
)
def test_lines_stay_lines(view: TextView, text: str) -> None:
    view.show_text(text)
    assert view.toPlainText() == text
    assert view.text() == text


def test_styles_are_seen_and_follow_the_colours(view: TextView) -> None:
    view.show_runs((Run("head\n", "heading"), Run("- old\n", "removed"), Run("+ new", "added")))
    blocks = [view.document().findBlockByNumber(at) for at in range(3)]
    chosen = theme.colours(view.palette())
    assert [block.blockFormat().background().color().name() for block in blocks[1:]] == [
        chosen.removed,
        chosen.added,
    ]
    theme.choose(Qt.ColorScheme.Dark)
    assert view.document().findBlockByNumber(2).blockFormat().background().color().name() == (
        theme.DARK.added
    )
    theme.choose(Qt.ColorScheme.Light)
