"""Everything that lies in the opened paths: one `Source` per file, with what is known of it.

Records are indexed, of a document its head is read. A new kind of document is one line in `_HEADS`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import msgspec

from inspector.sources.detect import HEAD_BYTES, INDEXED, Detected, Form, detect
from inspector.sources.document import (
    LARGEST_DOCUMENT,
    Part,
    document_starts,
    read_document,
    whole_file,
)
from inspector.sources.documents.archive import ArchiveHead, in_archive, read_archive_head
from inspector.sources.documents.dump import DumpHead, read_dump_head
from inspector.sources.documents.notes import NotesHead, read_notes_head
from inspector.sources.documents.offload_file import (
    OffloadFileHead,
    empty_offload_head,
    read_offload_head,
)
from inspector.sources.documents.rule_dump import RuleDumpHead, read_rule_dump_head
from inspector.sources.documents.session_state import SessionStateHead, read_session_state_head
from inspector.sources.documents.update_log import UpdateLogHead, read_update_log_head
from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import JsonlIndex, never, read_bytes
from inspector.sources.lines.single_line import RECORD_START
from inspector.sources.problem import Problem
from inspector.sources.regular_file import open_regular
from inspector.sources.walk import FoundFile, walk
from inspector.sources.writer import writer_of

Head = (
    DumpHead
    | RuleDumpHead
    | OffloadFileHead
    | ArchiveHead
    | NotesHead
    | UpdateLogHead
    | SessionStateHead
)
"""What is known of a document."""


@dataclass
class Source:
    """One file: what it is and what of it is known."""

    path: str
    kind: str
    """As in `contracts.md`; `unknown` where the content fits nothing."""
    bytes: int
    root: str
    """The opened path it was found under."""
    records: int = 0
    writer: str | None = None
    """The version that wrote it, where that can be told."""
    problems: list[Problem] = field(default_factory=list)
    index: JsonlIndex | None = None
    head: Head | None = None
    more: tuple[Head, ...] = ()
    """What is known of further documents in it, where files were glued together."""
    gone: bool = False
    """The file was there, and is not any more."""

    @property
    def dump(self) -> DumpHead | None:
        """The head of a compression dump."""
        return self.head if isinstance(self.head, DumpHead) else None

    @property
    def heads(self) -> tuple[Head, ...]:
        """What is known of all documents in it."""
        return self.more if self.head is None else (self.head, *self.more)

    @property
    def sessions(self) -> set[str]:
        """Ids of the sessions that the file itself names."""
        named = {getattr(head, "session_id", None) for head in self.heads}
        if self.index is not None:
            heads = self.index.pool.heads
            named |= {heads[code].session_id for code in self.index.codes}
        return {session for session in named if session}


def scan(
    paths: Iterable[str | Path], pool: HeadPool, cancelled: Callable[[], bool] = never
) -> Iterator[Source]:
    """Yield each file below `paths` once it is read; one that cannot be has a problem."""
    for found in walk(paths):
        if cancelled():
            return
        if isinstance(found, Problem):
            yield Source(found.path, "unknown", 0, found.path, problems=[found])
        else:
            yield _read(found, pool, cancelled)


def settle(sources: Sequence[Source]) -> None:
    """Add what files say about each other, once all of them are read."""
    _settle_archives(sources)
    _settle_writers(sources)


def _settle_archives(sources: Sequence[Source]) -> None:
    """Mark the files of a recall archive, which only their place tells from other files."""
    folders = {PurePath(s.head.folder) for s in sources if isinstance(s.head, ArchiveHead)}
    for source in sources:
        if source.kind in ("unknown", "conversation:openai") and (
            not folders.isdisjoint(PurePath(source.path).parents) or in_archive(source.path)
        ):
            source.kind = "recall"
            source.records = max(source.records, 1)


def _settle_writers(sources: Sequence[Source]) -> None:
    """Tell the writer of a file by other files of the same session, where those agree."""
    told: dict[str, set[str]] = {}
    for source in sources:
        if source.writer is not None:
            for session in source.sessions:
                told.setdefault(session, set()).add(source.writer)
    for source in sources:
        if source.writer is None and source.sessions:
            writers = set().union(*(told.get(session, {None}) for session in source.sessions))
            source.writer = writers.pop() if len(writers) == 1 else None


def _read(found: FoundFile, pool: HeadPool, cancelled: Callable[[], bool]) -> Source:
    source = Source(found.path, "unknown", found.size, found.root)
    try:
        detected = identify(source)
        if detected.kind in INDEXED:
            _index(source, pool, cancelled)
        else:
            read_whole(source, detected, pool)
    except OSError as error:
        source.problems.append(unreadable(found.path, error))
    return source


def identify(source: Source) -> Detected:
    """Tell what kind of file it is, and note that in the source.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(source.path) as file:
        detected = detect(source.path, file.read(HEAD_BYTES))
    source.kind = detected.kind
    return detected


