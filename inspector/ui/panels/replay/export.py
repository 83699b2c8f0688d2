"""Taking home what is on the bench: as files, and as texts on the clipboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from inspector.replay.comparisons.insights import Insights
from inspector.replay.project import Project, save_project
from inspector.replay.reports.report import make_report
from inspector.replay.settings.chain import chain_text
from inspector.replay.settings.take_home import command_line, decided_chain, python_settings
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.effective_settings import effective_text
from inspector.ui.tasks.worker import Worker

_KEY = "export"
_UNFIT = re.compile(r"[^\w.-]+")


class ReplayExport(QObject):
    """Asks where to, and writes off the UI thread.

    Signals:
        saved: a file was written; carries its path.
        copied: something was put on the clipboard; carries what.
    """

    saved = Signal(str)
    copied = Signal(str)

    def __init__(self, bench: ReplayBench, worker: Worker, window: QWidget) -> None:
        """Serve a bench.

        Args:
            bench: What is saved.
            worker: Where files are written.
            window: What the dialogs belong to.
        """
        super().__init__(window)
        self._bench = bench
        self._worker = worker
        self._window = window

    def save_case(self) -> None:
        """Ask where the case goes, as the command `export` writes it: without edits."""
        case_file = self._bench.case_file
        if case_file is not None:
            self._save("Export case", f"{case_file.case.id}.json", lambda: case_file)

    def save_report(self) -> None:
        """Ask where the candidate's report goes, as the command `replay` writes it."""
        result, case_file = self._bench.result, self._bench.case_file
        if result is not None and case_file is not None:
            name, run = f"{case_file.case.id}-report.json", result.trace.run
            self._save("Export report", name, lambda: make_report(run, Insights().measures(run)))

    def save_chain(self) -> None:
        """Ask where the chain goes, as `--chain` reads it."""
        case = self._bench.settings.case
        if case is not None:
            text = chain_text(decided_chain(case))
            self._save_by("Save chain", "chain.json", lambda path: _write_text(text, path))

    def save_project(self, project: Project, saved: Callable[[], None]) -> None:
        """Ask where the case and its runs go; `saved` is called when they are there."""
        name = f"{project.case.id}-project.json"
        self._save_by("Save project", name, lambda path: save_project(project, path), saved)

    def copy_python(self) -> None:
        """Put the settings on the clipboard as Python for openJiuwen."""
        case = self._bench.settings.case
        if case is not None:
            self._copy(python_settings(case), "settings as Python")

    def copy_command(self) -> None:
        """Put the command line on the clipboard that replays with these settings."""
        base, case = self._bench.settings.base, self._bench.settings.case
        if base is not None and case is not None:
            path = self._bench.path or f"{_UNFIT.sub('-', base.id)}.json"
            self._copy(command_line(base, case, path), "command line")

    def copy_settings(self) -> None:
        """Put all settings in force on the clipboard, each with its source."""
        if self._bench.state == "ready":
            self._copy(effective_text(self._bench.settings), "effective settings")

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(what)

    def _save(self, title: str, name: str, made: Callable[[], BaseModel]) -> None:
        self._save_by(title, name, lambda path: write_document(made(), path))

    def _save_by(
        self,
        title: str,
        name: str,
        write: Callable[[Path], None],
        saved: Callable[[], None] = lambda: None,
    ) -> None:
        def finish(_: None) -> None:
            saved()
            self.saved.emit(path)

        path, _ = QFileDialog.getSaveFileName(
            self._window, title, _UNFIT.sub("-", name), "JSON (*.json)"
        )
        if path:
            self._worker.submit(
                _KEY,
                lambda _: write(Path(path)),
                finish,
                lambda error: self._tell(f"{path} could not be written: {error}"),
            )

    def _tell(self, reason: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Not saved", "", parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(reason)
        box.open()


def write_document(document: BaseModel, path: Path) -> None:
    """Write a case or a report as JSON, in the form in which the command line writes it.

    Raises:
        OSError: the file cannot be written.
    """
    data = document.model_dump(mode="json", exclude_none=True)
    _write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", path)


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
