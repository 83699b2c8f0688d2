"""What is shown of a problem: which file, where in it, what is wrong, the bytes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from PySide6.QtWidgets import QWidget

from inspector.sources.lines.jsonl import read_bytes
from inspector.sources.problem import Problem
from inspector.ui import formats
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.panels.inspect.page import Page
from inspector.ui.tasks.worker import Worker

_KEY = "problem"
_EXCERPT = 4_000
"""Bytes shown from the damage on."""


class ProblemPanel(Page):
    """One problem in words, with an excerpt of the file."""

    def __init__(self, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__("Problem", parent)
        self._worker = worker

    def show_problem(self, problem: Problem) -> None:
        """Show a problem; the excerpt follows when it has been read."""
        cells, told = tuple(_head(problem)), tuple(_told(problem))
        self.show_page(cells, told)
        self._worker.submit(
            _KEY,
            lambda _: read_bytes(problem.path, problem.offset, _EXCERPT),
            lambda excerpt: self.show_page(cells, (*told, *_excerpt(excerpt))),
            lambda _: None,
        )


def _head(problem: Problem) -> Iterator[Cell]:
    yield Cell("problem", heading=True)
    yield Cell(f"at byte {problem.offset:,}", "muted")


def _told(problem: Problem) -> Iterator[Run]:
    name = PurePath(problem.path).name
    subject = name if problem.line is None else f"Line {problem.line:,} of {name}"
    yield Run(f"{subject} {formats.one_line(problem.reason, 1_000)}\n", "heading")
    yield Run(f"{problem.path} @ {problem.offset:,}\n", "muted")
    if problem.line is not None:
        yield Run("Every other record of this file has been read.\n", "muted")


def _excerpt(raw: bytes) -> Iterator[Run]:
    if raw:
        yield Run("\nFrom that offset on:\n\n", "muted")
        yield Run(raw.decode(errors="backslashreplace"))
