"""Opening paths: their files, what could not be read, and a trace of each context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from inspector.sources.dump import DumpHead
from inspector.sources.header import HeadPool
from inspector.sources.jsonl import JsonlIndex, never
from inspector.sources.problem import Problem
from inspector.sources.scan import Source, scan, settle
from inspector.trace.correlation import correlate
from inspector.trace.recording import Recording
from inspector.trace.records import ContextKey, ContextRecords, context_key, group_by_context

_RECORD_FOLDER = "context_debug"
"""Default folder of the records; dumps go into a sibling of it, else into the same folder."""


@dataclass(frozen=True)
class Opened:
    """What some paths hold."""

    sources: tuple[Source, ...]
    traces: tuple[Recording, ...]
    """One per context, in order of first appearance."""

    @property
    def problems(self) -> list[Problem]:
        """Everything that could not be read, file by file."""
        return [problem for source in self.sources for problem in source.problems]


def open_traces(
    paths: Iterable[str | Path],
    cancelled: Callable[[], bool] = never,
    progress: Callable[[Source], None] | None = None,
) -> Opened:
    """Read everything below `paths`, which are one input.

    Args:
        paths: Files and directories.
        cancelled: Asked between blocks and files; when true, what was read so far is returned.
        progress: Called with each file that was read.
    """
    pool = HeadPool()
    sources: list[Source] = []
    for source in scan(paths, pool, cancelled):
        sources.append(source)
        if progress is not None:
            progress(source)
    settle(sources)
    return Opened(tuple(sources), tuple(read_traces(sources, pool)))


def read_traces(
    sources: Sequence[Source], pool: HeadPool, tailing: bool = False
) -> list[Recording]:
    """Return the trace of each context that the sources mention."""
    indexed = [source for source in sources if source.index is not None]
    files = [source.index for source in indexed if source.index is not None]
    covered = {source.path for source in indexed if _covers_dumps(source)}
    records = {context.key: context for context in group_by_context(files, pool)}
    dumps: dict[ContextKey, list[DumpHead]] = {}
    for source in sources:
        if source.dump is not None:
            key = context_key(source.dump.session_id, source.dump.context_id)
            dumps.setdefault(key, []).append(source.dump)
    return [
        Recording(
            correlate(
                key,
                records.get(key),
                dumps.get(key, []),
                _expects_dumps(records.get(key), files, covered),
                tailing,
            )
        )
        for key in dict.fromkeys([*records, *dumps])
    ]


def _expects_dumps(
    records: ContextRecords | None, files: Sequence[JsonlIndex], covered: set[str]
) -> bool:
    if records is None:
        return True
    return any(files[at].path in covered for at in set(records.file.tolist()))


def _covers_dumps(source: Source) -> bool:
    """Tell whether the dumps that belong to these records would have been found."""
    folder = PurePath(source.path).parent
    if folder.name == _RECORD_FOLDER:
        folder = folder.parent
    return PurePath(source.root) in (folder, *folder.parents)
