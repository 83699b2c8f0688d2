"""Which decision of one trace is which of the other.

A decision is the same on both sides when the same processor made it at the same step; an offloader
is asked about tool calls, and the end of an update of notes may come late, so those are known by
the call and by their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from inspector.trace.compressions.attempts import NOT_PREFIX
from inspector.trace.context_trace import ContextTrace

_OFFLOADERS = frozenset({"MessageSummaryOffloader", "MessageOffloader"})
_UPDATED = frozenset({"notes_updated", "notes_unchanged"})


class Place(NamedTuple):
    """A decision in its context: the step, the processor, and which of its decisions there."""

    step: int
    processor: str
    turn: int


class AlignedDecision(NamedTuple):
    """Rows of the same decision on both sides; -1 where there is none."""

    place: Place
    a: int
    b: int


def align(a: ContextTrace, b: ContextTrace) -> list[AlignedDecision]:
    """Return the decisions of both, by step and in a step by `b`'s chain, then by `a`'s.

    What is no prefix compressor counts only where both sides tell of it: a case may be without it.
    So does a decline that measured no window, which the original does not record.
    """
    rows_a, rows_b = _rows_by_key(a), _rows_by_key(b)
    chain = {name: i for i, name in enumerate([*b.decisions.processors, *a.decisions.processors])}
    one_sided = set(a.decisions.processors) ^ set(b.decisions.processors)
    left_out = one_sided & NOT_PREFIX
    pairs = []
    for key in rows_a.keys() | rows_b.keys():
        row_a, row_b = rows_a.get(key, -1), rows_b.get(key, -1)
        step = max(_step(b, row_b), _step(a, row_a) if row_b < 0 or _step(b, row_b) < 1 else 0)
        counts = (row_a >= 0 or _counts(b, row_b)) and (row_b >= 0 or _counts(a, row_a))
        if step >= 1 and counts and key.processor not in left_out:
            pairs.append((step, chain[key.processor], row_b, row_a, key.processor))
    turns: defaultdict[tuple[int, str], int] = defaultdict(int)
    aligned = []
    for step, _, row_b, row_a, processor in sorted(pairs):
        place = Place(step, processor, turns[step, processor])
        turns[step, processor] += 1
        aligned.append(AlignedDecision(place, row_a, row_b))
    return aligned


def outcome_at(trace: ContextTrace, row: int) -> str | None:
    """Return the outcome of a row; None for -1, where there is none."""
    return trace.decisions.outcomes[trace.decisions.outcome[row]] if row >= 0 else None


class _Key(NamedTuple):
    """What makes a decision the same one on both sides."""

    processor: str
    about: int | str | None
    """The step; of an offloader the tool call, of the end of an update nothing: files do not always
    tell their step.
    """
    turn: int
    """Which of several."""


_keys: WeakKeyDictionary[ContextTrace, Mapping[_Key, int]] = WeakKeyDictionary()


def _rows_by_key(trace: ContextTrace) -> Mapping[_Key, int]:
    """Return the row of each decision; reads an offloader's log once."""
    known = _keys.get(trace)
    if known is None:
        known = _keys[trace] = _read_keys(trace)
    return known


def _read_keys(trace: ContextTrace) -> Mapping[_Key, int]:
    decisions = trace.decisions
    rows: dict[_Key, int] = {}
    turns: defaultdict[tuple[str, int | str | None], int] = defaultdict(int)
    for row in range(len(decisions)):
        processor = decisions.processors[decisions.processor[row]]
        about: int | str | None = int(decisions.step[row])
        if processor in _OFFLOADERS:
            about = trace.decision(row).tool_call_id or about
        elif decisions.outcomes[decisions.outcome[row]] in _UPDATED:
            about = None
        rows[_Key(processor, about, turns[processor, about])] = row
        turns[processor, about] += 1
    return rows


def _step(trace: ContextTrace, row: int) -> int:
    return int(trace.decisions.step[row]) if row >= 0 else 0


def _counts(trace: ContextTrace, row: int) -> bool:
    """Return whether a decision would have left a trace on the other side too."""
    measured = trace.decisions.total[row] >= 0
    return bool(measured) or outcome_at(trace, row) not in ("declined", "skipped", "undecided")
