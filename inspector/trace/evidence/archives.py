"""The archives of what compressions replaced: to which decision each belongs, and what is in it.

A memory block names its archive, so a dump tells it exactly; else an archive belongs to the attempt
of its compressor during which it was made. One that is still there was not rolled back, so its
compression worked. Only files inside the archive's folder are read.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from engine.recall.archive import ArchivedTurn, ArchiveFiles
from inspector.sources.documents.archive import ArchiveHead
from inspector.sources.regular_file import open_regular
from inspector.trace.evidence.records import ContextKey, context_key

_LARGEST = 16 << 20
"""Bytes of an archive's file that are shown."""


@dataclass(frozen=True)
class ChunkView:
    """A piece of an archived turn."""

    path: str
    text: str
    missing: bool = False
    """Its file is not in the archive, or leads out of it."""


@dataclass(frozen=True)
class TurnView:
    """An archived turn."""

    turn_id: str
    query: str
    answer: str
    chunks: tuple[ChunkView, ...]


@dataclass(frozen=True)
class RecallView:
    """The archive of what a compression replaced."""

    memory_id: str
    folder: str
    time: float | None
    """Epoch seconds at which it was made."""
    messages: int | None
    """Messages that were replaced, of `window_messages`."""
    window_messages: int | None
    turns: tuple[TurnView, ...]


class ArchiveList:
    """The archives of one context."""

    def __init__(self, archives: Iterable[ArchiveHead] = ()) -> None:
        """Take in the archives of one context."""
        self._by_id = {archive.memory_id: archive for archive in archives}
        self._by_processor: dict[str, list[ArchiveHead]] = {}
        dated = (a for a in self._by_id.values() if not math.isnan(a.time))
        for archive in sorted(dated, key=lambda archive: archive.time):
            self._by_processor.setdefault(archive.processor or "", []).append(archive)

    def named(self, memory_id: str) -> ArchiveHead | None:
        """Return the archive of an id."""
        return self._by_id.get(memory_id)

    def made(self, processor: str, after: float, before: float) -> ArchiveHead | None:
        """Return the archive that a compressor made between two times (epoch seconds)."""
        mine = self._by_processor.get(processor, [])
        at = bisect_left(mine, after, key=lambda archive: archive.time)
        return mine[at] if at < len(mine) and mine[at].time < before else None


def recall_view(archive: ArchiveHead) -> RecallView:
    """Read an archive's turns and their pieces.

    Raises:
        OSError: the folder cannot be read.
    """
    return RecallView(
        memory_id=archive.memory_id,
        folder=archive.folder,
        time=None if math.isnan(archive.time) else archive.time,
        messages=archive.messages,
        window_messages=archive.window_messages,
        turns=tuple(_turn(archive.folder, turn) for turn in _turns(archive.folder)),
    )


def _turns(folder: str) -> Iterator[ArchivedTurn]:
    text = _read(folder, ArchiveFiles().turns) or ""
    for line in text.split("\n"):
        try:
            yield ArchivedTurn.model_validate(json.loads(line, strict=False))
        except (ValidationError, ValueError, RecursionError):
            continue


def _turn(folder: str, turn: ArchivedTurn) -> TurnView:
    texts = [(path, _read(folder, path)) for path in turn.chunk_paths]
    chunks = (ChunkView(path, text or "", missing=text is None) for path, text in texts)
    return TurnView(turn.turn_id, turn.query, turn.answer, tuple(chunks))


def _read(folder: str, name: str) -> str | None:
    """Return the text of a file of an archive; None where it is missing or leads out of it."""
    root = os.path.realpath(folder)
    try:
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath((root, path)) != root or not os.path.isfile(path):
            return None
        with open_regular(path) as file:
            return file.read(_LARGEST).decode(errors="replace")
    except (OSError, ValueError):  # a name that is none
        return None


def archives_by_context(archives: Iterable[ArchiveHead]) -> dict[ContextKey, list[ArchiveHead]]:
    """Return the archives of each context."""
    found: dict[ContextKey, list[ArchiveHead]] = {}
    for archive in archives:
        found.setdefault(context_key(archive.session_id, archive.context_id), []).append(archive)
    return found