def read_whole(source: Source, detected: Detected, pool: HeadPool) -> None:
    """Read what is wanted of a file that is not indexed record by record.

    Raises:
        OSError: the file cannot be opened or read.
    """
    read = _HEADS.get((detected.kind, detected.form))
    if read is None and (detected.form != "document" or source.bytes > LARGEST_DOCUMENT):
        _count(source, detected, pool)
        return
    part = whole_file(source.path)
    source.head, source.problems = (read or _no_head)(part)
    source.records = 1
    if source.problems and detected.form == "document":
        _read_glued(source, part, pool)


def _no_head(part: Part) -> tuple[None, list[Problem]]:
    """Read a document of which nothing is wanted but whether it is one."""
    try:
        msgspec.json.decode(part.raw.removeprefix(codecs.BOM_UTF8), type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return None, read_document(part, _NoKeys, "document").problems
    return None, []


class _NoKeys(msgspec.Struct):
    pass


def _index_all(source: Source, pool: HeadPool, cancelled: Callable[[], bool] = never) -> JsonlIndex:
    """Index the records that stand in a file, whatever else does, and count them."""
    index = source.index = JsonlIndex(source.path, pool)
    for _bytes in index.read(cancelled):
        pass
    index.take_remainder()
    source.records += len(index.columns)
    return index


def _read_glued(source: Source, part: Part, pool: HeadPool) -> None:
    """Read what else stands in a file whose document is damaged or does not end it."""
    start = len(part.raw) - len(part.raw.removeprefix(codecs.BOM_UTF8).lstrip())
    records = [match.start() for match in RECORD_START.finditer(part.raw)]
    documents = [at for at in document_starts(part.raw) if at > start]
    cuts = sorted({at for at in (*records, *documents) if at > start} | {len(part.raw)})
    if len(cuts) > 1:
        [first], problems = _read_parts(part, [0], cuts)
        source.head, source.problems = first, problems
        more, problems = _read_parts(part, documents, cuts)
        source.more = tuple(head for head in more if head is not None)
        source.problems += problems
        source.records += len(source.more)
        reason = "is something that stands behind another file's content"
        source.problems.append(Problem(source.path, cuts[0], None, reason))
    if records:
        _index_all(source, pool)


def documents_among(index: JsonlIndex) -> tuple[Head, ...]:
    """Return the heads of documents that stand between a file's records.

    Raises:
        OSError: the file cannot be opened or read.
    """
    found: list[Head | None] = []
    for passed in index.passed_over:
        start = max(passed.start - _LONGEST_START, 0)
        end = index.scanned if passed.end + 1 >= index.last_line else passed.end
        length = min(end - start, LARGEST_DOCUMENT)
        part = Part(index.path, start, read_bytes(index.path, start, length))
        starts = document_starts(part.raw)
        found += _read_parts(part, starts, [*starts, len(part.raw)])[0]
    return tuple(head for head in found if head is not None)


_LONGEST_START = 16
"""Bytes in front of a line without a record in which a document may begin."""


def _read_parts(
    part: Part, starts: Sequence[int], cuts: Sequence[int]
) -> tuple[list[Head | None], list[Problem]]:
    """Read the documents that begin at some places, each up to the next cut."""
    heads, problems = list[Head | None](), list[Problem]()
    for start in starts:
        end = next(cut for cut in cuts if cut > start)
        raw = part.raw[start:end]
        detected = detect(part.path, raw[:HEAD_BYTES])
        read = _HEADS.get((detected.kind, detected.form), _no_head)
        head, damage = read(Part(part.path, part.offset + start, raw))
        heads.append(head)
        problems += damage
    return heads, problems


def unreadable(path: str, error: OSError) -> Problem:
    """Return the problem of a file that cannot be read at all."""
    return Problem(path, 0, None, f"cannot be read: {error.strerror or error}")


ReadHead = Callable[[Part], tuple[Head | None, list[Problem]]]

_HEADS: Mapping[tuple[str, Form], ReadHead] = {
    ("compression_dump", "document"): read_dump_head,
    ("rule_dump", "document"): read_rule_dump_head,
    ("offload", "document"): read_offload_head,
    ("offload", "empty"): empty_offload_head,
    ("recall", "document"): read_archive_head,
    ("session_memory", "text"): read_notes_head,
    ("session_memory_log", "document"): read_update_log_head,
    ("session_state", "document"): read_session_state_head,
}


def _index(source: Source, pool: HeadPool, cancelled: Callable[[], bool]) -> None:
    index = _index_all(source, pool, cancelled)
    source.problems = index.problems
    source.more = documents_among(index)
    source.records += len(source.more)
    source.writer = writer_of(index)


def _count(source: Source, detected: Detected, pool: HeadPool) -> None:
    """Count the records of a file that is listed only."""
    if detected.form == "lines":
        with open_regular(source.path) as file:
            ours = [RECORD_START.match(line) is not None for line in file if line.strip()]
        source.records = ours.count(False)
        if any(ours):
            _index_all(source, pool)
    elif detected.kind != "unknown":
        source.records = 1
    elif detected.form == "empty" and PurePath(source.path).suffix == ".json":
        source.problems.append(Problem(source.path, 0, None, "is empty, so it is no JSON document"))
