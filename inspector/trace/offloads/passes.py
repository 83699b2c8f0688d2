"""What the offloaders did to each tool result, told from log, offload files and rules' dumps.

The log is a list of lines about messages, without times. A pass over one result begins with a
trigger and ends with `message_offloaded`; what a missing line means stands in `verdicts`.
An offload file says by itself that its message was offloaded, so what the log has lost is still
told, and so is all that a processor without a log did. Plain checks stay in columns; the other
lines are looped over, O(n).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.rule_dump import RuleDumpHead
from inspector.sources.lines.offload_log import (
    ADD,
    OFFLOADED,
    OFFLOADER,
    RULE,
    RULED,
    TTL,
    OffloadEntry,
)
from inspector.trace.evidence.outcomes import ADD_PHASE, StatedEnd
from inspector.trace.evidence.recalls import Recall
from inspector.trace.evidence.records import (
    ADD_TRIGGER,
    MESSAGE_CHECK,
    TTL_TRIGGER,
    ContextKey,
    OffloadRecords,
)
from inspector.trace.evidence.sightings import Sightings
from inspector.trace.offloads.shelf import OffloadShelf
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.offloads.verdicts import Ending, judge_pass

_TRIGGERS = (ADD, TTL)


@dataclass
class ContextPasses:
    """The passes of one context."""

    key: ContextKey
    records: OffloadRecords | None = None
    passes: list[OffloadPass] = field(default_factory=list)


def find_passes(
    logs: Iterable[OffloadRecords], shelf: OffloadShelf, tailing: bool
) -> list[ContextPasses]:
    """Group the lines of each context into passes, and join them to files and rules' dumps."""
    contexts = [ContextPasses(log.key, log, _without_copies(_grouped(log))) for log in logs]
    for context in contexts:
        for told in context.passes:
            handle = told.told("handle")
            placed = shelf.file_of_handle(handle) if handle else None
            told.file = placed.head if placed else None
    for context in contexts:
        for told in context.passes:
            _join(context.key, told, shelf)
            told.verdict = judge_pass(_ending(context.records, told, tailing))
    _join_lost(contexts, shelf)
    return contexts


class LoosePass(NamedTuple):
    """A pass that no line tells of, and whose it is, as far as that is known."""

    session_id: str | None
    context_id: str | None
    told: OffloadPass


def loose_passes(shelf: OffloadShelf) -> list[LoosePass]:
    """Return a pass for each file and each rule's dump that is left on the shelf."""
    files, dumps = shelf.rest()
    waiting: dict[tuple[str | None, str | None], deque[RuleDumpHead]] = {}
    for dump in dumps:
        waiting.setdefault((dump.session_id, dump.call_id), deque()).append(dump)
    found: list[LoosePass] = []
    for placed in files:
        ruled = waiting.get((placed.session_id, placed.head.call_id or ""))
        joined = ruled.popleft() if ruled and placed.head.processor == OFFLOADER else None
        context_id = joined.context_id if joined else None
        told = OffloadPass(file=placed.head, rule_dump=joined)
        found.append(LoosePass(placed.session_id, context_id, told))
    for dump in (dump for left in waiting.values() for dump in left):
        found.append(LoosePass(dump.session_id, dump.context_id, OffloadPass(rule_dump=dump)))
    for loose in found:
        loose.told.verdict = judge_pass(_ending(None, loose.told, False))
    return found


def end_what_was_sent(
    records: OffloadRecords, passes: Sequence[OffloadPass], sightings: Sightings
) -> None:
    """End the passes that seem to be running over results that a window has shown since."""
    running = [told for told in passes if told.verdict.outcome == "running"]
    first = sightings.first(np.array([told.message for told in running], np.int64))
    for told, seen in zip(running, first.tolist(), strict=True):
        if math.isfinite(seen) and not told.ttl:
            told.verdict = judge_pass(_ending(records, told, tailing=False))


def state_ends(passes: Iterable[OffloadPass], ends: Iterable[StatedEnd]) -> list[StatedEnd]:
    """Give each pass the end that its writer states; return the ends that belong to none.

    A handle tells which pass it is. Otherwise ends and passes over the results of a call follow
    each other in the same order; a pass that only files tell of may be of either kind.
    """
    passes = list(passes)
    by_handle = {told.handle: told for told in passes if told.handle}
    waiting: dict[object, deque[OffloadPass]] = {}
    for told in passes:
        ttl = told.ttl if told.entries else None
        waiting.setdefault((told.processor, told.call_id, ttl), deque()).append(told)
    left = []
    for end in ends:
        record = end.record
        if end.handle in by_handle:
            _state(by_handle[end.handle], end)
            continue
        whose, ttl = (record.processor, record.tool_call_id), record.phase != ADD_PHASE
        mine = waiting.get((*whose, ttl)) or deque()
        while mine and mine[0].has(OFFLOADED) and record.outcome != "offloaded":
            mine.popleft()  # its end is lost: the log says that it was another one
        if not mine and record.outcome == "offloaded":
            mine = waiting.get((*whose, None)) or mine
        if mine:
            _state(mine.popleft(), end)
        else:
            left.append(end)
    return left


def _state(told: OffloadPass, end: StatedEnd) -> None:
    told.stated = end
    if end.verdict.reason is not None or told.verdict.outcome != end.verdict.outcome:
        told.verdict = end.verdict
    else:  # what the log adds to it, the rule that was used, is kept
        told.verdict = replace(told.verdict, basis="recorded", candidates=(), because="")


