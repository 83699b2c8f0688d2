"""What is shown of a problem: which file, where in it, what is wrong, the bytes there."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.sources.jsonl import read_bytes
from inspector.sources.problem import Problem
from inspector.ui import formats
from inspector.ui.models.text_runs import Run
from inspector.ui.tasks.worker import Worker
from inspector.ui.widgets.text_view import TextView

_KEY = "problem"
_EXCERPT = 4_000
"""Bytes shown from the damage on."""


class ProblemPanel(QWidget):
    """One problem in words, with an excerpt of the file."""

    def __init__(self, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self.text = TextView("Problem")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 0, 0)
        layout.addWidget(self.text)

    def show_problem(self, problem: Problem) -> None:
        """Show a problem; the excerpt follows when it has been read."""
        told = _told(problem)
        self.text.show_runs(told)
        self._worker.submit(
            _KEY,
            lambda _: read_bytes(problem.path, problem.offset, _EXCERPT),
            lambda excerpt: self.text.show_runs((*told, *_excerpt(excerpt))),
            lambda _: None,
        )


def _told(problem: Problem) -> tuple[Run, ...]:
    name = problem.path.rpartition("/")[2]
    subject = name if problem.line is None else f"Line {problem.line:,} of {name}"
    rest = "" if problem.line is None else "Every other record of this file has been read.\n"
    return (
        Run(f"{subject} {formats.one_line(problem.reason, 1_000)}\n", "heading"),
        Run(f"{problem.path} @ {problem.offset:,}\n{rest}", "muted"),
    )


def _excerpt(raw: bytes) -> tuple[Run, ...]:
    if not raw:
        return ()
    return (
        Run("\nFrom that offset on:\n\n", "muted"),
        Run(raw.decode(errors="backslashreplace")),
    )
