"""Where debug records end up: in files, or in memory for a replay.

A failed write never disturbs the engine: it is logged and forgotten. Only a bad directory template
is an error, which ends the processor's run as it does in the original.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from engine.debug.directories import (
    DebugPlace,
    dump_name,
    dumps_directory,
    offloader_directory,
    records_directory,
    rule_dump_name,
    rule_dumps_directory,
    safe_name,
)
from engine.debug.offload_records import OffloadRecord, RuleDump
from engine.debug.records import CompressionDump, DebugRecord, Outcome
from engine.files import write_new_file

_LOG = logging.getLogger(__name__)

OFFLOADER_LOG = "message_offloader_debug.jsonl"


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

    def offload(self, record: OffloadRecord, place: DebugPlace, setting: str | None) -> None:
        """Take a record of the offloader."""
        ...

    def rule_dump(self, dump: RuleDump, place: DebugPlace, setting: str | None) -> str | None:
        """Take the dump of a rule; return the declared path of its file, if there is one.

        Raises:
            OSError: it cannot be written.
            ValueError: its path is none.
        """
        ...


class FileSink:
    """Writes the original's files: one line a record, one document a compression."""

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        """Append a line to `{processor}.jsonl`; kinds the original does not have are left out."""
        directory = records_directory(place, setting)
        if directory is None or isinstance(record, Outcome):
            return
        path = _physical(place, directory) / f"{safe_name(record.processor)}.jsonl"
        _append(path, record.to_json())

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

    def offload(self, record: OffloadRecord, place: DebugPlace, setting: str | None) -> None:
        """Append a line to the offloader's log."""
        directory = offloader_directory(place, setting)
        if directory is not None:
            _append(_physical(place, directory) / OFFLOADER_LOG, record.to_json())

    def rule_dump(self, dump: RuleDump, place: DebugPlace, setting: str | None) -> str | None:
        """Write a document; one of the same millisecond and call moves its name on."""
        directory = rule_dumps_directory(place, setting)
        if directory is None:
            return None
        text = json.dumps(dump.model_dump(mode="json"), ensure_ascii=False, indent=2)
        data = text.encode("utf-8", "backslashreplace")
        names = (f"{directory}/{_rule_dump_name(dump, later)}" for later in count())
        declared = next(name for name in names if not _physical(place, name).exists())
        write_new_file(_physical(place, declared), data)
        return declared


class MemorySink:
    """Keeps records and dumps; a dump is made only when somebody looks at it."""

    def __init__(self) -> None:
        """Start empty."""
        self.clear()

    def clear(self) -> None:
        """Let go of everything; lists handed out before stay as they are."""
        self.records: list[DebugRecord] = []
        self.offloads: list[OffloadRecord] = []
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

    def offload(self, record: OffloadRecord, place: DebugPlace, setting: str | None) -> None:
        """Keep a record."""
        offloader_directory(place, setting)
        self.offloads.append(record)

    def rule_dump(self, dump: RuleDump, place: DebugPlace, setting: str | None) -> str | None:
        """Keep a dump's name."""
        directory = rule_dumps_directory(place, setting)
        if directory is None or place.workspace is None:
            return None
        declared = f"{directory}/{_rule_dump_name(dump)}"
        path = place.workspace.inside(declared)
        if path is not None:
            self.files.append(path)
        return declared


def _append(path: Path, record: dict[str, Any]) -> None:
    line = json.dumps(record, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(line.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        _LOG.warning("debug record not written to %s: %s", path, error)


def _rule_dump_name(dump: RuleDump, later: int = 0) -> str:
    return rule_dump_name(
        dump.rule_compression_pass,
        dump.rule_compression_type,
        dump.tool_call_id,
        dump.timestamp + later / 1000,
    )


def _physical(place: DebugPlace, directory: str) -> Path:
    return place.workspace.physical(directory) if place.workspace else Path(directory)
