"""How each attempt of a context ended, and what that rests on.

An attempt is decided by one record or dump where there is one (`recorded`); else `give_ups`
concludes from what followed. Whether dumps are written at all is not in the files, but a
compression that left none shows that they are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.dump import DumpHead
from inspector.sources.lines.columns import known_count
from inspector.trace.compressions.attempts import Attempt, DumpShelf, Starts, read_attempt
from inspector.trace.compressions.give_ups import Dumps, Silence, judge
from inspector.trace.compressions.listings import was_rewritten
from inspector.trace.compressions.story import Judged, figures_of
from inspector.trace.evidence.archives import ArchiveList
from inspector.trace.evidence.outcomes import StatedEnd, StatedEnds
from inspector.trace.evidence.records import CHECK, MODEL_CALL, SPAN, ContextRecords
from inspector.trace.evidence.steps import Steps
from inspector.trace.rows import Candidate, Row, Verdict

_ENDED_BY = {
    "no_smaller_span": "overflow_no_smaller_span",
    "retry_budget_exhausted": "overflow_exhausted",
}
_CALLED_AGAIN = frozenset({"budget_ratio_shrink", "transient_backoff"})
_UNKNOWN = Verdict("undecided", None, "inferred")


class AttemptJudge:
    """Concludes how the attempts of a context ended."""

    def __init__(
        self,
        records: ContextRecords,
        starts: Starts,
        steps: Steps,
        ends: StatedEnds,
        shelf: DumpShelf,
        archives: ArchiveList,
        dumps: Dumps,
        tailing: bool,
        largest_block: int | None,
    ) -> None:
        self._records, self._starts, self._steps, self._shelf = records, starts, steps, shelf
        self._ends, self._archives = ends, archives
        self._dumps, self._tailing, self._largest_block = dumps, tailing, largest_block
        in_window = (records.event == CHECK) & records.table.in_window[records.head]
        self._checks = np.flatnonzero(in_window & ~steps.on_demand)
        self._model_calls = np.flatnonzero(records.event == MODEL_CALL)
        self._lists = np.flatnonzero(np.isin(records.event, (SPAN, MODEL_CALL)))
        self._forced = set(starts.forced.tolist())
        self._damaged = records.damaged
        processor = records.processor[self._checks]
        self._first_check = {
            name: int(self._checks[found[0]]) if len(found) else len(records.head)
            for name in steps.chain
            for found in [np.flatnonzero(processor == records.table.processors.index(name))]
        }

    def judge(self, decisions: NDArray[np.int64]) -> tuple[list[Row], Dumps]:
        """Return a row for each of these decisions, and whether dumps turned out to be on."""
        found = [self._attempt(int(decision)) for decision in decisions]
        stated = [self._ends.take(attempt.outcome) for attempt in found]
        silences = [
            None
            if end is not None or _decided(self._records, attempt)
            else self._silence(attempt, int(decision))
            for attempt, end, decision in zip(found, stated, decisions, strict=True)
        ]
        if self._dumps != "on" and any(s and (s.changed or s.archived) for s in silences):
            self._dumps = "off"
        rows = [
            self._row(attempt, end, replace(silence, dumps=self._dumps) if silence else None)
            for attempt, end, silence in zip(found, stated, silences, strict=True)
        ]
        return rows, self._dumps

    def _attempt(self, decision: int) -> Attempt:
        records, starts = self._records, self._starts
        attempt = read_attempt(records, starts.members(decision).tolist())
        first = int(starts.at[decision])
        after = float(records.time[first if attempt.span is None else attempt.span])
        processor, before = records.head_at(first).processor, self._next_start(decision)
        return replace(attempt, dump=self._shelf.take(processor, after, before))

    def _next_start(self, decision: int) -> float:
        """Return when the same compressor's next decision begins, in epoch seconds."""
        records, starts = self._records, self._starts
        end, first = int(starts.end[decision]), int(starts.at[decision])
        if end < len(starts.ordered):
            following = int(starts.ordered[end])
            if records.processor[following] == records.processor[first]:
                return float(records.time[following])
        return math.inf

    def _archived(self, attempt: Attempt, decision: int) -> bool:
        processor = self._records.head_at(attempt.positions[0]).processor
        after = float(self._records.time[attempt.positions[-1]])
        return self._archives.made(processor, after, self._next_start(decision)) is not None

    def _silence(self, attempt: Attempt, decision: int) -> Silence:
        records, first = self._records, attempt.positions[0]
        in_request = attempt.check is not None and not self._steps.on_demand[first]
        following = self._following(self._checks, first) if in_request else None
        return Silence(
            dumps=self._dumps,
            span_built=attempt.span is not None,
            backoffs=sum(
                records.head_at(at).reason == "transient_backoff" for at in attempt.retries
            ),
            target=known_count(records.extra[first]) if attempt.check is not None else None,
            largest_block=self._largest_block,
            changed=self._changed(attempt, following),
            archived=self._archived(attempt, decision),
            asked_on=self._asked_on(first, following) if in_request else None,
            request_ended=self._following(self._model_calls, first) is not None,
            last=attempt.positions[-1] == len(records.head) - 1,
            tailing=self._tailing,
        )

    def _following(self, positions: NDArray[np.int64], first: int) -> int | None:
        """Return the next of these positions if it is in the same window request."""
        found = int(np.searchsorted(positions, first, side="right"))
        if found == len(positions):
            return None
        at = int(positions[found])
        return at if self._steps.step[at] == self._steps.step[first] else None

    def _changed(self, attempt: Attempt, following: int | None) -> bool | None:
        """Tell whether the context was rewritten, from the next check or the next messages."""
        records = self._records
        if following is not None and attempt.check is not None:
            total = known_count(records.total[attempt.check])
            later = known_count(records.total[following])
            if total is not None and later is not None:
                return total != later
        if attempt.span is None:
            return None
        found = int(np.searchsorted(self._lists, attempt.positions[-1], side="right"))
        if found == len(self._lists):
            return None
        try:
            return was_rewritten(records, attempt.span, int(self._lists[found]))
        except OSError:
            return None

    def _asked_on(self, first: int, following: int | None) -> bool | None:
        if following is not None:
            return True
        chain, name = self._steps.chain, self._records.head_at(first).processor
        if name not in chain:  # its checks are of another phase
            return None
        later = chain[chain.index(name) + 1 :]
        expected = any(self._first_check[name] < first for name in later)
        return False if expected and not self._damaged else None

    def _row(self, attempt: Attempt, stated: StatedEnd | None, silence: Silence | None) -> Row:
        records, first = self._records, attempt.positions[0]
        if stated is not None:
            verdict = stated.verdict
        elif silence is None:
            verdict = _recorded_verdict(records, attempt)
        else:
            verdict = _unclear_check(records, attempt) or judge(silence)
        alone = stated is not None and stated.at == first
        calls = sum(records.head_at(at).reason in _CALLED_AGAIN for at in attempt.retries)
        forced = first in self._forced
        judged = Judged(
            attempt,
            verdict,
            model_calls=stated.record.model_calls if stated else calls + attempt.asked,
            forced=forced,
            stated=stated,
        )
        return Row(
            when=float(records.time[first]),
            order=first,
            step=stated.step if alone and stated else int(self._steps.step[first]),
            processor=records.head_at(first).processor,
            story=judged,
            figures=figures_of(records, judged),
            time=float(records.time[first]),
            on_demand=forced or bool(self._steps.on_demand[first]),
        )


