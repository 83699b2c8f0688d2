"""One decision of session memory, and the files that it was told from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.sources.documents.notes import NotesHead
from inspector.sources.documents.update_log import UpdateLogHead
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.rows import Verdict

COMPRESSOR, UPDATER = "SessionMemoryCompressor", "SessionMemory"
MEMORY = (COMPRESSOR, UPDATER)
"""The two that write records of session memory."""
UPDATE_PHASE = "update"


@dataclass(frozen=True)
class NotesFiles:
    """What of a session's notes lies in the opened paths.

    Attributes:
        heads: Notes and pending copy.
        logs: The documents of their updates.
    """

    heads: Sequence[NotesHead] = ()
    logs: Sequence[UpdateLogHead] = ()
    template: NotesHead | None = None
    """What the first notes were copied from."""

    @property
    def notes(self) -> NotesHead | None:
        """The notes themselves."""
        return next((head for head in self.heads if head.role == "notes"), None)

    @property
    def pending(self) -> NotesHead | None:
        """The copy that an update works on."""
        return next((head for head in self.heads if head.role == "pending"), None)


@dataclass(frozen=True)
class NotesStory:
    """One decision of session memory."""

    verdict: Verdict
    phase: str | None = None
    """None: that of its record."""
    positions: tuple[int, ...] = ()
    """Its records, by position in `ContextRecords`; of an update's end, those around it."""
    files: tuple[str, ...] = ()
    """Paths of the notes from which an update's end was told."""
    after: float = math.nan
    """Bounds in epoch seconds of what has no record of its own; `before` likewise."""
    before: float = math.nan
    log: UpdateLogHead | None = None
    """The document of the update."""
    stated: StatedEnd | None = None
    """The writer's own statement, where it makes one."""
