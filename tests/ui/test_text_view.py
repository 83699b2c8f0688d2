"""Texts of any length, shown as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
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


ORIGINAL = (
    "[[OFFLOAD: handle=0123456789abcdef0123456789abcdef, type=filesystem, path=/a/b, c.json]]"
)
ARCHIVE = "[[COMPRESSION_RECALL: id=20261129T212413366686Z]]"


def followed(view: TextView, qtbot: QtBot, act: Callable[[], object]) -> str:
    with qtbot.waitSignal(view.marker_chosen) as signal:
        act()
    return str(signal.args[0].name)


def place_of(view: TextView, text: str) -> QPoint:
    """Return the middle of a text within the viewport."""
    cursor = view.document().find(text)
    cursor.setPosition((cursor.selectionStart() + cursor.selectionEnd()) // 2)
    return view.cursorRect(cursor).center()


def test_a_click_follows_a_marker(view: TextView, qtbot: QtBot) -> None:
    view.show_text(f"before\n{ORIGINAL} and {ARCHIVE}\nafter")
    click = partial(QTest.mouseClick, view.viewport(), Qt.MouseButton.LeftButton)
    at = place_of(view, "handle=0123")
    assert followed(view, qtbot, lambda: click(pos=at)).startswith("0123")
    at = place_of(view, "id=2026")
    assert followed(view, qtbot, lambda: click(pos=at)) == "20261129T212413366686Z"
    with qtbot.assertNotEmitted(view.marker_chosen):
        click(pos=place_of(view, "before"))
    assert view.toPlainText() == f"before\n{ORIGINAL} and {ARCHIVE}\nafter"


def has_pointer(view: TextView, shape: Qt.CursorShape) -> bool:
    return view.viewport().cursor().shape() == shape


def test_the_pointer_tells_a_marker_from_other_text(view: TextView, qtbot: QtBot) -> None:
    view.show_text(f"before\n{ORIGINAL}")
    for text, shape in (
        ("handle=0123", Qt.CursorShape.PointingHandCursor),
        ("before", Qt.CursorShape.IBeamCursor),
    ):
        QTest.mouseMove(view.viewport(), place_of(view, text))
        qtbot.waitUntil(partial(has_pointer, view, shape))


def test_keys_reach_markers_and_follow_them(view: TextView, qtbot: QtBot) -> None:
    view.show_text(f"before\n{ORIGINAL}\nbetween\n{ARCHIVE}\nafter")
    view.setFocus()
    enter = partial(QTest.keyClick, view, Qt.Key.Key_Return)
    with qtbot.assertNotEmitted(view.marker_chosen):
        enter()
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.textCursor().selectedText() == ORIGINAL
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert followed(view, qtbot, enter) == "20261129T212413366686Z"
    QTest.keyClick(view, Qt.Key.Key_Backtab)
    assert followed(view, qtbot, enter).startswith("0123")
    assert view.hasFocus()


def test_a_marker_is_whole_wherever_a_text_is_cut(view: TextView, qtbot: QtBot) -> None:
    for before in (LINE - 20, CHUNK - 60, CHUNK - 1):
        view.show_text("x" * before + ORIGINAL + "y" * 100)
        view.moveCursor(QTextCursor.MoveOperation.End)
        QTest.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Backtab)
        reached = view.textCursor().selectedText().replace("\u2029", "")
        assert reached == ORIGINAL
        enter = partial(QTest.keyClick, view, Qt.Key.Key_Return)
        assert followed(view, qtbot, enter).startswith("0123")
