"""Keeping up with files that are being written.

`Tail.read` looks at files (those that are said to have changed, or all of them) and reads what is
new: of records what stands beyond the last reading, of a document the whole. What happened to a
file is told by what it is now, never by an event: another file in its place, one that got shorter,
and one that no longer begins and ends as it did are read anew.

What is unfinished counts once the file has been quiet for `QUIET` seconds: a last line without an
end, a document that does not parse. If the file goes on after all, so does the reading. A file that
is gone keeps its place and its records, unless it was put in another's place.

A `Source` that was handed out does not change any more, except that the index in it grows.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from inspector.sources.detect import INDEXED, Detected
from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import JsonlIndex, never
from inspector.sources.problem import Problem
from inspector.sources.scan import Source, documents_among, identify, read_whole, unreadable
from inspector.sources.walk import FoundFile, walk
from inspector.sources.writer import writer_of

QUIET = 2.0
"""Seconds without a change after which a file counts as finished."""


class _State(NamedTuple):
    """What tells that a file is another one or has changed."""

    identity: tuple[int, int]
    size: int
    modified: int
    """Nanoseconds since the epoch."""


@dataclass
class _File:
    source: Source
    state: _State | None = None
    """When it was read; None where it has to be read anew."""
    since: float = 0.0
    """When it was seen to change, on the monotonic clock."""
    settled: bool = False
    """What is unfinished has been counted."""
    detected: Detected | None = None
    sure: bool = False
    """However it goes on, it stays of this kind."""
    judged: int = 0
    """Records that its writer was told by."""


class Tail:
    """The files below some paths.

    Attributes:
        behind: Bytes that are known to be there and are not read yet.
    """

    def __init__(self, paths: Iterable[str], pool: HeadPool) -> None:
        self._paths = tuple(paths)
        self._pool = pool
        self.behind = 0
        self._files: dict[str, _File] = {}
        self._unread: dict[str, Source] = {}
        self._changed: set[str] = set()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All files in the order in which they were found, those included that are gone."""
        return (*(file.source for file in self._files.values()), *self._unread.values())

    @property
    def has_changes(self) -> bool:
        """Whether `take_changes` would return any."""
        return bool(self._changed)

    def take_changes(self) -> frozenset[str]:
        """Return the paths of the sources that are new or other ones since the last call."""
        changed, self._changed = frozenset(self._changed), set()
        return changed

    def read(
        self, only: Collection[str] | None = None, cancelled: Callable[[], bool] = never
    ) -> Iterator[Source]:
        """Read what is new; yield a source after each file, and after each block of a long one.

        Args:
            only: Paths that may have changed; None: look everywhere.
            cancelled: Asked between blocks and files.
        """
        states = self._look_everywhere(cancelled) if only is None else self._look_at(only)
        news = [(self._files[p], state) for p, state in states.items()]
        news = [(file, state) for file, state in news if file.state != state]
        self.behind = sum(_beyond(file.source, state) for file, state in news)
        for file, state in news:
            if cancelled():
                return
            yield from self._read(file, state, cancelled)
        self.behind = 0

    def settle(self) -> None:
        """Count what is unfinished in files that have been quiet."""
        for file in self._files.values():
            if not file.settled and file.state is not None and _quiet(file):
                file.settled = True
                try:
                    self._finish(file)
                except OSError:
                    file.state = None

    def seconds_to_settle(self) -> float | None:
        """Return how long until `settle` has something to do; None where nothing is unfinished."""
        waiting = [f.since for f in self._files.values() if not f.settled and not f.source.gone]
        return max(min(waiting) + QUIET - time.monotonic(), 0.0) if waiting else None

    def covers(self, paths: Iterable[str]) -> bool:
        """Tell whether reading these paths only finds all that is new in them."""
        return all(path in self._files and os.path.exists(path) for path in paths)

    def quiet_for(self, path: str) -> float:
        """Return the seconds since a file was seen to change."""
        file = self._files.get(path)
        return time.monotonic() - file.since if file is not None else math.inf

    def _look_at(self, paths: Iterable[str]) -> dict[str, _State]:
        states = {}
        for path in paths:
            if path in self._files:
                try:
                    states[path] = _state(path)
                except OSError:
                    continue  # looking everywhere will tell
        return states

    def _look_everywhere(self, cancelled: Callable[[], bool]) -> dict[str, _State]:
        there: dict[str, tuple[FoundFile, _State]] = {}
        unread = {}
        for found in walk(self._paths):
            if cancelled():
                return {}
            if isinstance(found, Problem):
                source = Source(found.path, "unknown", 0, found.path, problems=[found])
                unread[found.path] = self._unread.get(found.path, source)
                continue
            try:
                there[found.path] = found, _state(found.path)
            except OSError:
                continue  # it went just now
        if unread.keys() != self._unread.keys():
            self._changed |= unread.keys() ^ self._unread.keys()
        self._unread = unread
        self._miss(there)
        for path, (found, _) in there.items():
            if path not in self._files:
                self._files[path] = _File(Source(path, "unknown", 0, found.root))
        return {path: state for path, (_, state) in there.items()}

    def _miss(self, there: Mapping[str, tuple[FoundFile, _State]]) -> None:
        """Mark the files that are gone, and forget those that are another file now.

        One that went while another in its folder was replaced was put in its place.
        """
        identities = {state.identity for _, state in there.values()}
        replaced = {
            os.path.dirname(path)
            for path, (_, state) in there.items()
            if path in self._files and _is_other(self._files[path], state)
        }
        for path in [path for path in self._files if path not in there]:
            file = self._files[path]
            if file.source.gone:
                continue
            moved = file.state is None or file.state.identity in identities
            known = file.source.index is not None or file.source.head is not None
            if moved or not known or os.path.dirname(path) in replaced:
                del self._files[path]
                self._changed.add(path)
            else:
                file.state = None
                self._show(file, replace(file.source, gone=True))

    def _read(self, file: _File, state: _State, cancelled: Callable[[], bool]) -> Iterator[Source]:
        known = file.source.index if not _is_other(file, state) else None
        age = time.time() - state.modified / 1e9 if file.state is None else 0.0
        file.since = time.monotonic() - max(age, 0.0)
        fresh = Source(file.source.path, file.source.kind, state.size, file.source.root)
        try:
            if known is None or not file.sure:
                file.detected = identify(fresh)
                file.sure = known is not None and known.lines > 0 and fresh.kind in INDEXED
            if fresh.kind in INDEXED:
                yield from self._read_records(
                    file, fresh, self._index(file, known, state), cancelled
                )
            else:
                self._read_document(file, fresh)
            file.state = (
                None if cancelled() or _state(fresh.path).identity != state.identity else state
            )
        except OSError as error:
            file.state = None
            fresh.problems = [unreadable(fresh.path, error)]
            self._show(file, fresh)
        yield file.source

    def _index(self, file: _File, known: JsonlIndex | None, state: _State) -> JsonlIndex:
        """Return the index to read on with."""
        settled, file.settled = file.settled, False
        if known is None or state.size < known.scanned or not known.goes_on():
            file.judged = 0
            return JsonlIndex(file.source.path, self._pool)
        return known.reopened() if settled and known.awaits_line_end else known

    def _read_records(
        self, file: _File, fresh: Source, index: JsonlIndex, cancelled: Callable[[], bool]
    ) -> Iterator[Source]:
        """Read what is new of a file of records; its writer is told anew once it has doubled."""
        fresh.writer = file.source.writer if index is file.source.index else None
        for count in index.read(cancelled):
            self.behind = max(self.behind - count, 0)
            self._show(file, _indexed(fresh, index))
            yield file.source
        if fresh.writer is None and len(index.columns) > 2 * file.judged:
            fresh.writer, file.judged = writer_of(index), len(index.columns)
        self._show(file, _indexed(fresh, index))

    def _read_document(self, file: _File, fresh: Source) -> None:
        """Read a document; while it is being written it tells nothing."""
        assert file.detected is not None
        read_whole(fresh, file.detected, self._pool)
        file.settled = not fresh.problems or _quiet(file)
        if not file.settled:
            fresh = Source(fresh.path, fresh.kind, fresh.bytes, fresh.root)
        self._show(file, fresh)

    def _finish(self, file: _File) -> None:
        source, index = file.source, file.source.index
        if index is not None and source.kind in INDEXED:
            index.take_remainder()
            more = documents_among(index)
            self._show(file, replace(_indexed(source, index), writer=writer_of(index), more=more))
        elif file.detected is not None:
            finished = replace(source, problems=[], head=None, more=(), index=None)
            read_whole(finished, file.detected, self._pool)
            self._show(file, finished)

    def _show(self, file: _File, source: Source) -> None:
        file.source = source
        self._changed.add(source.path)


def _state(path: str) -> _State:
    status = os.stat(path)
    return _State((status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns)


def _is_other(file: _File, state: _State) -> bool:
    return file.state is None or file.state.identity != state.identity


def _quiet(file: _File) -> bool:
    return time.monotonic() - file.since >= QUIET


def _indexed(source: Source, index: JsonlIndex) -> Source:
    return replace(
        source,
        bytes=index.scanned,
        records=len(index.columns),
        problems=list(index.problems),
        index=index,
    )


def _beyond(source: Source, state: _State) -> int:
    read = source.index.scanned if source.index is not None else source.bytes
    return max(state.size - read, 0)
