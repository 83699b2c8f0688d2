"""What the main window asks of a perspective: a name, a page, and how to be photographed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QWidget

from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.models.follow import Follow
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import Selection
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.worker import Worker


@dataclass(frozen=True)
class Desk:
    """What all perspectives work on."""

    document: Document
    selection: Selection
    follow: Follow
    worker: Worker
    """The thread that reads what a decision shows."""
    engine: EngineHost
    """The thread that runs the engine."""
    actions: Actions


BEST = 2
"""Worth of a picture that needs no better one."""


@dataclass(frozen=True)
class Picture:
    """A state of the perspective that `shots` takes a picture of.

    Of several with the same name, one after the other, the one that is worth most is taken.
    """

    name: str
    """Part of the file name."""
    pose: Callable[[], None]
    """Brings the state about."""
    ready: Callable[[], bool] = lambda: True
    """Whether everything that the picture shows has arrived."""
    worth: Callable[[], int] = lambda: BEST
    """How well it shows what it is for: 0 when there is nothing to see, up to `BEST`."""


class Status(NamedTuple):
    """What the status bar says."""

    left: Sequence[Cell]
    right: Sequence[Cell]


class Perspective(QWidget):
    """One of the pages that the switch on the toolbar turns to.

    Signals:
        status_changed: `status` or `can_step` say something else.
        wanted: the page asks to be turned to.
    """

    status_changed = Signal()
    wanted = Signal()

    title: ClassVar[str]
    key: ClassVar[str]
    """Turns to it."""

    def take(self, paths: Sequence[str]) -> bool:
        """Open an input of the perspective's own kind; tell whether these paths are one."""
        return False

    def step(self, direction: int, fired_only: bool = False) -> None:
        """Look at the next (1) or previous (-1) decision."""
        raise NotImplementedError

    def can_step(self) -> bool:
        """Whether there are decisions to step through."""
        raise NotImplementedError

    def turn_tab(self, direction: int) -> None:
        """Turn to the next (1) or previous (-1) tab."""
        raise NotImplementedError

    def zoom_out(self) -> None:
        """Bring all steps of the chart into sight."""
        raise NotImplementedError

    def status(self) -> Status:
        """Return what the status bar says while the page is shown."""
        raise NotImplementedError

    def pictures(self) -> Iterator[Picture]:
        """Yield every panel and tab that can be seen, in order."""
        raise NotImplementedError

    def save_layout(self, settings: QSettings) -> None:
        """Remember how the parts are laid out."""

    def restore_layout(self, settings: QSettings) -> None:
        """Lay the parts out as they were remembered."""

    def start(self) -> None:
        """Do what had to wait for the first paint."""

    def unsaved(self) -> str:
        """Return what would be lost if the window closed, in a few words; empty: nothing."""
        return ""

    def close_down(self) -> None:
        """Give up what still runs, for the window closes."""
