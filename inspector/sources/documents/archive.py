"""The head of a recall archive: its manifest.

An archive is a folder; the manifest names session, context and compressor. Turns and their pieces
are read when somebody looks at them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

import msgspec

from inspector.sources.counts import sound_count
from inspector.sources.document import Part, read_document
from inspector.sources.problem import Problem

ROOT = "compression_recall"
"""Name of the folder that holds a session's archives."""

_HASHED = re.compile(r".*-[0-9a-f]{12}_context", re.DOTALL)
_FOLDER = re.compile(r"(?P<memory_id>\d{8}T\d{12}Z|[0-9a-f]{32})(?:_|$)")


class _Keys(msgspec.Struct):
    memory_id: str | None = None
    session_id: str | None = None
    context_id: str | None = None
    processor_type: str | None = None
    created_at: str | None = None
    source_message_count: int | None = None
    original_context_message_count: int | None = None
    turn_count: int | None = None


@dataclass(frozen=True)
class ArchiveHead:
    """What joining an archive to its compression needs; None where the manifest does not say."""

    path: str
    """The manifest."""
    folder: str
    memory_id: str
    session_id: str | None
    context_id: str | None
    processor: str | None
    time: float
    """Epoch seconds at which it was made; NaN where that is not told."""
    messages: int | None
    """Messages that were replaced."""
    window_messages: int | None
    """Messages that the window had."""
    turns: int | None
    torn: bool = False


def read_archive_head(part: Part) -> tuple[ArchiveHead, list[Problem]]:
    """Read a manifest, or what a damaged one still tells."""
    keys, torn, problems = read_document(part, _Keys, "archive's manifest")
    folder = PurePath(part.path).parent
    named = _FOLDER.match(folder.name)
    memory_id = keys.memory_id or (named["memory_id"] if named else "")
    head = ArchiveHead(
        path=part.path,
        folder=str(folder),
        memory_id=memory_id,
        session_id=keys.session_id,
        context_id=keys.context_id,
        processor=keys.processor_type,
        time=epoch_seconds(keys.created_at),
        messages=sound_count(keys.source_message_count),
        window_messages=sound_count(keys.original_context_message_count),
        turns=sound_count(keys.turn_count),
        torn=torn,
    )
    return head, problems


def in_archive(path: str) -> bool:
    """Return whether a file stands where a session's archives do."""
    parents = PurePath(path).parents
    return any(
        folder.name == ROOT and _HASHED.fullmatch(folder.parent.name) is not None
        for folder in parents
    )


def epoch_seconds(text: str | None) -> float:
    """Return the time of an ISO 8601 text, in UTC where it names no zone; NaN where it is none."""
    try:
        time = datetime.fromisoformat(text or "")
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan
