"""Where debug records end up: in files, or in memory for a replay.

A failed write never disturbs the engine: it is logged and forgotten.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Protocol

from pydantic import BaseModel

from engine.debug.directories import DebugFile
from engine.debug.offload_records import OffloadRecord, RuleDump
from engine.debug.records import CompressionDump, DebugRecord, Outcome
from engine.workspace.files import append_line, write_beside

_LOG = logging.getLogger(__name__)


Line = DebugRecord | OffloadRecord
"""A JSONL record."""


class DebugSink(Protocol):
    """Takes what the engine has to say about itself."""

    def line(self, build: Callable[[], Line], file: DebugFile) -> None:
        """Take a JSONL record; `build` makes it, if it is wanted."""
        ...

    def dump(self, build: Callable[[], CompressionDump], file: DebugFile) -> None:
        """Take the dump of a compression; `build` makes it, if it is wanted.

        It may raise: whoever calls it looks after that.
        """
        ...

    def rule_dump(self, dump: RuleDump, file: DebugFile) -> str | None:
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

    def line(self, build: Callable[[], Line], file: DebugFile) -> None:
        """Append a line."""
        path = file.path
        if path is None:
            return
        record = build()
        if isinstance(record, Outcome) and not self._additions:
            return
        line = json.dumps(record.to_json(), ensure_ascii=False) + "\n"
        try:
            append_line(path, line.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            _LOG.warning("debug record not written to %s: %s", path, error)

    def dump(self, build: Callable[[], CompressionDump], file: DebugFile) -> None:
        """Write a document; one of the same millisecond moves its name on.

        Raises:
            Exception: the dump cannot be made or written.
        """
        if file.path is not None:
            left_out = None if self._additions else {"context_before"}
            write_beside(file.path, _whole(build(), left_out))

    def rule_dump(self, dump: RuleDump, file: DebugFile) -> str | None:
        """Write a document; one of the same millisecond and call moves its name on."""
        if file.path is None:
            return None
        return f"{file.directory}/{write_beside(file.path, _whole(dump)).name}"


class MemorySink:
    """Keeps makers of records and dumps, which are made only when somebody looks at them."""

    def __init__(self) -> None:
        """Start empty."""
        self.clear()

    def clear(self) -> None:
        """Let go of everything; lists handed out before stay as they are."""
        self.lines: list[Callable[[], Line]] = []
        """Makers of the records, in the order of writing."""
        self.files: list[str] = []
        """Paths of the dumps below the workspace."""
        self.dumps: list[Callable[[], CompressionDump]] = []
        """Makers of the dumps, whether there is a place to write them or not."""

    @property
    def records(self) -> list[DebugRecord]:
        """The records of all processors, those of the offloader's log left out."""
        return [line for line in (build() for build in self.lines) if isinstance(line, DebugRecord)]

    @property
    def offloads(self) -> list[OffloadRecord]:
        """The records of the offloader's log."""
        return [
            line for line in (build() for build in self.lines) if isinstance(line, OffloadRecord)
        ]

    def line(self, build: Callable[[], Line], file: DebugFile) -> None:
        """Keep a record."""
        self.lines.append(build)

    def dump(self, build: Callable[[], CompressionDump], file: DebugFile) -> None:
        """Keep a dump and its name."""
        self.dumps.append(build)
        self._note(file)

    def rule_dump(self, dump: RuleDump, file: DebugFile) -> str | None:
        """Keep a dump's name."""
        self._note(file)
        return file.declared if file.place.workspace else None

    def _note(self, file: DebugFile) -> None:
        workspace = file.place.workspace
        if workspace is None or file.declared is None:
            return
        path = workspace.inside(file.declared)
        if path is not None:
            self.files.append(path)


def _whole(document: BaseModel, left_out: set[str] | None = None) -> bytes:
    made = document.model_dump(mode="json", exclude=left_out)
    text = json.dumps(made, ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace")
