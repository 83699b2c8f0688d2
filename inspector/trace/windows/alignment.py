"""What belongs together in two sequences: the messages of two windows, the lines of two texts.

Patience: elements that occur exactly once on both sides are anchors where they keep their order;
between two anchors the same is done again. What has no anchors left is compared by difflib if it is
small, else it counts as replaced. Near O(n log n) on windows and on texts with few changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

LONGEST_LINE = 2_000
"""Characters up to which the changes inside a line are looked for."""
_SMALL = 250_000
"""Pairs of elements up to which difflib compares what has no anchors."""


class Pair(NamedTuple):
    """Positions of two elements that are the same, or of one that has no counterpart."""

    old: int | None
    new: int | None


class _Area(NamedTuple):
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Return the elements of both sequences in one order; removed ones before added ones."""
    pairs: list[Pair] = []
    old_at = new_at = 0
    for match in [*_matches(old, new), Pair(len(old), len(new))]:
        assert match.old is not None
        assert match.new is not None
        pairs += [Pair(at, None) for at in range(old_at, match.old)]
        pairs += [Pair(None, at) for at in range(new_at, match.new)]
        if match.old < len(old):
            pairs.append(match)
        old_at, new_at = match.old + 1, match.new + 1
    return pairs


def _matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Return the pairs of equal elements, in order."""
    found: list[Pair] = []
    waiting = [_Area(0, len(old), 0, len(new))]
    while waiting:
        area, same = _trimmed(old, new, waiting.pop())
        found += same
        if area.old_start == area.old_end or area.new_start == area.new_end:
            continue
        anchors = _anchors(old, new, area)
        if anchors:
            waiting += _between(area, anchors)
            found += anchors
        else:
            found += _unanchored(old, new, area)
    return sorted(found)


def _trimmed(
    old: Sequence[Hashable], new: Sequence[Hashable], area: _Area
) -> tuple[_Area, list[Pair]]:
    """Take equal elements off both ends."""
    a, a_end, b, b_end = area
    same = []
    while a < a_end and b < b_end and old[a] == new[b]:
        same.append(Pair(a, b))
        a, b = a + 1, b + 1
    while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
        same.append(Pair(a_end, b_end))
    return _Area(a, a_end, b, b_end), same


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable], area: _Area) -> list[Pair]:
    """Return the longest run, in order, of elements that occur once on both sides."""
    old_counts = Counter(old[area.old_start : area.old_end])
    new_counts = Counter(new[area.new_start : area.new_end])
    new_places = {new[at]: at for at in range(area.new_start, area.new_end)}
    unique = [
        Pair(at, new_places[old[at]])
        for at in range(area.old_start, area.old_end)
        if old_counts[old[at]] == 1 and new_counts[old[at]] == 1
    ]
    return _rising(unique)


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest subsequence whose new positions rise."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, pair in enumerate(pairs):
        new = pair.new or 0
        pile = bisect_left(tops, new)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(new)
            piles.append(at)
        else:
            tops[pile], piles[pile] = new, at
    run: list[Pair] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _between(area: _Area, anchors: Sequence[Pair]) -> Iterator[_Area]:
    """Yield the areas before, between and after the anchors."""
    old_at, new_at = area.old_start, area.new_start
    for old, new in [*anchors, Pair(area.old_end, area.new_end)]:
        if old is not None and new is not None:
            yield _Area(old_at, old, new_at, new)
            old_at, new_at = old + 1, new + 1


def _unanchored(old: Sequence[Hashable], new: Sequence[Hashable], area: _Area) -> list[Pair]:
    a, a_end, b, b_end = area
    if (a_end - a) * (b_end - b) > _SMALL:
        return []
    matcher = SequenceMatcher(None, old[a:a_end], new[b:b_end], autojunk=False)
    return [
        Pair(a + block.a + at, b + block.b + at)
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]


@dataclass(frozen=True)
class DiffLine:
    """One line of a text difference."""

    kind: Literal["same", "removed", "added"]
    text: str
    """Without its line end."""
    marks: tuple[tuple[int, int], ...] = ()
    """Changed stretches of a changed line, as start and end in characters; empty: all of it."""


def text_diff(old: str, new: str) -> tuple[DiffLine, ...]:
    """Compare two texts line by line, and the lines that replace one another inside."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    shown: list[DiffLine] = []
    removed: list[str] = []
    added: list[str] = []
    for pair in align(old_lines, new_lines):
        if pair.old is not None and pair.new is not None:
            shown += _replaced(removed, added)
            removed, added = [], []
            shown.append(DiffLine("same", old_lines[pair.old]))
        elif pair.old is not None:
            removed.append(old_lines[pair.old])
        elif pair.new is not None:
            added.append(new_lines[pair.new])
    return (*shown, *_replaced(removed, added))


def _replaced(removed: Sequence[str], added: Sequence[str]) -> list[DiffLine]:
    """Return lines that were replaced by others; the first by the first, and so on."""
    old_marks: list[tuple[tuple[int, int], ...]] = [()] * len(removed)
    new_marks: list[tuple[tuple[int, int], ...]] = [()] * len(added)
    for at, (old, new) in enumerate(zip(removed, added, strict=False)):
        old_marks[at], new_marks[at] = _changed_stretches(old, new)
    return [
        *(DiffLine("removed", *line) for line in zip(removed, old_marks, strict=True)),
        *(DiffLine("added", *line) for line in zip(added, new_marks, strict=True)),
    ]


_Marks = tuple[tuple[int, int], ...]


def _changed_stretches(old: str, new: str) -> tuple[_Marks, _Marks]:
    """Return what differs in two lines; nothing where they are long or have little in common."""
    if max(len(old), len(new)) > LONGEST_LINE:
        return (), ()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < 0.5 or matcher.ratio() < 0.5:
        return (), ()
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        tuple((start, end) for _kind, start, end, _b, _e in changes if end > start),
        tuple((start, end) for _kind, _a, _o, start, end in changes if end > start),
    )
