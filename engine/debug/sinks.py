"""Where debug records end up: in files, or in memory for a replay.

A failed write never disturbs the engine: it is logged and forgotten. Only a bad directory template
is an error, which ends the processor's run as it does in the original.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from engine.debug.directories import (
    DebugPlace,
    dump_name,
    dumps_directory,
    records_directory,
    safe_name,
)
from engine.debug.records import CompressionDump, DebugRecord, Outcome

_LOG = logging.getLogger(__name__)


class DebugSink(Protocol):
    """Takes what the engine has to say about itself."""

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        """Take a JSONL record; `setting` is the directory that the processor's settings name."""
        ...

    def dump(
        self,
        processor: str,
        timestamp: float,
        build: Callable[[], CompressionDump],
        place: DebugPlace,
        setting: str | None,
    ) -> None:
        """Take the dump of a compression; `build` makes it, if it is wanted.

        It may raise: whoever calls it looks after that.
        """
        ...


class FileSink:
    """Writes the original's files: one line a record, one document a compression."""

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        """Append a line to `{processor}.jsonl`; kinds the original does not have are left out."""
        directory = records_directory(place, setting)
        if directory is None or isinstance(record, Outcome):
            return
        line = json.dumps(record.to_json(), ensure_ascii=False) + "\n"
        path = _physical(place, directory) / f"{safe_name(record.processor)}.jsonl"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(line.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            _LOG.warning("debug record not written to %s: %s", path, error)

    def dump(
        self,
        processor: str,
        timestamp: float,
        build: Callable[[], CompressionDump],
        place: DebugPlace,
        setting: str | None,
    ) -> None:
        """Write a document beside its final place and move it there, so that it is always whole.

        Raises:
            Exception: the directory's template is bad, or the dump cannot be made or written.
        """
        directory = dumps_directory(place, setting)
        if directory is None:
            return
        path = _physical(place, directory) / dump_name(processor, place.session_id, timestamp)
        text = json.dumps(build().model_dump(mode="json"), ensure_ascii=False, indent=2)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.tmp")
        try:
            unfinished.write_bytes(text.encode("utf-8", "backslashreplace"))
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


class MemorySink:
    """Keeps records and dumps; a dump is made only when somebody looks at it."""

    def __init__(self) -> None:
        """Start empty."""
        self.clear()

    def clear(self) -> None:
        """Let go of everything; lists handed out before stay as they are."""
        self.records: list[DebugRecord] = []
        self.files: list[str] = []
        """Paths of the dumps below the workspace."""
        self.dumps: list[Callable[[], CompressionDump]] = []
        """Makers of the dumps, whether there is a place to write them or not."""

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        """Keep a record."""
        records_directory(place, setting)
        self.records.append(record)

    def dump(
        self,
        processor: str,
        timestamp: float,
        build: Callable[[], CompressionDump],
        place: DebugPlace,
        setting: str | None,
    ) -> None:
        """Keep a dump and its name."""
        self.dumps.append(build)
        directory = dumps_directory(place, setting)
        if directory is not None and place.workspace is not None:
            name = dump_name(processor, place.session_id, timestamp)
            path = place.workspace.inside(f"{directory}/{name}")
            if path is not None:
                self.files.append(path)


def _physical(place: DebugPlace, directory: str) -> Path:
    return place.workspace.physical(directory) if place.workspace else Path(directory)
