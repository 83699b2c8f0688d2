"""All decisions of one context, as columns, with what was concluded about each.

The rows are the starts that `attempts` finds, the dumps that no record explains, the offloaders'
passes, what session memory did, and one row for each of the three compressors that writes nothing
while others do; `decision_columns` sorts them. Python's loop runs over attempts only, so a context
costs O(n log n) in its records, whatever the number of declines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.dump import DumpHead
from inspector.trace.compressions.attempts import (
    Attempt,
    DumpShelf,
    Starts,
    find_starts,
)
from inspector.trace.compressions.give_ups import Dumps
from inspector.trace.compressions.story import Compressions, Judged, figures_of
from inspector.trace.compressions.verdicts import AttemptJudge, largest_block
from inspector.trace.context_trace import DecisionColumns, StepColumns
from inspector.trace.decision_columns import Parts, decision_columns, step_columns
from inspector.trace.evidence.archives import ArchiveList
from inspector.trace.evidence.markers import Payloads
from inspector.trace.evidence.outcomes import StatedEnd, StatedEnds
from inspector.trace.evidence.recalls import Recall, find_recalls
from inspector.trace.evidence.records import CHECK, ContextKey, ContextRecords, OffloadRecords
from inspector.trace.evidence.sightings import Sightings
from inspector.trace.evidence.steps import NO_STEP, NO_STEPS, Steps, find_steps
from inspector.trace.folding import find_folds
from inspector.trace.offloads.passes import (
    end_what_was_sent,
    mark_reloads,
    plain_checks,
    state_ends,
)
from inspector.trace.offloads.rows import loose_rows, pass_rows
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.offloads.times import NO_TIMES, OffloadTimes, offload_times
from inspector.trace.rows import Candidate, Figures, Row, Story, Verdict
from inspector.trace.session_memory.story import MEMORY, NotesFiles
from inspector.trace.session_memory.verdicts import NotesJudge

EXPECTED = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
"""The compressors whose absence from the files is said."""

_ABSENT = Verdict(
    "undecided",
    None,
    "inferred",
    tuple(
        Candidate(reason, "nothing in the files speaks against it")
        for reason in ("no_model", "debug_off", "not_in_chain")
    ),
)


@dataclass(frozen=True)
class Found:
    """What the opened paths hold of one context."""

    key: ContextKey
    records: ContextRecords | None = None
    """Dated records; None where there are none."""
    offloads: OffloadRecords | None = None
    """The offloader's log."""
    dumps: Sequence[DumpHead] = ()
    dumps_expected: bool = True
    """A dump of this context would lie in the opened paths."""
    passes: Sequence[OffloadPass] = ()
    """The offloader's passes by its log."""
    loose: Sequence[OffloadPass] = ()
    """Offloads that only their files tell of."""
    notes: NotesFiles = field(default_factory=NotesFiles)
    writer: str | None = None
    """The version that wrote it, where that can be told."""
    archives: ArchiveList = field(default_factory=ArchiveList)
    payloads: Payloads = field(default_factory=Payloads)
    """Where the things are that markers name."""
    tailing: bool = False
    """More may follow, so an attempt without an end may be running."""

    @property
    def told(self) -> list[OffloadPass]:
        """All passes of offloaders."""
        return [*self.passes, *self.loose]


DATED, LOGGED, TOLD = range(3)
"""Where a row comes from: a decline in the dated records, one in the offloader's log, a story."""


@dataclass(frozen=True)
class Correlated:
    """The decisions of one context.

    Attributes:
        found: What they were told from.
        origin: Per row: DATED, LOGGED or TOLD.
        at: Position of each row's first record in the dated records, or in the offloader's log
            where the row is LOGGED; -1 where there is none.
        on_demand: Per row: it belongs to a compression on demand.
        stories: By row, what is TOLD.
        offload_times: When the lines of the offloader's log were written.
        record_steps: Step of each dated record; `NO_STEP` before the first one.
        dumps: Whether compressions leave dumps here.
        recalls: When the agent's model asked for what had been taken out of its window.
    """

    found: Found
    chain: tuple[str, ...]
    steps: StepColumns
    decisions: DecisionColumns
    origin: NDArray[np.int8]
    at: NDArray[np.int64]
    on_demand: NDArray[np.bool_]
    stories: Mapping[int, Story]
    offload_times: OffloadTimes
    record_steps: NDArray[np.int32]
    dumps: Dumps
    recalls: tuple[Recall, ...]

    @property
    def key(self) -> ContextKey:
        """The ids of the context."""
        return self.found.key

    @property
    def records(self) -> ContextRecords | None:
        """Its dated records."""
        return self.found.records

    @cached_property
    def compressions(self) -> Compressions:
        """The attempts of compressors."""
        decisions = self.decisions
        compressed = decisions.outcome == decisions.outcomes.index("compressed")
        return Compressions(
            records=self.records,
            record_steps=self.record_steps,
            judged={row: s for row, s in self.stories.items() if isinstance(s, Judged)},
            rewritten=decisions.step[compressed],
            min_targets=_min_targets(self.records),
            writer=self.found.writer,
        )


def correlate(found: Found) -> Correlated:
    """Find the decisions of one context."""
    shelf = DumpShelf(found.dumps)
    dated = _dated(found, shelf)
    steps = dated.steps
    rows = [*dated.rows, *(_row_of_dump(dump, found.records, steps) for dump in shelf.close())]
    rows += [_row_of_end(end) for end in state_ends(found.told, dated.ends.rest())]
    sightings = Sightings(found.records, found.dumps)
    logged = _logged(found, sightings, steps)
    rows += [*logged.rows, *loose_rows(found.loose, sightings, steps.begun)]
    if found.records is not None:
        rows += find_folds(found.records, steps, rows)
    recalls = find_recalls(found.records, steps, found.dumps, found.payloads)
    mark_reloads(found.told, recalls)
    rows += _absent_rows(found, dated.declined, rows)
    parts = Parts(
        found.records, steps, dated.declined, found.offloads, logged.times, logged.small, rows
    )
    return _sorted(found, parts, dated.dumps, recalls)


