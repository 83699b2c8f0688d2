"""What is shown of a row, whatever it is: its own detail, and what every row may have besides.

Besides: the markers in its window and what they name, the archive of what it replaced, and the
agent's own request beside the one before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from inspector.sources.documents.archive import ArchiveHead
from inspector.trace.compressions.detail import DetailReader
from inspector.trace.compressions.files import ContextFiles
from inspector.trace.correlation import LOGGED, Correlated
from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, StoredView, WindowDiff
from inspector.trace.evidence.archives import recall_view
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.evidence.records import MODEL_CALL, ContextRecords, read_at
from inspector.trace.folding import Fold, fold_detail
from inspector.trace.offloads.detail import check_detail, pass_detail, stored_by
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.rows import Verdict
from inspector.trace.session_memory.detail import notes_detail
from inspector.trace.session_memory.story import MEMORY, NotesStory
from inspector.trace.stated import stated_detail
from inspector.trace.windows.fates import request_change
from inspector.trace.windows.stored import markers_of

_MOST_USES = 50
"""Uses of notes whose windows are read to show the notes over time."""

_STATED = Verdict("declined", None, "recorded")


class ContextDetail:
    """Reads what there is to see of one context. Its methods raise OSError for a lost file."""

    def __init__(self, found: Correlated, files: ContextFiles, reader: DetailReader) -> None:
        """Read nothing yet."""
        self._found = found
        self._files = files
        self._reader = reader

    def detail(self, row: int, decision: Decision) -> Detail:
        """Return what there is to see about a row, whose decision this is."""
        shown = self._own(row, decision)
        stored = shown.stored
        if not stored and shown.windows is not None:
            stored = markers_of(shown.windows, self._found.found.payloads)
        archive = self._archive(row, decision, stored)
        return replace(
            shown,
            stored=tuple(self._recalled(view) for view in stored),
            recall=recall_view(archive) if archive is not None else None,
            changes=self.change(decision.step),
        )

    def change(self, step: int | None) -> WindowDiff | None:
        """Return the agent's own request of a step beside the one before it."""
        if step is None:
            return None
        request, previous = self._files.request(step), self._files.request_before(step)
        return None if request is None or previous is None else request_change(previous, request)

    def _own(self, row: int, decision: Decision) -> Detail:
        found, at = self._found.found, int(self._found.at[row])
        story = self._found.stories.get(row)
        if isinstance(story, StatedEnd):
            return stated_detail(story, self._dated)
        if isinstance(story, Fold):
            return fold_detail(story, self._dated)
        if isinstance(story, OffloadPass):
            shown = pass_detail(story, found.offloads, found.records, found.payloads)
            return replace(shown, handles=self._handles)
        if self._found.origin[row] == LOGGED and found.offloads is not None:
            return replace(check_detail(found.offloads, at), handles=self._handles)
        if decision.processor in MEMORY:
            noted = story if isinstance(story, NotesStory) else NotesStory(_STATED, positions=(at,))
            return notes_detail(noted, found.records, found.notes, self._uses())
        return self._reader.detail(row, at, decision)

    @cached_property
    def _handles(self) -> tuple[StoredView, ...]:
        """Every original that the context's offloaders stored."""
        views = (stored_by(told, self._found.found.payloads) for told in self._found.found.told)
        return tuple(self._recalled(view) for view in views if view is not None)

    @cached_property
    def _again(self) -> dict[str, str | None]:
        """By handle of an original, the one under which it was stored again after a reload."""
        told = self._found.found.told
        return {other.reload_of: other.handle for other in told if other.reload_of is not None}

    def _recalled(self, view: StoredView) -> StoredView:
        """Add when the agent's model asked for an original or an archive, and what came of it."""
        marker = view.payload.marker
        recalls = (
            r for r in self._found.recalls if marker.name in (r.call.handle, r.call.memory_id)
        )
        return replace(view, recalls=tuple(recalls), again=self._again.get(marker.name))

    @property
    def _dated(self) -> ContextRecords:
        assert self._found.records is not None, "what a record states has dated records"
        return self._found.records

    def _uses(self) -> Iterator[tuple[float, dict[str, Any]]]:
        """Yield the requests that followed when notes took the messages' place."""
        records, columns = self._found.records, self._found.decisions
        if records is None:
            return
        used = columns.outcome == columns.outcomes.index("materialised")
        calls = np.flatnonzero(records.event == MODEL_CALL)
        for row in np.flatnonzero(used).tolist()[-_MOST_USES:]:
            mine = calls[self._found.record_steps[calls] == columns.step[row]]
            if len(mine):
                record = read_at(records, int(mine[0]))
                yield float(columns.time[row]), record

    def _archive(
        self, row: int, decision: Decision, stored: tuple[StoredView, ...]
    ) -> ArchiveHead | None:
        """Return the archive of what a decision replaced."""
        if decision.outcome not in ("compressed", "materialised") or decision.time is None:
            return None
        archives = self._found.found.archives
        made = archives.made(decision.processor, decision.time, self._next_time(row))
        if made is not None:
            return made
        names = (view.payload.marker for view in stored)
        named = (archives.named(marker.name) for marker in names if marker.kind == "recall")
        mine = (a for a in named if a is not None and a.processor == decision.processor)
        return next((a for a in mine if math.isnan(a.time)), None)

    def _next_time(self, row: int) -> float:
        """Return when the same processor's next decision was made, in epoch seconds."""
        columns = self._found.decisions
        later = np.flatnonzero(columns.processor[row + 1 :] == columns.processor[row]) + row + 1
        times = columns.time[later]
        times = times[np.isfinite(times)]
        return float(times[0]) if len(times) else math.inf