def _decided(records: ContextRecords, attempt: Attempt) -> bool:
    return attempt.dump is not None or any(
        records.head_at(at).reason in _ENDED_BY for at in attempt.retries
    )


def _recorded_verdict(records: ContextRecords, attempt: Attempt) -> Verdict:
    """Return the end that one record or file of the original's kinds states."""
    if attempt.dump is not None:
        return Verdict("compressed", None, "recorded")
    for at in attempt.retries:
        reason = _ENDED_BY.get(records.head_at(at).reason or "")
        if reason:
            return Verdict("gave_up", reason, "recorded")
    return _UNKNOWN


def _unclear_check(records: ContextRecords, attempt: Attempt) -> Verdict | None:
    """Conclude what a damaged check decided, where no span follows and it does not say `hit`."""
    if attempt.check is None or attempt.span is not None:
        return None
    head, total = records.head_at(attempt.check), known_count(records.total[attempt.check])
    if head.hit is True:
        return None
    if total is not None and head.threshold is not None and total < head.threshold:
        return Verdict("declined", "below_threshold", "inferred")
    why = "the check is damaged before its result"
    possible = ["no_compressible_span", "target_below_min"]
    if head.hit is False:
        return Verdict(
            "declined", None, "inferred", tuple(Candidate(reason, why) for reason in possible)
        )
    possible = ["below_threshold", *possible, "interrupted"]
    return Verdict("undecided", None, "inferred", tuple(Candidate(r, why) for r in possible))


def largest_block(dumps: Iterable[DumpHead]) -> int | None:
    """Return the tokens of the largest memory block, recovered context included."""
    sizes = [
        dump.target - (dump.before - dump.after)
        for dump in dumps
        if dump.target is not None and dump.before is not None and dump.after is not None
    ]
    return max(sizes, default=None)
