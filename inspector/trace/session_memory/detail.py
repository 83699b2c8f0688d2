"""What there is to see about what session memory did: its records, and the notes over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.debug.memory_records import NotesUpdateLog
from inspector.sources.document import read_model
from inspector.trace.detail import Detail
from inspector.trace.evidence.raw_records import RawRecord, raw_record
from inspector.trace.evidence.records import ContextRecords, record_offset
from inspector.trace.session_memory.story import NotesFiles, NotesStory
from inspector.trace.session_memory.versions import notes_versions, update_request
from inspector.trace.stated import change_stated


def notes_detail(
    story: NotesStory,
    records: ContextRecords | None,
    files: NotesFiles,
    uses: Iterable[tuple[float, dict[str, Any]]],
) -> Detail:
    """Return what there is to see of a decision.

    Args:
        story: The decision.
        records: The dated records of its context.
        files: The session's notes, and the documents of their updates.
        uses: When notes took the messages' place (epoch seconds), with the requests that followed.

    Raises:
        OSError: one of its files cannot be read any more.
    """
    log = read_model(story.log.path, NotesUpdateLog) if story.log is not None else None
    stated, versions = story.stated, notes_versions(files, uses)
    notes = [*story.verdict.grounds]
    if not versions:
        notes.append("The session's notes are not in the opened paths.")
    if log is not None and log.error:
        notes.append(f"The agent that edits the notes reported: {log.error}.")
    notes += stated.failure if stated is not None else ()
    return Detail(
        windows=change_stated(stated, records) if stated and records else None,
        versions=versions,
        request=update_request(log.request) if log is not None else None,
        records=tuple(_raw(story, records)),
        notes=tuple(notes),
    )


def _raw(story: NotesStory, records: ContextRecords | None) -> Iterator[RawRecord]:
    if records is not None:
        for at in records.with_unknown(story.positions):
            yield raw_record(*record_offset(records, at), records.head_at(at).event)
    if story.log is not None:
        yield raw_record(story.log.path, 0, None, "session_memory_log")
