"""Traces that keep up with files that are being written.

`follow` hands out everything that is known so far, again and again: while the paths are read for
the first time, and whenever more is written. A trace is made anew only when something of its
session came, from the files that tell of that session; all others stay the same objects. A decision
is the same in an older trace and a newer one if processor and time are; rows may differ.

Correlating takes time that grows with the session, so it is done less often the longer it takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import never
from inspector.sources.scan import Source, settle
from inspector.sources.tail import Tail
from inspector.sources.watch import Watch
from inspector.trace.context_trace import DecisionColumns
from inspector.trace.evidence.folders import Folders
from inspector.trace.evidence.records import ContextKey, context_key
from inspector.trace.opened import Opened, read_traces
from inspector.trace.recording import Recording

PACE = 1 / 30
"""Seconds from one state that is handed out to the next, while something new comes."""
LOOK = 1.0
"""Seconds after which everything is looked at, whatever was said to have changed."""
ENDED = 600.0
"""Seconds without a change after which nothing in a session is running any more."""

_MUCH = 8 << 20
"""Bytes to read that are worth to hand out what was read before them."""
_REST = 1.0
"""How much longer to rest than correlating took."""
_LOOK_REST = 10.0
"""How much longer to rest than looking everywhere took."""
_ANSWER = 0.2
"""Longest wait in seconds before asking whether to stop."""


@dataclass(frozen=True)
class Growth:
    """What is known at one time."""

    content: Opened
    complete: bool
    """All that was there has been read once."""
    behind: int
    """Bytes that are known to be there and are not read yet."""
    watched: bool
    """The system tells of changes; otherwise they are found by looking, once a second."""


def follow(paths: Iterable[str], cancelled: Callable[[], bool] = never) -> Iterator[Growth]:
    """Read everything below `paths`, which are one input, and keep up with it until cancelled.

    The reading is done on the caller's thread, whenever it asks for more. When the generator ends
    or is closed, no watch and no thread is left.
    """
    paths = tuple(paths)
    with Watch(paths) as watch:
        follower = _Follower(paths, watch, cancelled)
        while not cancelled():
            yield from follower.read()
            yield from follower.settle()
            follower.rest()


class _Follower:
    """Where to look next, and when to hand out what is known."""

    def __init__(self, paths: tuple[str, ...], watch: Watch, cancelled: Callable[[], bool]) -> None:
        pool = HeadPool()
        self._watch, self._cancelled = watch, cancelled
        self._tail = Tail(paths, pool)
        self._traces = LiveTraces(self._tail, pool)
        self._complete = False
        self._told: set[str] = set()
        self._publish = _Pacer(PACE, _REST)
        self._look, self._hurried_look = _Pacer(LOOK, _LOOK_REST), _Pacer(PACE, _LOOK_REST)

    def read(self) -> Iterator[Growth]:
        """Read what is new where something changed, or everywhere when it is time to."""
        missed = not self._tail.covers(self._told)
        everywhere = self._look.wait() <= 0 or (missed and self._hurried_look.wait() <= 0)
        if everywhere:
            self._look.begin()
            self._hurried_look.begin()
            reading, self._told = self._tail.read(None, self._cancelled), set()
        else:
            reading = self._tail.read(self._told, self._cancelled)
            self._told = {path for path in self._told if not self._tail.covers([path])}
        began = time.monotonic()
        for _source in reading:  # what is read soon is handed out when all of it is
            long = self._tail.behind > _MUCH or time.monotonic() - began >= PACE
            if long and self._publish.wait() <= 0:
                yield from self._hand_out(self._update())
        if everywhere:
            self._look.end()
            self._hurried_look.end()

    def settle(self) -> Iterator[Growth]:
        """Count what has become final."""
        self._tail.settle()
        first = not self._complete and not self._cancelled()
        self._complete |= first
        if first or self._publish.wait() <= 0:
            quiet = self._tail.seconds_to_settle() is None
            yield from self._hand_out(self._update(settling=quiet) or first)

    def rest(self) -> None:
        """Wait until something changes or has to be done."""
        waits = [self._look.wait(), self._tail.seconds_to_settle() or _ANSWER, _ANSWER]
        if self._tail.has_changes:
            waits.append(self._publish.wait())
        self._told |= self._watch.wait(max(min(waits), 0.0))
        if self._told:  # read just before there is something to hand out, not at every event
            time.sleep(min(max(self._publish.wait(), 0.0), _ANSWER))
            self._told |= self._watch.wait(0.0)

    def _update(self, settling: bool = False) -> bool:
        self._publish.begin()
        news = self._traces.update(settling)
        self._publish.end()
        return news

    def _hand_out(self, news: bool) -> Iterator[Growth]:
        if news:
            content = self._traces.opened()
            yield Growth(content, self._complete, self._tail.behind, self._watch.complete)


class _Pacer:
    """Says when something is to be done again: in step, but later the longer it took last time."""

    def __init__(self, pace: float, rest: float) -> None:
        self._pace, self._rest = pace, rest
        self._began = self._next = 0.0

    def begin(self) -> None:
        self._began = time.monotonic()
        in_step = self._next + self._pace
        self._next = in_step if in_step > self._began else self._began + self._pace

    def end(self) -> None:
        now = time.monotonic()
        self._next = max(self._next, now + self._rest * (now - self._began))

    def wait(self) -> float:
        return self._next - time.monotonic()


class LiveTraces:
    """The traces of a tail's files."""

    def __init__(self, tail: Tail, pool: HeadPool) -> None:
        self._tail, self._pool = tail, pool
        self._sources: dict[str, Source] = {}
        self._sessions: dict[str, frozenset[str]] = {}
        self._groups: dict[tuple[str, ...], tuple[ContextKey, ...]] = {}
        self._traces: dict[ContextKey, Recording] = {}
        self._order: dict[ContextKey, None] = {}
        self._running: set[tuple[str, ...]] = set()
        self._unsettled: set[tuple[str, ...]] = set()

    def opened(self) -> Opened:
        """Return all that is known after the last update."""
        traces = [self._traces[key] for key in self._order if key in self._traces]
        return Opened(tuple(self._sources.values()), tuple(traces))

    def update(self, settling: bool = False) -> bool:
        """Bring the traces up to what was read; tell whether anything is new.

        Args:
            settling: Nothing is being written just now, so that there is time to find out from
                the files what was taken over from earlier states.
        """
        changed = self._tail.take_changes()
        regrouped = self._take_sources(changed) if changed else False
        groups = self._partition() if regrouped else list(self._groups)
        stale = {group for group in groups if not changed.isdisjoint(group)}
        stale |= {group for group in groups if group not in self._groups}
        stale |= {group for group in self._running if group in self._groups and self._ended(group)}
        if settling:
            stale |= self._unsettled
        if regrouped:
            self._forget(set(self._groups).difference(groups))
        for group in groups:
            if group in stale:
                self._read(group, settling)
        return bool(changed or stale)

    def _take_sources(self, changed: Collection[str]) -> bool:
        """Take over the tail's sources; tell whether they may tell of other sessions now."""
        before, sources = self._sources, {s.path: s for s in self._tail.sources}
        sessions = self._sessions
        self._sessions = {path: sessions.get(path, frozenset()) for path in sources}
        for path in changed:
            if path in sources:
                self._sessions[path] = _sessions(sources[path])
        regrouped = self._sessions != sessions or any(
            path in sources and sources[path].index is None for path in changed
        )
        if regrouped:
            self._sources = {path: replace(source) for path, source in sources.items()}
            settle(list(self._sources.values()))
        else:
            for path in changed:
                writer = sources[path].writer or before[path].writer
                before[path] = replace(sources[path], writer=writer)
        return regrouped

    def _partition(self) -> list[tuple[str, ...]]:
        """Put the files together that tell of the same sessions.

        What names no session belongs to the sessions in the nearest folder that has any.
        """
        sets = _Sets()
        folders: dict[PurePath, set[str]] = {}
        for path, sessions in self._sessions.items():
            for session in sessions:
                sets.join(f"session {session}", path)
            if sessions:
                first = next(iter(sessions))
                for folder in PurePath(path).parents:
                    folders.setdefault(folder, set()).add(first)
        homes = Folders(self._sources.values())
        for path, source in self._sources.items():
            if not self._sessions[path] and source.head is not None:
                near = (folders[f] for f in PurePath(path).parents if f in folders)
                for session in next(near, ()):
                    sets.join(f"session {session}", path)
                if (named := homes.session_of(path)) is not None:
                    sets.join(f"session {named}", path)
        telling = [p for p, s in self._sources.items() if s.index is not None or s.head is not None]
        groups: dict[str, list[str]] = {}
        for path in telling:
            groups.setdefault(sets.name(path), []).append(path)
        return [tuple(paths) for paths in groups.values()]

    def _forget(self, groups: Iterable[tuple[str, ...]]) -> None:
        for group in groups:
            for key in self._groups.pop(group):
                self._traces.pop(key, None)
            self._running.discard(group)
            self._unsettled.discard(group)

    def _read(self, group: tuple[str, ...], settling: bool) -> None:
        running = not self._ended(group)
        sources = [self._sources[path] for path in group]
        traces = read_traces(sources, self._pool, tailing=running)
        before = {key: self._traces.pop(key, None) for key in self._groups.get(group, ())}
        settled = True
        for trace in traces:
            key = context_key(trace.session_id, trace.context_id)
            earlier = before.get(key)
            if earlier is not None and not settling and trace.take_method(earlier):
                settled = False
            _ = trace.method  # reads a few windows, so not on the thread that paints
            self._traces[key] = trace
            self._order[key] = None
        self._groups[group] = tuple(
            context_key(trace.session_id, trace.context_id) for trace in traces
        )
        (self._running.add if running else self._running.discard)(group)
        (self._unsettled.discard if settled else self._unsettled.add)(group)

    def _ended(self, group: Sequence[str]) -> bool:
        return all(self._tail.quiet_for(path) >= ENDED for path in group)


