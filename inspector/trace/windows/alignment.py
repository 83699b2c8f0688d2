"""What belongs together in two sequences: the messages of two windows, the lines of two texts.

Patience: elements that occur exactly once on both sides are anchors where they keep their order,
and what is equal next to an anchor goes with it; in each gap that is left the same is done again.
A gap without anchors is compared by difflib if it is small, else it counts as replaced. Elements
are numbered first, so that all but the smallest gaps are a matter of arrays.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_SMALL = 250_000
"""Pairs of elements up to which difflib compares what has no anchors."""
_TINY = 400
"""Pairs of elements up to which difflib is quicker than a search for anchors."""
_NONE = -1
"""In place of the position of a partner."""

_Numbers = NDArray[np.int64]
_NOTHING: _Numbers = np.empty(0, np.int64)


class Pair(NamedTuple):
    """Positions of two elements that are the same, or of one that has no counterpart."""

    old: int | None
    new: int | None


class Stretch(NamedTuple):
    """Elements that both sequences have, or those of one in place of those of the other."""

    same: bool
    old: slice
    new: slice


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Return the elements of both sequences in one order; removed ones before added ones."""
    pairs: list[Pair] = []
    for same, before, after in stretches(old, new):
        removed, added = (range(part.start, part.stop) for part in (before, after))
        if same:
            pairs += map(Pair, removed, added)
        else:
            pairs += [Pair(at, None) for at in removed]
            pairs += [Pair(None, at) for at in added]
    return pairs


def stretches(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Stretch]:
    """Yield both sequences in one order, alternately what they share and where they differ."""
    partners = _partners(*_numbered(old, new))
    gaps = _gaps(partners, len(new))
    old_at = new_at = 0
    for a, a_end, b, b_end in [*gaps[_lengths(gaps).any(1)].tolist(), [len(old), 0, len(new), 0]]:
        if a > old_at:
            yield Stretch(True, slice(old_at, a), slice(new_at, b))
        if a_end > a or b_end > b:
            yield Stretch(False, slice(a, a_end), slice(b, b_end))
        old_at, new_at = a_end, b_end


def _numbered(*sides: Sequence[Hashable]) -> Iterator[_Numbers]:
    """Yield each side with a number in place of each different element."""
    numbers: dict[Hashable, int] = {}
    for side in sides:
        yield np.array([numbers.setdefault(element, len(numbers)) for element in side], np.int64)


def _partners(old: _Numbers, new: _Numbers) -> _Numbers:
    """Return the position in `new` that goes with each element of `old`, rising."""
    partners = np.full(len(old), _NONE)
    olds, news = old.tolist(), new.tolist()
    waiting = [[0, len(old), 0, len(new)]] if len(old) and len(new) else []
    while waiting:
        a, a_end, b, b_end = waiting.pop()
        pairs = (a_end - a) * (b_end - b)
        tiny = pairs <= _TINY and a_end - a < len(old)  # the ends of the whole are always looked at
        found = _NOTHING if tiny else _anchored(old[a:a_end], new[b:b_end])
        if found.max(initial=_NONE) != _NONE:
            partners[a:a_end] = np.where(found == _NONE, _NONE, found + b)
            gaps = _gaps(found, b_end - b)
            waiting += (gaps[_lengths(gaps).all(1)] + [a, a, b, b]).tolist()
        elif pairs <= _SMALL:
            for at, other, size in _compared(olds[a:a_end], news[b:b_end]):
                partners[a + at : a + at + size] = range(b + other, b + other + size)
    return partners


def _gaps(partners: _Numbers, count: int) -> _Numbers:
    """Return what lies before, between and after the partners, much of it empty.

    Returns:
        Shape (n, 4): start and end on the old side, start and end on the new one of `count`.
    """
    old = np.flatnonzero(partners != _NONE)
    new = partners[old]
    starts = [np.concatenate(([0], side + 1)) for side in (old, new)]
    ends = [np.append(old, len(partners)), np.append(new, count)]
    return np.column_stack((starts[0], ends[0], starts[1], ends[1]))


def _lengths(gaps: _Numbers) -> _Numbers:
    return gaps[:, 1::2] - gaps[:, ::2]


def _anchored(old: _Numbers, new: _Numbers) -> _Numbers:
    """Pair what occurs once on both sides in the same order, and all that is equal beside it."""
    partners = np.full(len(old), _NONE)
    places, other_places = _common_once(old, new)
    kept = _rising(other_places)
    partners[places[kept]] = other_places[kept]
    partners = _spread(partners, old, new)
    mirrored = np.where(partners == _NONE, _NONE, len(new) - 1 - partners)[::-1]
    spread = _spread(mirrored, old[::-1], new[::-1])[::-1]
    return np.where(spread == _NONE, _NONE, len(new) - 1 - spread)


def _common_once(old: _Numbers, new: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Return the places, ascending in `old`, of what occurs exactly once on either side."""
    once = []
    for side in (old, new):
        values, places, counts = np.unique(side, return_index=True, return_counts=True)
        once.append((values[counts == 1], places[counts == 1]))
    (values, places), (other_values, other_places) = once
    _, at, other_at = np.intersect1d(values, other_values, assume_unique=True, return_indices=True)
    order = np.argsort(places[at])
    return places[at][order], other_places[other_at][order]


def _spread(partners: _Numbers, old: _Numbers, new: _Numbers) -> _Numbers:
    """Pair also what follows the start, or an element with a partner, equally on both sides."""
    at = np.arange(len(old))
    last = np.maximum.accumulate(np.where(partners == _NONE, -1, at))
    shift = np.where(last < 0, 0, partners[last] - last)
    paired = np.flatnonzero(partners != _NONE)
    bound = np.append(partners[paired], len(new))[np.searchsorted(paired, at, "right")]
    room = at + shift < bound
    equal = room & (old == new[np.where(room, at + shift, 0)])
    parted = np.maximum.accumulate(np.where(equal, -1, at))
    return np.where(parted <= last, np.where(equal, at + shift, partners), partners)


def _rising(values: _Numbers) -> _Numbers:
    """Return where the longest rising subsequence lies."""
    if (np.diff(values) > 0).all():
        return np.arange(len(values))
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, value in enumerate(values.tolist()):
        pile = bisect_left(tops, value)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1], piles[pile : pile + 1] = [value], [at]
    run = []
    at = piles[-1]
    while at >= 0:
        run.append(at)
        at = before[at]
    return np.array(run[::-1])


def _compared(old: list[int], new: list[int]) -> list[Match]:
    """Return the places and the lengths of what difflib finds equal."""
    if set(old).isdisjoint(new):
        return []
    return SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
