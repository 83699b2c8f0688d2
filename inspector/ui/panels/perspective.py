"""What the main window asks of a perspective: a name, a page, and how to be photographed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.models.selection import Selection
from inspector.ui.tasks.worker import Worker


@dataclass(frozen=True)
class Desk:
    """What all perspectives work on."""

    document: Document
    selection: Selection
    worker: Worker
    """The thread that owns the sources; work on the engine has a thread of its own."""
    actions: Actions


@dataclass(frozen=True)
class Picture:
    """A state of the perspective that `shots` takes a picture of."""

    name: str
    """Part of the file name."""
    pose: Callable[[], None]
    """Brings the state about."""
    ready: Callable[[], bool] = lambda: True
    """Whether everything that the picture shows has arrived."""


class Perspective(QWidget):
    """One of the pages that the switch on the toolbar turns to."""

    title: ClassVar[str]
    key: ClassVar[str]
    """Turns to it."""

    def pictures(self) -> Iterator[Picture]:
        """Yield every panel and tab that can be seen, in order."""
        raise NotImplementedError

    def save_layout(self, settings: QSettings) -> None:
        """Remember how the parts are laid out."""

    def restore_layout(self, settings: QSettings) -> None:
        """Lay the parts out as they were remembered."""

    def start(self) -> None:
        """Do what had to wait for the first paint."""
