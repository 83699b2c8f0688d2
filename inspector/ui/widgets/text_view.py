"""Shows a text of any length as it is.

A plain-text edit lays out a line of 5 MB for seconds, so a line is broken softly after `LINE`
characters and only the first `CHUNK` characters are laid out; more follow as the user scrolls or
goes to the end. Characters that would act or hide are shown (`formats.visible`); markup is text.
What is copied has no soft breaks in it.

A marker that names something stored elsewhere is a link: a click follows it; Tab goes from link to
link before it leaves the text, and Enter follows the one that is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from inspector.trace.evidence.markers import Marker, find_markers
from inspector.ui import formats, theme
from inspector.ui.models.text_runs import Run, Style

LINE = 1_000
"""Characters after which a line is broken softly."""
CHUNK = 60_000
"""Characters laid out at a time."""

_SOFT = 1
"""State of a block whose line goes on in the next block."""
_LONGEST_MARKER = 4_096
"""Characters before the end of a chunk in which a marker may begin that would be cut in two."""


class _Piece(NamedTuple):
    """A piece of one block at most, in one style."""

    text: str
    style: Style
    marker: Marker | None = None


class _Link(NamedTuple):
    """A marker, and where it stands in the document."""

    marker: Marker
    start: int
    end: int


class TextView(QPlainTextEdit):
    """A read-only view of a long text with few styles.

    Signals:
        marker_chosen: a marker in the text was followed; carries the `Marker`.
    """

    marker_chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[Run] = ()
        self._rest: Iterator[_Piece] = iter(())
        self._links: list[_Link] = []
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
        self.viewport().setMouseTracking(True)
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
        self._links.clear()
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
            characters -= len(piece.text)
            start = _append(cursor, piece, chosen)
            if piece.marker is not None:
                self._add_link(piece.marker, start, cursor.position())
        cursor.endEditBlock()

    def _add_link(self, marker: Marker, start: int, end: int) -> None:
        if self._links and self._links[-1].marker is marker:  # a long one, softly broken
            start = self._links.pop().start
        self._links.append(_Link(marker, start, end))

    def _link_at(self, event: QMouseEvent) -> _Link | None:
        place = event.position().toPoint()
        if not self.anchorAt(place):
            return None
        at = self.cursorForPosition(place).position()
        return next((link for link in self._links if link.start <= at <= link.end), None)

    def _reach_link(self, forward: bool) -> bool:
        """Select the next or previous link; tell whether there was one."""
        cursor = self.textCursor()
        if forward:
            ahead = (link for link in self._links if link.start >= cursor.selectionEnd())
        else:
            ahead = (link for link in self._links[::-1] if link.end <= cursor.selectionStart())
        link = next(ahead, None)
        if link is None:
            return False
        cursor.setPosition(link.start)
        cursor.setPosition(link.end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        return True

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
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            at = self.textCursor().position()
            for link in self._links:
                if link.start <= at <= link.end:
                    self.marker_chosen.emit(link.marker)
                    return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        return self._reach_link(next) or super().focusNextPrevChild(next)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        shape = Qt.CursorShape
        over = not event.buttons() and self._link_at(event) is not None
        self.viewport().setCursor(shape.PointingHandCursor if over else shape.IBeamCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        link = self._link_at(event)
        left = event.button() == Qt.MouseButton.LeftButton
        if link is not None and left and not self.textCursor().hasSelection():
            self.marker_chosen.emit(link.marker)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._runs:
            self._start()


def _pieces(runs: Sequence[Run]) -> Iterator[_Piece]:
    """Cut the runs into pieces of one block at most, each with the line feed that ends it."""
    for run in runs:
        for chunk in _chunks(run.text):
            for text, marker in _linked(chunk):
                for line in formats.visible(text).splitlines(keepends=True):
                    for start in range(0, len(line), LINE):
                        yield _Piece(line[start : start + LINE], run.style, marker)


def _chunks(text: str) -> Iterator[str]:
    """Cut a text so that what lies far ahead is not looked at, and no marker is cut in two."""
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        opened = text.rfind("[[", max(end - _LONGEST_MARKER, start + 1), end + 1)
        if end < len(text) and opened > 0 and text.find("]]", opened, end) < 0:
            end = opened
        yield text[start:end]
        start = end


def _linked(text: str) -> Iterator[tuple[str, Marker | None]]:
    """Part the markers of a text from what stands between them."""
    end = 0
    for marker in find_markers(text):
        yield text[end : marker.start], None
        yield text[marker.start : marker.end], marker
        end = marker.end
    yield text[end:], None


def _append(cursor: QTextCursor, piece: _Piece, chosen: theme.Colours) -> int:
    """Insert a piece at the end; return where it begins."""
    ends = piece.text.endswith("\n")
    if cursor.positionInBlock() >= LINE and piece.text != "\n":
        cursor.block().setUserState(_SOFT)
        cursor.insertBlock(QTextBlockFormat())
    start = cursor.position()
    cursor.setBlockFormat(_block_format(piece.style, chosen))
    cursor.insertText(piece.text.removesuffix("\n"), _char_format(piece, chosen))
    if ends:
        cursor.insertBlock(QTextBlockFormat())
    return start


def _block_format(style: Style, chosen: theme.Colours) -> QTextBlockFormat:
    shape = QTextBlockFormat()
    if style in ("added", "added_part"):
        shape.setBackground(QColor(chosen.added))
    elif style in ("removed", "removed_part"):
        shape.setBackground(QColor(chosen.removed))
    return shape


def _char_format(piece: _Piece, chosen: theme.Colours) -> QTextCharFormat:
    shape, style = QTextCharFormat(), piece.style
    shape.setForeground(QColor(chosen.muted if style == "muted" else chosen.text))
    if style == "heading":
        shape.setFontWeight(600)
    elif style == "added_part":
        shape.setBackground(QColor(chosen.added_part))
    elif style == "removed_part":
        shape.setBackground(QColor(chosen.removed_part))
    if piece.marker is not None:
        shape.setAnchor(True)
        shape.setAnchorHref(piece.marker.name)
        shape.setForeground(QColor(chosen.accent))
        shape.setFontUnderline(True)
    return shape
