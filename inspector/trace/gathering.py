"""What the opened files hold of each context, gathered from all of them.

Records, dumps and manifests name their session and context; offload files and notes are placed by
their folder, and by what the log says of them. Copies of a record or a dump count once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

import numpy as np

from inspector.sources.documents.archive import ArchiveHead
from inspector.sources.documents.dump import DumpHead
from inspector.sources.documents.notes import NotesHead
from inspector.sources.documents.offload_file import OffloadFileHead
from inspector.sources.documents.rule_dump import RuleDumpHead
from inspector.sources.documents.update_log import UpdateLogHead
from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import Source
from inspector.trace.correlation import Found
from inspector.trace.evidence.archives import ArchiveList, archives_by_context
from inspector.trace.evidence.folders import Folders
from inspector.trace.evidence.markers import Payloads
from inspector.trace.evidence.records import (
    ContextKey,
    ContextRecords,
    GroupedRecords,
    context_key,
    group_by_context,
)
from inspector.trace.offloads.passes import LoosePass, find_passes, loose_passes
from inspector.trace.offloads.shelf import OffloadShelf, PlacedFile
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.session_memory.story import NotesFiles

H = TypeVar("H")

_RECORD_FOLDER = "context_debug"
"""Default folder of the records; dumps go into a sibling of it, else into the same folder."""


def gather(sources: Sequence[Source], pool: HeadPool, tailing: bool = False) -> list[Found]:
    """Return what the sources hold of each context that they mention, in order of appearance."""
    folders = Folders(sources)
    indexes = [source.index for source in sources if source.index is not None]
    records = {context.key: context for context in group_by_context(indexes, pool)}
    dumps = _dumps(sources)
    shelf = _shelf(sources, folders)
    logs = [context.offloads for context in records.values() if context.offloads is not None]
    passes = {context.key: context.passes for context in find_passes(logs, shelf, tailing)}
    loose = _placed(loose_passes(shelf), [*records, *dumps])
    notes = _notes(sources, folders)
    archives = archives_by_context(_archives(sources, folders))
    payloads, writers = Payloads(sources), _writers(sources)
    covered = {s.path for s in sources if s.index is not None and _covers_dumps(s)}
    found = []
    for key in dict.fromkeys([*records, *dumps, *loose]):
        mine = records.get(key, GroupedRecords(key, None, None))
        found.append(
            Found(
                key=key,
                records=mine.dated,
                offloads=mine.offloads,
                dumps=dumps.get(key, []),
                dumps_expected=_expects_dumps(mine.dated, covered),
                passes=passes.get(key, []),
                loose=loose.get(key, []),
                notes=notes.get(key.session_id, NotesFiles()),
                writer=writers.get(key.session_id),
                archives=ArchiveList(archives.get(key, [])),
                payloads=payloads,
                tailing=tailing,
            )
        )
    return found


def _dumps(sources: Iterable[Source]) -> dict[ContextKey, list[DumpHead]]:
    found: dict[ContextKey, list[DumpHead]] = {}
    for dump in _without_copies(_heads(sources, DumpHead)):
        found.setdefault(context_key(dump.session_id, dump.context_id), []).append(dump)
    return found


def _without_copies(dumps: Iterable[DumpHead]) -> list[DumpHead]:
    """Leave out dumps of the same compression; a whole one counts before one that breaks off.

    A compressor cannot replace a context twice in a millisecond, which is what names tell. One
    without a time that says the same as another is its copy.
    """
    found: dict[object, DumpHead] = {}
    figures: set[object] = set()
    for dump in sorted(dumps, key=lambda dump: (math.isnan(dump.time), dump.torn)):
        whose = dump.processor, dump.session_id, dump.context_id
        said = whose, dump.before, dump.after, dump.target, dump.span
        if math.isfinite(dump.time):
            found.setdefault((whose, math.floor(dump.time * 1000 + 1e-3)), dump)
        elif said not in figures:
            found[dump.path, dump.offset] = dump
        figures.add(said)
    return list(found.values())


def _heads(sources: Iterable[Source], kind: type[H]) -> list[H]:
    """Return what is known of all documents of a kind."""
    return [head for source in sources for head in source.heads if isinstance(head, kind)]


def _shelf(sources: Sequence[Source], folders: Folders) -> OffloadShelf:
    files = _heads(sources, OffloadFileHead)
    placed = (PlacedFile(head, folders.session_of(head.path)) for head in files)
    return OffloadShelf.of(placed, _heads(sources, RuleDumpHead))


def _placed(
    passes: Iterable[LoosePass], keys: Iterable[ContextKey]
) -> dict[ContextKey, list[OffloadPass]]:
    """Put each pass that only files tell of into its context, or the only one of its session."""
    passes = list(passes)
    told = (context_key(p.session_id, p.context_id) for p in passes if p.context_id is not None)
    contexts: dict[str, list[ContextKey]] = {}
    for key in dict.fromkeys([*keys, *told]):
        contexts.setdefault(key.session_id, []).append(key)
    placed: dict[ContextKey, list[OffloadPass]] = {}
    for loose in passes:
        key = context_key(loose.session_id, loose.context_id)
        only = contexts.get(key.session_id, [])
        if loose.context_id is None and len(only) == 1:
            key = only[0]
        placed.setdefault(key, []).append(loose.told)
    return placed


def _notes(sources: Sequence[Source], folders: Folders) -> dict[str, NotesFiles]:
    """Return the notes of each session, and the documents of their updates."""
    heads: dict[str, list[NotesHead]] = {}
    logs: dict[str, list[UpdateLogHead]] = {}
    templates: list[NotesHead] = []
    for source in sources:
        head = source.head
        if isinstance(head, NotesHead) and head.role == "template":
            templates.append(head)
        elif isinstance(head, NotesHead):
            session = folders.session_of(source.path)
            if session is not None:
                heads.setdefault(session, []).append(head)
        elif isinstance(head, UpdateLogHead):
            session = folders.session_of(head.notes_path or source.path)
            if session is not None:
                logs.setdefault(session, []).append(head)
    return {
        session: NotesFiles(
            heads.get(session, []),
            logs.get(session, []),
            _template(heads.get(session, []), templates),
        )
        for session in {*heads, *logs}
    }


def _archives(sources: Sequence[Source], folders: Folders) -> Iterator[ArchiveHead]:
    """Yield the archives; one whose manifest names no session belongs to that of its folder."""
    for head in _heads(sources, ArchiveHead):
        session = head.session_id or folders.session_of_archive(head.folder)
        yield replace(head, session_id=session)


def _writers(sources: Sequence[Source]) -> dict[str, str]:
    """Return the version that wrote each session, where its files agree."""
    told: dict[str, set[str]] = {}
    for source in sources:
        if source.writer is not None:
            for session in source.sessions:
                told.setdefault(session, set()).add(source.writer)
    return {session: next(iter(found)) for session, found in told.items() if len(found) == 1}


def _template(notes: Sequence[NotesHead], templates: Sequence[NotesHead]) -> NotesHead | None:
    """Return the template whose folder the notes lie below."""
    parents = {parent for head in notes for parent in PurePath(head.path).parents}
    return next((t for t in templates if PurePath(t.path).parent in parents), None)


def _expects_dumps(records: ContextRecords | None, covered: set[str]) -> bool:
    """Tell whether the dumps that belong to a context's records would have been found."""
    if records is None:
        return True
    return any(records.files[at].path in covered for at in np.unique(records.file).tolist())


def _covers_dumps(source: Source) -> bool:
    """Tell whether the dumps beside a file of records lie in the opened paths."""
    folder = PurePath(source.path).parent
    beside = folder.parent if folder.name == _RECORD_FOLDER else folder
    return beside.is_relative_to(source.root)
