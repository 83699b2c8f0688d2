"""What a marker stands for: the original or the archive, or why it cannot be had.

Only what lies in the opened paths is read. What would lie elsewhere is read when the user asks for
it, and only if it is an ordinary file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtWidgets import QPushButton, QWidget

from inspector.sources.scan import Source
from inspector.trace.evidence.archives import recall_view
from inspector.trace.evidence.markers import Marker, Payload, Payloads
from inspector.trace.evidence.raw_records import raw_record
from inspector.trace.windows.stored import originals_of
from inspector.ui import formats
from inspector.ui.models.detail.part_list import recall_runs
from inspector.ui.models.detail.stored_list import WHERE_MARKS, payload_runs
from inspector.ui.models.message_text import full_text
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.panels.inspect.page import Page
from inspector.ui.tasks.worker import Worker

_KEY = "payload"


class Followed(NamedTuple):
    """Where a thing is, and what of it there is to read."""

    payload: Payload
    runs: tuple[Run, ...]


class PayloadPanel(Page):
    """One marker followed."""

    def __init__(self, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__("What the marker stands for", parent)
        self._worker = worker
        self._payload: Payload | None = None
        self.ask = QPushButton("Read the file there")
        self.ask.clicked.connect(self._read_outside)
        self.add_button(self.ask)

    def follow(self, marker: Marker, sources: Sequence[Source]) -> None:
        """Show what a marker stands for among these files, or what became of it."""
        self.ask.hide()
        self.show_page((Cell("looking for it…", "muted"),), ())
        self._worker.submit(
            _KEY,
            lambda _: _followed(marker, sources),
            self._take,
            lambda error: self.show_page((Cell(str(error), "failure"),), ()),
        )

    def _take(self, found: Followed) -> None:
        payload = self._payload = found.payload
        self.ask.setVisible(payload.where == "outside" and not found.runs)
        mark = WHERE_MARKS[payload.where]
        self.show_page((Cell(mark.told, mark.tone, mark),), (*payload_runs(payload), *found.runs))

    def _read_outside(self) -> None:
        payload = self._payload
        if payload is not None:
            self._worker.submit(_KEY, lambda _: _outside(payload), self._take, lambda _: None)


def _followed(marker: Marker, sources: Sequence[Source]) -> Followed:
    payloads = Payloads(sources)
    payload = payloads.locate(marker)
    if payload.where != "found":
        return Followed(payload, ())
    try:
        if marker.kind == "recall":
            return Followed(payload, recall_runs(recall_view(payloads.archives[marker.name])))
        return Followed(payload, _original(payload))
    except OSError as error:
        return Followed(payload, _refused(error))


def _outside(payload: Payload) -> Followed:
    """Read a file that the user has asked for, from where the marker says that it is."""
    try:
        return Followed(payload, _original(payload))
    except OSError as error:
        return Followed(payload, _refused(error))


def _original(payload: Payload) -> tuple[Run, ...]:
    """Read the messages of an offload file, or whatever else the file holds.

    Raises:
        OSError: it cannot be read, or is no ordinary file.
    """
    path = payload.path or ""
    if not os.path.isabs(path) or not os.path.isfile(path):
        raise FileNotFoundError(0, "there is no ordinary file", path)
    originals = originals_of(replace(payload, where="found"))
    if originals:
        return tuple(run for each in originals for run in (Run("\n"), *full_text(each, True)))
    record = raw_record(path, 0, None, "offload")
    clipped = f"\n… the file has {formats.size(record.length)}" if record.clipped else ""
    return (Run("\nIt holds no message. As it stands:\n\n", "muted"), Run(record.text + clipped))


def _refused(error: OSError) -> tuple[Run, ...]:
    return (Run(f"\nIt cannot be read: {error.strerror or error}.\n"),)
