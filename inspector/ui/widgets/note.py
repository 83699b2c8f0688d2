"""What stands where there is nothing to show: what is so, why, and what can be done.

It may hold lines to be copied into something else, such as settings.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFont, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.ui import theme
from inspector.ui.widgets.push_button import push_button

_WIDEST = 560
_NARROWEST = 120
_MARGIN = 12
"""Around the lines to be copied, in pixels."""


class Note(QWidget):
    """A calm page of text in the middle of its place."""

    def __init__(self, parent: QWidget | None = None, large: bool = False) -> None:
        """Say nothing yet.

        Args:
            parent: The widget it is in.
            large: Whether it has the whole window to itself.
        """
        super().__init__(parent)
        self._actions: tuple[QAction, ...] = ()
        heading = theme.emphasised(theme.interface_font())
        if large:
            heading.setPointSizeF(heading.pointSizeF() * 1.6)
        self._title = _label(heading)
        self._text = _label(theme.interface_font())
        self._text.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self._lines = _label(theme.content_font())
        self._lines.setObjectName("lines")
        self._lines.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._lines.setMargin(_MARGIN)
        self._copy = QPushButton("Copy these lines")
        self._copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self._lines.text() + "\n")
        )
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.GRID)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.GRID)
        layout.addStretch(2)
        for label in (self._title, self._text):
            layout.addWidget(label, alignment=Qt.AlignmentFlag.AlignHCenter)
        for widget in (self._lines, self._copy):
            layout.addSpacing(theme.GRID // 2)
            layout.addWidget(widget, alignment=Qt.AlignmentFlag.AlignHCenter)
            widget.hide()
        layout.addSpacing(theme.GRID)
        layout.addLayout(self._buttons)
        layout.addStretch(3)

    def say(
        self,
        title: str,
        text: str = "",
        actions: Sequence[QAction] = (),
        lines: Sequence[str] = (),
    ) -> None:
        """Say something else.

        Args:
            title: What is so.
            text: Why.
            actions: A button for each, the first of them the default.
            lines: To be copied.
        """
        for label, said in (
            (self._title, title),
            (self._text, text),
            (self._lines, "\n".join(lines)),
        ):
            label.setText(said)
            label.setVisible(bool(said))
        self._copy.setVisible(bool(lines))
        self._fit_width()
        if tuple(actions) != self._actions:
            self._actions = tuple(actions)
            self._lay_buttons()

    def _fit_width(self) -> None:
        """Give the texts the width of a line that reads well, and the height that they need."""
        width = min(_WIDEST, max(self.width() - 4 * theme.GRID, _NARROWEST))
        for label in (self._title, self._text):
            label.setFixedSize(width, max(label.heightForWidth(width), 0))
        metrics = self._lines.fontMetrics()
        longest = max(map(metrics.horizontalAdvance, self._lines.text().split("\n")))
        width = min(longest + 2 * _MARGIN + 2, max(self.width() - 4 * theme.GRID, _NARROWEST))
        self._lines.setFixedSize(width, max(self._lines.heightForWidth(width), 0))

    def _lay_buttons(self) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._buttons.addStretch()
        for at, action in enumerate(self._actions):
            button = push_button(action)
            button.setDefault(at == 0)
            self._buttons.addWidget(button)
        self._buttons.addStretch()

    def text(self) -> str:
        """Return what the note says."""
        return f"{self._title.text()}\n{self._text.text()}".strip()

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_width()


def _label(font: QFont) -> QLabel:
    label = QLabel()
    label.setFont(font)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
