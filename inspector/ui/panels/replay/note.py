"""The page that stands where nothing is on the bench: nothing to replay, preparing, impossible."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui import formats
from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.widgets.note import Note


class ReplayNotePanel(QWidget):
    """One note, said according to the bench."""

    def __init__(
        self,
        bench: ReplayBench,
        document: Document,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._document = document
        self._actions = actions
        self.note = Note(large=True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.note)
        for signal in (bench.state_changed, bench.progressed, document.opened):
            signal.connect(self._tell)
        self._tell()

    def _tell(self) -> None:
        bench = self._bench
        if bench.state == "preparing":
            self.note.say(
                f"Replaying {bench.name}…", self._told_progress(), self._named("stop_replay")
            )
        elif bench.state == "refused":
            hint = f"\n\n{_DUMPS}" if bench.recording is not None else ""
            text = formats.visible(bench.refusal) + hint
            name = formats.one_line(bench.name)
            self.note.say(f"{name} cannot be replayed", text, self._named("open_file"))
        elif self._has_context():
            self.note.say("Replay", _READY, self._named("replay", "open_file"))
        else:
            self.note.say("Nothing to replay yet", _EMPTY, self._named(*_OPENERS))

    def _told_progress(self) -> str:
        progress = self._bench.progress
        if self._bench.checking:
            return "Comparing with what was recorded."
        if progress is None:
            return "Making a case of what the files hold."
        if not progress.steps:
            return "Running the engine with the settings of the case."
        return (
            "Running the engine with the settings of the case.\n"
            f"step {progress.step:,} of {progress.steps:,}"
        )

    def _has_context(self) -> bool:
        content = self._document.content
        return content is not None and bool(content.traces)

    def _named(self, *names: str) -> list[QAction]:
        return [self._actions[name] for name in names]


_OPENERS = ("open_folder", "open_file", "open_sample", "study")
_READY = (
    "Runs the engine over the selected session again, with settings that you may change,\n"
    "and compares. Nothing recorded is changed."
)
_DUMPS = (
    "Dumps hold the messages. A compressor writes them while enable_compression_dump is on, "
    "and the engine logs requests while enable_context_debug is on."
)
_EMPTY = (
    f"Open a workspace with debug records and dumps, a replay case, or a chat as JSON.\n{_DUMPS}"
)
