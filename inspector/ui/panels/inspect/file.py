"""What is shown of a file that is chosen among the sources: what it is, and how it begins."""

from __future__ import annotations

import os
from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from inspector.sources.scan import Source
from inspector.trace.evidence.raw_records import RawRecord, raw_record
from inspector.ui import formats
from inspector.ui.models.row_table import Cell
from inspector.ui.models.source_nodes import kind_name
from inspector.ui.models.text_runs import Run
from inspector.ui.panels.inspect.page import Page
from inspector.ui.tasks.worker import Worker

_KEY = "file"


class FilePanel(Page):
    """Kind, size and records of one file, over its text."""

    def __init__(self, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__("File", parent)
        self._worker = worker

    def show_file(self, source: Source) -> None:
        """Show a file; its text follows when it has been read."""
        cells, told = tuple(_head(source)), tuple(_told(source))
        self.show_page(cells, told)
        self._worker.submit(
            _KEY,
            lambda _: _read(source),
            lambda record: self.show_page(cells, (*told, *_text(record))),
            lambda error: self.show_page(cells, (*told, Run(f"\nIt cannot be read: {error}\n"))),
        )


def _head(source: Source) -> Iterator[Cell]:
    yield Cell(kind_name(source.kind), heading=True)
    yield Cell(formats.size(source.bytes), "muted")
    if source.records:
        yield Cell(formats.plural(source.records, "record"), "muted")
    if source.writer:
        yield Cell(f"written by {formats.one_line(source.writer)}", "muted")
    if source.problems:
        yield Cell(formats.plural(len(source.problems), "problem"), "failure")


def _told(source: Source) -> Iterator[Run]:
    yield Run(f"{source.path}\n", "muted")
    for problem in source.problems[:8]:
        yield Run(f"@ {problem.offset:,}: {problem.reason}\n")


def _read(source: Source) -> RawRecord:
    """Read the beginning of a file.

    Raises:
        OSError: it cannot be read, or is no ordinary file.
    """
    if not os.path.isfile(source.path):
        raise OSError("it is gone, or no ordinary file")
    return raw_record(source.path, 0, None, source.kind)


def _text(record: RawRecord) -> Iterator[Run]:
    yield Run(f"\n{record.text}")
    if record.clipped:
        yield Run(f"\n\n… the file goes on; it has {formats.size(record.length)}", "muted")
