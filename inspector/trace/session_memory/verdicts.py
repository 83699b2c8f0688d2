"""How notes took the messages' place and updates of them ended, and what that rests on.

The compressor writes one hit for being full enough, and a second one when it then acts. The updater
writes a hit for each update that it starts, and nothing when the update ends; a later check of its
own shows that it ended, for one update runs at a time. What came of it shows in the notes: a
pending copy is left by an update that failed, and notes that are no more than their template were
never changed (`engine.md` D.8). A writer that states its ends leaves nothing of that to be
concluded.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.processors.compressors.session_memory import SessionMemoryCompressorConfig
from inspector.sources.documents.update_log import UpdateLogHead
from inspector.sources.lines.columns import known_count
from inspector.trace.evidence.outcomes import StatedEnd, StatedEnds
from inspector.trace.evidence.records import CHECK, ContextRecords
from inspector.trace.evidence.steps import NO_STEP, Steps
from inspector.trace.rows import Candidate, Figures, Row, Verdict
from inspector.trace.session_memory.story import (
    COMPRESSOR,
    UPDATE_PHASE,
    UPDATER,
    NotesFiles,
    NotesStory,
)

LONGEST_NOTES = SessionMemoryCompressorConfig().max_notes_chars
"""Characters of notes that are used, by default."""


@dataclass
class NotesJudge:
    """Concludes what session memory did in one context."""

    records: ContextRecords
    steps: Steps
    ends: StatedEnds
    files: NotesFiles
    tailing: bool
    _ended: list[float] = field(default_factory=list)
    """When updates were known to have ended, in order of time."""

    def rows(self) -> list[Row]:
        """Return a row for each decision that is no plain decline."""
        stated = list(self.ends.of(UPDATER))
        updates = self._stated_updates(stated) if stated else self._updates()
        return [*updates, *self._uses()]

    def _checks(self, processor: str) -> NDArray[np.int64]:
        """Return the positions of all checks of a processor."""
        names = self.records.table.processors
        if processor not in names:
            return np.empty(0, np.int64)
        mine = self.records.processor == names.index(processor)
        return np.flatnonzero(mine & (self.records.event == CHECK))

    def _updates(self) -> Iterator[Row]:
        """Yield the updates whose ends are not stated, each with what is concluded of its end."""
        checks = self._checks(UPDATER).tolist()
        hits = [n for n, at in enumerate(checks) if self.records.head_at(at).hit is not False]
        logs = self._logs(len(hits))
        for number, (n, log) in enumerate(zip(hits, logs, strict=True)):
            at = checks[n]
            head = self.records.head_at(at)
            if head.hit is None:
                yield self._row(at, NotesStory(_torn(), positions=(at,)))
                continue
            started = Verdict("update_started", None, "recorded")
            yield self._row(at, NotesStory(started, positions=(at,)))
            following = checks[n + 1] if n + 1 < len(checks) else None
            if following is not None:
                self._ended.append(float(self.records.time[following]))
            verdict = self._end(following is not None, number == len(hits) - 1, log)
            yield self._end_row(at, following, verdict, log)

    def _stated_updates(self, ends: Sequence[StatedEnd]) -> Iterator[Row]:
        """Yield the updates whose ends are stated; the check before an end belongs to it."""
        checks = [at for at in self._checks(UPDATER).tolist() if self.records.head_at(at).hit]
        starts = [end for end in ends if end.record.outcome == "update_started"]
        logs = dict(zip((end.at for end in starts), self._logs(len(starts)), strict=True))
        started: StatedEnd | None = None
        for end in ends:
            if end.record.phase == UPDATE_PHASE:
                positions = (end.at,) if started is None else (started.at, end.at)
                log = None if started is None else logs[started.at]
                story = NotesStory(end.verdict, UPDATE_PHASE, positions, log=log, stated=end)
                started = None
                yield self._row(end.at, story)
                continue
            tested = [at for at in checks if at < end.at]
            checks = checks[len(tested) :]
            at = tested[-1] if tested else end.at
            positions = (at, end.at) if tested else (at,)
            yield self._row(at, NotesStory(end.verdict, positions=positions, stated=end))
            started = end if end in starts else started
        if started is not None:
            yield self._row(started.at, NotesStory(self._unended(), UPDATE_PHASE, (started.at,)))

    def _unended(self) -> Verdict:
        """Conclude what came of the last update where its end is not stated."""
        if self.tailing:
            return Verdict("running", None, "inferred")
        why = "it was started, and its end would have been recorded"
        return Verdict("undecided", None, "inferred", (Candidate("interrupted", why),))

    def _logs(self, count: int) -> list[UpdateLogHead | None]:
        """Return the document of each update, where there is one for each."""
        logs = sorted(self.files.logs, key=lambda log: log.time)
        return [*logs] if len(logs) == count else [None] * count

    def _end(self, ended: bool, last: bool, log: UpdateLogHead | None) -> Verdict:
        """Conclude what came of an update."""
        notes = self.files.notes
        if not ended and self.tailing:
            return Verdict("running", None, "inferred")
        if log is not None and log.error:
            why = f"the update's document says that it failed: {log.error}"
            return Verdict("notes_unchanged", "update_failed", "inferred", because=why)
        if last and self.files.pending is not None:
            why = "the pending copy of the notes was left behind, so the last update failed"
            return Verdict("notes_unchanged", "update_failed", "inferred", because=why)
        if notes is None:
            why = "the notes are not in the opened paths"
            possible = (Candidate("notes_updated", why), Candidate("notes_unchanged", why))
            return Verdict("undecided", None, "inferred", possible)
        if notes.unwritten:
            why = "the notes are still no more than their template"
            return Verdict("notes_unchanged", None, "inferred", because=why)
        why = "the notes have been written to, and nothing says that this update failed"
        return Verdict("notes_updated", None, "inferred", because=why)

    def _uses(self) -> Iterator[Row]:
        """Yield the hits of the compressor, two that belong together as one."""
        records, checks = self.records, self._checks(COMPRESSOR).tolist()
        hits = [at for at in checks if records.head_at(at).hit is not False]
        ends = {self._hit_before(hits, end): end for end in self.ends.of(COMPRESSOR)}
        n = 0
        while n < len(hits):
            at = hits[n]
            second = hits[n + 1] if n + 1 < len(hits) else None
            if second is not None and (at in ends or not self._same_request(at, second)):
                second = None
            positions = (at,) if second is None else (at, second)
            stated = ends.pop(positions[-1], None)
            if stated is not None:
                story = NotesStory(stated.verdict, None, (*positions, stated.at), stated=stated)
                yield self._row(at, story, stated.at)
            elif second is not None:
                why = "it wrote a second hit at once, which it does when it acts"
                yield self._row(at, NotesStory(_used(why), positions=positions), second)
            else:
                yield self._row(at, NotesStory(self._single(at), positions=positions))
            n += len(positions)
        for end in ends.values():
            yield self._row(end.at, NotesStory(end.verdict, None, (end.at,), stated=end))

    def _hit_before(self, hits: Sequence[int], end: StatedEnd) -> int:
        """Return the hit to which a stated end belongs; its own position where there is none."""
        before = bisect_left(hits, end.at) - 1
        step = self.steps.step
        same = before >= 0 and step[hits[before]] == step[end.at]
        return hits[before] if same else end.at

    def _same_request(self, first: int, second: int) -> bool:
        records, steps = self.records, self.steps
        return bool(
            records.total[first] == records.total[second]
            and steps.step[first] == steps.step[second]
        )

    def _single(self, at: int) -> Verdict:
        """Conclude what a lone hit came to."""
        if self.records.head_at(at).hit is None:
            return _torn()
        if self.tailing and at == len(self.records.head) - 1:
            return Verdict("running", None, "inferred")
        why = "it wrote one hit, and a second one when it acts"
        reasons = ["no_notes", "no_anchor"]
        if any(time <= float(self.records.time[at]) for time in self._ended):
            reasons.reverse()  # there were notes; what they cover is no longer in the window
        notes = self.files.notes
        if notes is not None and notes.chars > LONGEST_NOTES:
            reasons.insert(0, "notes_too_long")
        possible = tuple(Candidate(reason, why) for reason in reasons)
        return Verdict("declined", None, "inferred", possible, why)

    def _row(self, at: int, story: NotesStory, end: int | None = None) -> Row:
        records, head = self.records, self.records.head_at(at)
        time = float(records.time[at])
        stated, seconds = story.stated, None if end is None else float(records.time[end]) - time
        figures = Figures(
            total=known_count(records.total[at]),
            threshold=head.threshold,
            saved=None if stated is None else stated.saved,
            duration=seconds if stated is None else stated.record.seconds or seconds,
        )
        step = int(self.steps.step[at])
        return Row(time, at, step, head.processor, story, figures, time=time)

    def _end_row(
        self, at: int, following: int | None, verdict: Verdict, log: UpdateLogHead | None
    ) -> Row:
        """Return the row of an update's end, which is known to lie between two records."""
        time, step = self.records.time, self.steps.step
        story = NotesStory(
            verdict,
            UPDATE_PHASE,
            positions=(at,) if following is None else (at, following),
            files=tuple(head.path for head in self.files.heads),
            after=float(time[at]),
            before=math.nan if following is None else float(time[following]),
            log=log,
        )
        same = following is not None and step[following] == step[at]
        return Row(story.after, at, int(step[at]) if same else NO_STEP, UPDATER, story)


def _used(why: str) -> Verdict:
    return Verdict("materialised", None, "inferred", because=why)


def _torn() -> Verdict:
    possible = (Candidate("below_threshold", "the check is damaged before its result"),)
    return Verdict("undecided", None, "inferred", possible)
