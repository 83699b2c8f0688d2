"""The page where no input is shown: welcome, reading, nothing found, could not be read."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.live import Growth
from inspector.trace.opened import Opened
from inspector.trace.switches import switched_off
from inspector.ui import formats
from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.models.missing_records import setting_lines
from inspector.ui.models.source_nodes import kind_name
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
            self._tell_empty(document.content)

    def _tell_progress(self, growth: Growth) -> None:
        sources = growth.content.sources
        files = formats.plural(len(sources), "file")
        records = formats.plural(sum(source.records for source in sources), "record")
        self.note.say("Reading…", f"{files} · {records}", [self._actions["stop"]])

    def _tell_failure(self, reason: str) -> None:
        self.note.say("This could not be opened", reason, self._openers())

    def _openers(self) -> list[QAction]:
        return [self._actions[name] for name in ("open_folder", "open_file", "open_sample")]

    def _tell_empty(self, content: Opened) -> None:
        """Say which switch was off, over the lines that switch it on, or what is there instead."""
        gaps = switched_off(content.sources)
        files = formats.plural(len(content.sources), "file")
        told = [f"{', '.join(self._document.paths)} · {files}", *(gap.what for gap in gaps)]
        told += [f"{problem.path}: {problem.reason}" for problem in content.problems[:3]]
        if not gaps:
            kinds = dict.fromkeys(kind_name(source.kind) for source in content.sources)
            told.append(f"Found: {', '.join(kinds)}. {_FOREIGN}")
        title = "No debug files?" if gaps else "Nothing that the context engine wrote"
        self.note.say(title, "\n".join(told), self._openers(), setting_lines(gaps))


_FOREIGN = (
    "They tell of no decision, so there is nothing to inspect.\n"
    "A chat as it goes to a model can be replayed: open its file alone."
)
_WELCOME = (
    "See why an agent's context was compressed, or was not.\n"
    "Open a workspace or debug directory that the context engine wrote, or drop it here."
)
