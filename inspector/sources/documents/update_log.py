"""The head of the document that an update of the notes by edits leaves."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from inspector.sources.document import Part, read_document
from inspector.sources.documents.archive import epoch_seconds
from inspector.sources.problem import Problem


class _Ability(msgspec.Struct):
    allowed_notes_path: str | None = None


class _Keys(msgspec.Struct):
    timestamp: str | None = None
    error: str | None = None
    ability: _Ability | None = None


@dataclass(frozen=True)
class UpdateLogHead:
    """What joining the document to its update needs."""

    path: str
    time: float
    """Epoch seconds, in UTC where the document names no zone; NaN where it tells none."""
    error: str | None
    """Why the update failed, as far as the agent knew."""
    notes_path: str | None
    """Declared path of the file that was edited."""
    torn: bool = False


def read_update_log_head(part: Part) -> tuple[UpdateLogHead, list[Problem]]:
    """Read the head of an update's document, or what a damaged one still tells."""
    keys, torn, problems = read_document(part, _Keys, "log of a notes update")
    notes_path = keys.ability.allowed_notes_path if keys.ability else None
    time = epoch_seconds(keys.timestamp)
    return UpdateLogHead(part.path, time, keys.error, notes_path, torn), problems