def mark_reloads(passes: Iterable[OffloadPass], recalls: Iterable[Recall]) -> None:
    """Mark the passes that took out what the agent's model had just asked to have back."""
    handles = {recall.call.call_id: recall.call.handle for recall in recalls}
    for told in passes:
        if told.call_id and told.verdict.outcome in ("offloaded", "cut"):
            told.reload_of = handles.get(told.call_id)


def plain_checks(records: OffloadRecords) -> NDArray[np.int64]:
    """Return the positions of the results that were small enough."""
    return np.flatnonzero(records.event == MESSAGE_CHECK)


def _grouped(records: OffloadRecords) -> list[OffloadPass]:
    """Sort the lines about large results into passes, in the order in which those began."""
    passes: list[OffloadPass] = []
    current: dict[int, OffloadPass] = {}
    for at in np.flatnonzero(records.event != MESSAGE_CHECK).tolist():
        entry = records.entry_at(at)
        if entry is None:
            continue
        message = int(records.message[at])
        told = current.get(message) if message else None
        if told is None or not _continues(told, entry):
            if entry.event not in (*_TRIGGERS, RULE, RULED, OFFLOADED):
                continue  # a line of a later version, which begins nothing
            told = current[message] = OffloadPass()
            passes.append(told)
        told.positions.append(at)
        told.entries.append(entry)
    return passes


def _without_copies(passes: Iterable[OffloadPass]) -> list[OffloadPass]:
    """Leave out passes that stored under a handle of another: each handle is made once."""
    handles: set[str] = set()
    kept = []
    for told in passes:
        handle = told.told("handle")
        if handle is None or handle not in handles:
            kept.append(told)
        if handle is not None:
            handles.add(handle)
    return kept


def _continues(told: OffloadPass, entry: OffloadEntry) -> bool:
    """Return whether a line belongs to a pass that has begun."""
    if entry.event in _TRIGGERS:
        return False
    name = told.told("pass_name")
    if entry.pass_name is not None and name is not None and entry.pass_name != name:
        return False
    if entry.event == RULE:
        return not told.has(RULE, RULED, OFFLOADED)
    if entry.event == RULED:
        return not told.has(RULED, OFFLOADED)
    return entry.event != OFFLOADED or not told.has(OFFLOADED)


def _join(key: ContextKey, told: OffloadPass, shelf: OffloadShelf) -> None:
    call_id = told.told("call_id")
    if told.file is None and told.told("handle") is None:
        placed = shelf.file_of_message(key.session_id, told.told("message_id"), call_id)
        told.file = placed.head if placed else None
    declared = told.told("rule_dump", RULED, OFFLOADED)
    if declared or told.has(RULED) or told.file is not None:
        told.rule_dump = shelf.dump_of(key.session_id, call_id, declared)


def _join_lost(contexts: Sequence[ContextPasses], shelf: OffloadShelf) -> None:
    """Join a file of 0 bytes to the one pass of its session whose original was not stored."""
    for placed in shelf.empty:
        session = placed.session_id
        alike = [other for other in shelf.empty if other.session_id == session]
        failed = [
            told
            for context in contexts
            if context.key.session_id == session
            for told in context.passes
            if told.verdict.outcome in ("cut", "gave_up")
        ]
        if len(alike) == len(failed) == 1:
            failed[0].file = placed.head


def _ending(records: OffloadRecords | None, told: OffloadPass, tailing: bool) -> Ending:
    end, lost = _what_follows(records, told) if records is not None else (False, False)
    return Ending(
        ttl=told.ttl,
        triggered=told.has(*_TRIGGERS),
        tried=told.has(RULE),
        ruled=told.ruled,
        stored=told.has(OFFLOADED) or told.file is not None,
        rule=told.rule,
        keeps_diff=any(entry.keeps_diff for entry in told.entries),
        chars=told.chars,
        max_chars=told.told("max_chars"),
        marked=any(entry.marked for entry in told.entries),
        shortened=told.told("rule", *_TRIGGERS) is not None,
        lost=lost,
        last=end,
        tailing=tailing,
    )


def _what_follows(records: OffloadRecords, told: OffloadPass) -> tuple[bool, bool]:
    """Return whether the log may end inside a pass, and whether its rest may have been lost.

    A result that is worked on is finished before the next line is written. One that is only known
    to be large is worked on, or passed over, before the next batch is tested.
    """
    if told.has(OFFLOADED):
        return False, False
    last, count = told.positions[-1], len(records.row)
    end = last + 1
    if not told.has(RULE, RULED):
        event, place = records.event, records.extra
        while end < count and event[end] != TTL_TRIGGER:
            if event[end] in (MESSAGE_CHECK, ADD_TRIGGER) and place[end] <= place[last]:
                break
            end += 1
    return end == count, _damaged_between(records, last, end)


def _damaged_between(records: OffloadRecords, first: int, end: int) -> bool:
    """Tell whether something that is no record stands between two lines of a file."""
    index, row = records.place(first)
    if not index.problems:
        return False
    offsets = index.columns.offset.view
    start, stop = int(offsets[row]), math.inf
    if end < len(records.row):
        following, end_row = records.place(end)
        stop = int(offsets[end_row]) if following is index else math.inf
    damage = [problem.offset for problem in index.problems]
    between = damage[bisect_right(damage, start) : bisect_left(damage, stop)]
    own = set(offsets[row : int(np.searchsorted(offsets, stop))].tolist()) if between else set()
    return any(offset not in own for offset in between)
