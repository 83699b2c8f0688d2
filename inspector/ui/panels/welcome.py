"""The page where no input is shown: welcome, reading, nothing found, could not be read."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.live import Growth
from inspector.ui import formats
from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.widgets.note import Note


class WelcomePanel(QWidget):
    """One note, said according to what is open."""

    def __init__(self, document: Document, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._actions = actions
        self.note = Note(large=True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.note)
        document.open_failed.connect(self._tell_failure)
        document.progressed.connect(self._tell_progress)
        document.reading_changed.connect(self._tell)
        document.opened.connect(self._tell)
        self._tell()

    def _tell(self) -> None:
        document = self._document
        if document.reading:
            self.note.say("Reading…", ", ".join(document.reading), [self._actions["stop"]])
        elif document.content is None:
            self.note.say("Context Inspector", _WELCOME, self._openers())
        elif not document.content.traces:
            self.note.say("No debug records here", self._told_empty(), self._openers())

    def _tell_progress(self, growth: Growth) -> None:
        sources = growth.content.sources
        files = formats.plural(len(sources), "file")
        records = formats.plural(sum(source.records for source in sources), "record")
        self.note.say("Reading…", f"{files} · {records}", [self._actions["stop"]])

    def _tell_failure(self, reason: str) -> None:
        self.note.say("This could not be opened", reason, self._openers())

    def _openers(self) -> list[QAction]:
        return [self._actions[name] for name in ("open_folder", "open_file", "open_sample")]

    def _told_empty(self) -> str:
        content = self._document.content
        assert content is not None
        files = formats.plural(len(content.sources), "file")
        told = [", ".join(self._document.paths), f"{files}, none with records of a compressor."]
        told += [f"{problem.path}: {problem.reason}" for problem in content.problems[:3]]
        return "\n".join([*told, _HOW])


_WELCOME = (
    "See why an agent's context was compressed, or was not.\n"
    "Open a workspace or debug directory that the context engine wrote, or drop it here."
)
_HOW = "Records are written only while a processor's setting enable_compression_dump is on."
