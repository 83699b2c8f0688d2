"""Where debug records end up: in files, or in memory for a replay.

A failed write never disturbs the engine: it is logged and forgotten. Only a bad directory template
is an error, which ends the processor's run as it does in the original.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
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
from engine.files import append_line, write_beside

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
    """Writes the original's files: one line a record, one document a compression.

    Besides what the original writes there are `Outcome` records and, in dumps, the window as it was
    before; the original's readers pass over both. Without `additions` they are left out.
    """

    def __init__(self, *, additions: bool = True) -> None:
        """Take whether to write what only this engine does."""
        self._additions = additions

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        """Append a line to `{processor}.jsonl`."""
        directory = records_directory(place, setting)
        folder = place.folder(directory)
        if folder is not None and (self._additions or not isinstance(record, Outcome)):
            _append(folder / f"{safe_name(record.processor)}.jsonl", record.to_json())

    def dump(
        self,
        processor: str,
        timestamp: float,
        build: Callable[[], CompressionDump],
        place: DebugPlace,
        setting: str | None,
    ) -> None:
        """Write a document; one of the same millisecond moves its name on.

        Raises:
            Exception: the directory's template is bad, or the dump cannot be made or written.
        """
        folder = place.folder(dumps_directory(place, setting))
        if folder is None:
            return
        left_out = None if self._additions else {"context_before"}
        document = build().model_dump(mode="json", exclude=left_out)
        write_beside(folder / dump_name(processor, place.session_id, timestamp), _whole(document))

    def offload(self, record: OffloadRecord, place: DebugPlace, setting: str | None) -> None:
        """Append a line to the offloader's log."""
        folder = place.folder(offloader_directory(place, setting))
        if folder is not None:
            _append(folder / OFFLOADER_LOG, record.to_json())

    def rule_dump(self, dump: RuleDump, place: DebugPlace, setting: str | None) -> str | None:
        """Write a document; one of the same millisecond and call moves its name on."""
        directory = rule_dumps_directory(place, setting)
        folder = place.folder(directory)
        if folder is None:
            return None
        path = write_beside(folder / _rule_dump_name(dump), _whole(dump.model_dump(mode="json")))
        return f"{directory}/{path.name}"


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
        append_line(path, line.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        _LOG.warning("debug record not written to %s: %s", path, error)


def _whole(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace")


def _rule_dump_name(dump: RuleDump) -> str:
    return rule_dump_name(
        dump.rule_compression_pass,
        dump.rule_compression_type,
        dump.tool_call_id,
        dump.timestamp,
    )
