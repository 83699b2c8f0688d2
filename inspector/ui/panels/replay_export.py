"""Saving what is on the bench: the case as it was made, the report of the candidate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from inspector.replay.insights import Insights
from inspector.replay.report import make_report
from inspector.ui.models.replay_bench import ReplayBench
from inspector.ui.tasks.worker import Worker

_KEY = "export"
_UNFIT = re.compile(r"[^\w.-]+")


class ReplayExport(QObject):
    """Asks where to, and writes off the UI thread.

    Signals:
        saved: a file was written; carries its path.
    """

    saved = Signal(str)

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

    def _save(self, title: str, name: str, made: Callable[[], BaseModel]) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self._window, title, _UNFIT.sub("-", name), "JSON (*.json)"
        )
        if path:
            self._worker.submit(
                _KEY,
                lambda _: write_document(made(), Path(path)),
                lambda _: self.saved.emit(path),
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
    text = json.dumps(data, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
