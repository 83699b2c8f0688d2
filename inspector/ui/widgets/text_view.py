"""Shows a text of any length as it is.

A plain-text edit lays out a line of 5 MB for seconds, so a line is broken softly after `LINE`
characters and only the first `CHUNK` characters are laid out; more follow as the user scrolls or
goes to the end. Characters that would act or hide are shown (`formats.visible`); markup is text.
What is copied has no soft breaks in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from inspector.ui import formats, theme
from inspector.ui.models.text_runs import Run, Style

LINE = 1_000
"""Characters after which a line is broken softly."""
CHUNK = 60_000
"""Characters laid out at a time."""

_SOFT = 1
"""State of a block whose line goes on in the next block."""


class TextView(QPlainTextEdit):
    """A read-only view of a long text with few styles."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[Run] = ()
        self._rest: Iterator[tuple[str, Style]] = iter(())
        self._complete = True
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.content_font())
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(theme.GRID)
        self.verticalScrollBar().valueChanged.connect(self._follow_scroll)

    def show_text(self, text: str) -> None:
        """Show a text from its beginning."""
        self.show_runs((Run(text),))

    def show_runs(self, runs: Sequence[Run]) -> None:
        """Show styled pieces one after another; the same pieces again change nothing."""
        if runs == self._runs:
            return
        self._runs = runs
        self._start()

    def text(self) -> str:
        """Return the whole text as it is shown, loaded or not."""
        return "".join(formats.visible(run.text) for run in self._runs)

    def _start(self) -> None:
        self.clear()
        self._rest = _pieces(self._runs)
        self._complete = False
        self._load(CHUNK)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _load(self, characters: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        chosen = theme.colours(self.palette())
        cursor.beginEditBlock()
        while characters > 0 and not self._complete:
            piece = next(self._rest, None)
            if piece is None:
                self._complete = True
                break
            text, style = piece
            characters -= len(text)
            _append(cursor, text, style, chosen)
        cursor.endEditBlock()

    def _follow_scroll(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if not self._complete and value > bar.maximum() - 2 * bar.pageStep():
            self._load(CHUNK)

    def _all_selected(self) -> bool:
        cursor = self.textCursor()
        return (
            cursor.selectionEnd() - cursor.selectionStart() >= self.document().characterCount() - 1
        )

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        if self._all_selected():
            data.setText(self.text())
            return data
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        block, parts = self.document().findBlock(start), []
        while block.isValid() and block.position() < end:
            text = block.text()[max(start - block.position(), 0) : end - block.position()]
            beyond = end > block.position() + block.length() - 1
            parts.append(text + ("\n" if beyond and block.userState() != _SOFT else ""))
            block = block.next()
        data.setText("".join(parts))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._load(32 * CHUNK)
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._runs:
            self._start()


def _pieces(runs: Sequence[Run]) -> Iterator[tuple[str, Style]]:
    """Cut the runs into pieces of one block at most, each with the line feed that ends it."""
    for run in runs:
        for first in range(0, len(run.text), CHUNK):
            for line in formats.visible(run.text[first : first + CHUNK]).splitlines(keepends=True):
                for start in range(0, len(line), LINE):
                    yield line[start : start + LINE], run.style


def _append(cursor: QTextCursor, text: str, style: Style, chosen: theme.Colours) -> None:
    ends = text.endswith("\n")
    if cursor.positionInBlock() >= LINE and text != "\n":
        cursor.block().setUserState(_SOFT)
        cursor.insertBlock(QTextBlockFormat())
    cursor.setBlockFormat(_block_format(style, chosen))
    cursor.insertText(text.removesuffix("\n"), _char_format(style, chosen))
    if ends:
        cursor.insertBlock(QTextBlockFormat())


def _block_format(style: Style, chosen: theme.Colours) -> QTextBlockFormat:
    shape = QTextBlockFormat()
    if style in ("added", "added_part"):
        shape.setBackground(QColor(chosen.added))
    elif style in ("removed", "removed_part"):
        shape.setBackground(QColor(chosen.removed))
    return shape


def _char_format(style: Style, chosen: theme.Colours) -> QTextCharFormat:
    shape = QTextCharFormat()
    shape.setForeground(QColor(chosen.muted if style == "muted" else chosen.text))
    if style == "heading":
        shape.setFontWeight(600)
    elif style == "added_part":
        shape.setBackground(QColor(chosen.added_part))
    elif style == "removed_part":
        shape.setBackground(QColor(chosen.removed_part))
    return shape
