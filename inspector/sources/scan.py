"""Everything that lies in the opened paths: one `Source` per file, records indexed where known."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import msgspec

from inspector.sources.detect import HEAD_BYTES, INDEXED, Detected, detect
from inspector.sources.dump import (
    LARGEST_DOCUMENT,
    DumpHead,
    damage_offset,
    read_dump_head,
)
from inspector.sources.header import HeadPool
from inspector.sources.jsonl import JsonlIndex, never
from inspector.sources.problem import Problem
from inspector.sources.walk import FoundFile, walk
from inspector.sources.writer import writer_of


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
    dump: DumpHead | None = None


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


def settle_archives(sources: Iterable[Source]) -> None:
    """Mark the files of a recall archive that only their manifest tells from other files."""
    files = list(sources)
    folders = {PurePath(s.path).parent for s in files if s.kind == "recall" and _is_manifest(s)}
    if not folders:
        return
    for source in files:
        if source.kind in ("unknown", "conversation:openai") and not folders.isdisjoint(
            PurePath(source.path).parents
        ):
            source.kind = "recall"
            source.records = max(source.records, 1)


def _is_manifest(source: Source) -> bool:
    return PurePath(source.path).suffix == ".json"


def _read(found: FoundFile, pool: HeadPool, cancelled: Callable[[], bool]) -> Source:
    source = Source(found.path, "unknown", found.size, found.root)
    try:
        with open(found.path, "rb") as file:
            head = file.read(HEAD_BYTES)
        detected = detect(found.path, head)
        source.kind = detected.kind
        if detected.kind in INDEXED:
            _index(source, pool, cancelled)
        elif detected.kind == "compression_dump":
            source.dump, source.problems = read_dump_head(found.path)
            source.records = 1
        else:
            _count(source, detected)
    except OSError as error:
        source.problems.append(
            Problem(found.path, 0, None, f"cannot be read: {error.strerror or error}")
        )
    return source


def _index(source: Source, pool: HeadPool, cancelled: Callable[[], bool]) -> None:
    index = source.index = JsonlIndex(source.path, pool)
    for _bytes in index.read(cancelled):
        pass
    index.take_remainder()
    source.problems = index.problems
    source.records = len(index.columns)
    source.writer = writer_of(index)


def _count(source: Source, detected: Detected) -> None:
    """Count the records of a file that is listed only."""
    if detected.form == "lines":
        with open(source.path, "rb") as file:
            source.records = sum(1 for line in file if line.strip())
    elif detected.form == "document":
        source.records = 1
        if source.bytes <= LARGEST_DOCUMENT:
            source.problems += _document_problems(source.path)
    elif detected.kind != "unknown":
        source.records = 1
    elif detected.form == "empty" and PurePath(source.path).suffix == ".json":
        source.problems.append(Problem(source.path, 0, None, "is empty, so it is no JSON document"))


def _document_problems(path: str) -> list[Problem]:
    with open(path, "rb") as file:
        raw = file.read()
    try:
        msgspec.json.decode(raw.removeprefix(codecs.BOM_UTF8), type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        offset = damage_offset(raw)
        return [] if offset is None else [Problem(path, offset, None, "is a damaged document")]
    return []
