"""The places of the parts: docks around a middle, of which only the lines between them are drawn.

Each part can be closed, moved, or put on another screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

_LAYOUT = "inspect/layout"
_SOURCES_WIDTH = 280
_TIMELINE, _DETAIL = 0.29, 0.46
"""Of the height, at first; the middle has the rest."""
_PLACES = {
    "Sources": Qt.DockWidgetArea.LeftDockWidgetArea,
    "Timeline": Qt.DockWidgetArea.TopDockWidgetArea,
    "Detail": Qt.DockWidgetArea.BottomDockWidgetArea,
}


class Docks(QMainWindow):
    """Sources at the left, timeline above the middle, detail below it."""

    def __init__(
        self, middle: QWidget, sources: QWidget, timeline: QWidget, detail: QWidget
    ) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockNestingEnabled(True)
        self.setCentralWidget(middle)
        for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
            self.setCorner(corner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.parts = {
            title: _dock(title, widget, self)
            for title, widget in zip(_PLACES, (sources, timeline, detail), strict=True)
        }

    def toggles(self) -> Iterator[QAction]:
        """Yield for each part the action that shows or hides it."""
        for dock in self.parts.values():
            yield dock.toggleViewAction()

    def save(self, settings: QSettings) -> None:
        """Remember the places."""
        settings.setValue(_LAYOUT, self.saveState())

    def restore(self, settings: QSettings) -> None:
        """Put every part where it was when the places were remembered."""
        state = settings.value(_LAYOUT)
        if not (isinstance(state, QByteArray) and self.restoreState(state)):
            self.reset()

    def reset(self) -> None:
        """Put every part in its place, in its first size."""
        for title, area in _PLACES.items():
            dock = self.parts[title]
            if dock.isFloating():  # else it is laid out anew all the same
                dock.setFloating(False)
            self.addDockWidget(area, dock)
            dock.show()
        sources, timeline, detail = self.parts.values()
        heights = [int(self.height() * share) for share in (_TIMELINE, _DETAIL)]
        self.resizeDocks([sources], [_SOURCES_WIDTH], Qt.Orientation.Horizontal)
        self.resizeDocks([timeline, detail], heights, Qt.Orientation.Vertical)


def _dock(title: str, widget: QWidget, parent: QMainWindow) -> QDockWidget:
    dock = QDockWidget(title, parent)
    dock.setObjectName(title.lower())
    dock.setWidget(widget)
    bare = QWidget()
    dock.setTitleBarWidget(bare)
    dock.topLevelChanged.connect(partial(_frame, dock, bare))
    return dock


def _frame(dock: QDockWidget, bare: QWidget, floats: bool) -> None:
    """Give a dock the ordinary title while it floats, and none while it has a place."""
    dock.setTitleBarWidget(None if floats else bare)  # type: ignore[arg-type]
