"""Opening paths: their files, what could not be read, and a trace of each context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import never
from inspector.sources.problem import Problem
from inspector.sources.scan import Source, scan, settle
from inspector.trace.correlation import correlate
from inspector.trace.gathering import gather
from inspector.trace.recording import Recording


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
    return [Recording(correlate(found)) for found in gather(sources, pool, tailing)]