class _Dated(NamedTuple):
    """What the dated records tell."""

    steps: Steps
    ends: StatedEnds
    """Those that belong to none of the rows."""
    declined: NDArray[np.int64]
    """Positions of the plain declines."""
    rows: list[Row]
    dumps: Dumps


def _dated(found: Found, shelf: DumpShelf) -> _Dated:
    """Judge what compressors and session memory did; their dumps are taken from the shelf."""
    records, dumps = found.records, _dumps_state(found)
    if records is None:
        return _Dated(NO_STEPS, StatedEnds(None, NO_STEPS), np.empty(0, np.int64), [], dumps)
    starts = find_starts(records)
    steps = find_steps(records, starts.forced, found.dumps)
    ends = StatedEnds(records, steps)
    plain = _plain_declines(records, starts)
    declined = np.sort(np.concatenate([starts.at[plain], _notes_declines(records)]))
    judge = AttemptJudge(
        records,
        starts,
        steps,
        ends,
        shelf,
        found.archives,
        dumps,
        found.tailing,
        largest_block(found.dumps),
    )
    rows, dumps = judge.judge(np.flatnonzero(~plain))
    rows += NotesJudge(records, steps, ends, found.notes, found.tailing).rows()
    return _Dated(steps, ends, declined, rows, dumps)


class _Logged(NamedTuple):
    """What the offloader's log tells."""

    times: OffloadTimes
    small: NDArray[np.int64]
    """Positions of the plain declines."""
    rows: Iterable[Row]


def _logged(found: Found, sightings: Sightings, steps: Steps) -> _Logged:
    if found.offloads is None:
        return _Logged(NO_TIMES, np.empty(0, np.int64), ())
    end_what_was_sent(found.offloads, found.passes, sightings)
    times = offload_times(found.offloads, found.passes, sightings, steps.begun)
    rows = pass_rows(found.passes, times, steps.begun)
    return _Logged(times, plain_checks(found.offloads), rows)


def _dumps_state(found: Found) -> Dumps:
    if found.dumps:
        return "on"
    return "presumed" if found.dumps_expected else "unknown"


def _plain_declines(records: ContextRecords, starts: Starts) -> NDArray[np.bool_]:
    """Mark the decisions that one record decides: a check not passed, with its reason."""
    stated = np.array(
        [head.hit is False and head.reason is not None for head in records.table.heads], np.bool_
    )
    plain: NDArray[np.bool_] = stated[records.head[starts.at]]
    plain &= records.event[starts.at] == CHECK
    return plain


def _notes_declines(records: ContextRecords) -> NDArray[np.int64]:
    """Return the positions of session memory's checks that were not passed."""
    table = records.table
    mine = np.array([name in MEMORY for name in table.processors], np.bool_)
    below = np.array([head.hit is False for head in table.heads], np.bool_)
    declined = mine[records.processor] & (records.event == CHECK) & below[records.head]
    return np.flatnonzero(declined)


def _row_of_dump(dump: DumpHead, records: ContextRecords | None, steps: Steps) -> Row:
    """Return the decision that only a dump tells of."""
    judged = Judged(Attempt(dump=dump), Verdict("compressed", None, "recorded"), model_calls=1)
    figures, step = figures_of(records, judged), steps.at_time(dump.time)
    return Row(dump.time, -1, step, dump.processor, judged, figures, time=dump.time)


def _row_of_end(end: StatedEnd) -> Row:
    """Return the decision that only its writer's statement tells of."""
    figures = Figures(saved=end.saved, duration=end.record.seconds)
    time = end.record.timestamp
    return Row(time, end.at, end.step, end.record.processor, end, figures, time=time)


def _absent_rows(found: Found, declined: NDArray[np.int64], rows: Sequence[Row]) -> Iterator[Row]:
    """Yield a row for each compressor that is expected, and of which nothing tells."""
    records = found.records
    if records is None and not found.dumps and found.offloads is None:
        return
    present = {row.processor for row in rows}
    if records is not None:
        codes = np.unique(records.processor[declined]).tolist()
        present |= {records.table.processors[code] for code in codes}
    for name in EXPECTED:
        if name not in present:
            yield Row(math.inf, -1, NO_STEP, name, Judged(Attempt(), _ABSENT))


def _sorted(found: Found, parts: Parts, dumps: Dumps, recalls: tuple[Recall, ...]) -> Correlated:
    """Put all decisions into columns, in order of time."""
    order, (declined, small, _told) = parts.order, parts.counts
    place = np.argsort(order)[declined + small :].tolist()
    return Correlated(
        found=found,
        chain=parts.steps.chain,
        steps=step_columns(parts),
        decisions=decision_columns(parts, order),
        origin=np.repeat(np.array((DATED, LOGGED, TOLD), np.int8), parts.counts)[order],
        at=parts.at[order],
        on_demand=parts.on_demand[order],
        stories={at: row.story for at, row in zip(place, parts.rows, strict=True)},
        offload_times=parts.times,
        record_steps=parts.steps.step,
        dumps=dumps,
        recalls=recalls,
    )


def _min_targets(records: ContextRecords | None) -> dict[tuple[str, int | None], int]:
    if records is None:
        return {}
    used = (records.table.heads[code] for code in np.unique(records.head).tolist())
    return {
        (head.processor, head.capacity): head.min_target
        for head in used
        if head.min_target is not None
    }