class _Sets:
    """Disjoint sets that are joined step by step."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def name(self, member: str) -> str:
        """Return the member that stands for the set."""
        above = self._above.setdefault(member, member)
        while above != member:
            self._above[member] = self._above[above]
            member, above = above, self._above[above]
        return member

    def join(self, first: str, second: str) -> None:
        """Make one set of those of two members."""
        self._above[self.name(second)] = self.name(first)


def _sessions(source: Source) -> frozenset[str]:
    if source.index is None:
        return frozenset(source.sessions)
    heads = source.index.pool.heads
    keys = {
        context_key(heads[code].session_id, heads[code].context_id) for code in source.index.codes
    }
    return frozenset(key.session_id for key in keys)


def same_decision(before: DecisionColumns, row: int, after: DecisionColumns) -> int | None:
    """Return the row that a decision of an earlier trace has in a later one; None: not there.

    Decisions without a time are told apart by their order.
    """
    name = before.processors[before.processor[row]]
    if name not in after.processors:
        return None
    time = before.time[row]
    mine = _alike(before, int(before.processor[row]), time)
    theirs = np.flatnonzero(_alike(after, after.processors.index(name), time))
    rank = int(mine[:row].sum())
    return int(theirs[rank]) if rank < len(theirs) else None


def _alike(columns: DecisionColumns, processor: int, time: float) -> NDArray[np.bool_]:
    """Mark the rows of a processor and a time, or of those without a time."""
    alike: NDArray[np.bool_] = columns.processor == processor
    alike &= np.isnan(columns.time) if np.isnan(time) else columns.time == time
    return alike
