"""Numbers with what they count: a number is told from another by its unit and its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.summarizers.cues import SHORT_LINE, Find
from inspector.insight.items import Item

_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_./%-])(?<!\d:)"
    r"(?P<value>\d{1,3}(?:[,_]\d{3})+(?:\.\d{1,20})?|\d{1,20}(?:\.\d{1,20})?)"
    r"(?P<unit>[A-Za-zµ°%]{1,12})?(?![A-Za-z0-9_]|[.:/-][A-Za-z0-9])"
)
_WORD_PATTERN = r"[A-Za-z_][A-Za-z0-9_]{0,60}|[%℃]|[\u4e00-\u9fff]{1,40}"
_WORD = re.compile(_WORD_PATTERN)
_NEXT_WORD = re.compile(rf"[\s\"')\]]{{0,2}}({_WORD_PATTERN})")
_LINKS: Final = "是为约达到有至过超成了需设共仅"
_IDLE: Final = frozenset(
    """
    a about above after an and are around as at be been below by for from had has have in is it its
    of on only or over per than that the then this to under until was were will with within
    """.split()
)
"""Words that name nothing."""
_SAME: Final = {
    "second": "s",
    "sec": "s",
    "millisecond": "ms",
    "msec": "ms",
    "minute": "min",
    "hour": "h",
    "hr": "h",
    "percent": "%",
}
"""Units by other names of theirs, in the singular."""

_BELIEVED: Final = 0.7
"""Strength from which on a cue makes a number worth keeping."""

_REACH: Final = 40
"""Characters in front of a number among which its name is looked for."""


class NamedNumber(NamedTuple):
    """A number in a line."""

    signs: frozenset[str]
    """The number with each word near it."""
    item: Item | None
    """None: no cue sees it, or nothing names it."""


def named_numbers(text: str, found: Sequence[Find]) -> Iterator[NamedNumber]:
    """Yield the numbers of a line.

    Args:
        text: the line.
        found: what the cues see in it.
    """
    cues = [find for find in found if find.kind == "number" and find.strength >= _BELIEVED]
    path_ends = {find.end for find in found if find.kind == "path"}
    floor = 0
    for match in _NUMBER.finditer(text):
        if match.start() - 1 in path_ends:
            continue  # a line number behind a file name
        value = match["value"].replace(",", "").replace("_", "")
        names = _names_before(text, floor, match.start())
        unit, floor = _unit_after(text, match)
        near = [word for word in (*names[-1:], unit) if word]
        signs = frozenset(_sign(value, word) for word in (*names, unit) if word)
        worth = any(len(text) <= SHORT_LINE or _meet(cue, match) for cue in cues)
        item = None
        if worth and near:
            key = " ".join((*names[-1:], value, unit)).strip().casefold()
            item_signs = tuple(_sign(value, word) for word in near)
            start = text.rfind(names[-1], 0, match.start()) if names else match.start()
            item = Item("number", key, text[start:floor], item_signs)
        yield NamedNumber(signs, item)


def _names_before(text: str, floor: int, end: int) -> list[str]:
    """Return up to three words between two positions, the nearest last; of Chinese two characters.

    Args:
        text: the line.
        floor: where the number before, with its unit, ends.
        end: where this number begins.
    """
    words = (match.group() for match in _WORD.finditer(text, max(floor, end - _REACH), end))
    names = [word.rstrip(_LINKS)[-2:] if word[0] >= "\u4e00" else word for word in words]
    return [name for name in names if name and name.casefold() not in _IDLE][-3:]


def _unit_after(text: str, number: re.Match[str]) -> tuple[str, int]:
    """Return the word right behind a number, of Chinese its first character, and where it ends."""
    if number["unit"]:
        return number["unit"], number.end()
    match = _NEXT_WORD.match(text, number.end())
    if match is None or match[1].casefold() in _IDLE:
        return "", number.end()
    unit = match[1][:1] if match[1][0] >= "\u4e00" else match[1]
    return unit, match.start(1) + len(unit)


def _meet(cue: Find, match: re.Match[str]) -> bool:
    return cue.start < match.end() and match.start() < cue.end


def _sign(value: str, word: str) -> str:
    word = word.casefold()
    if len(word) > 2 and not word.endswith("ss"):
        word = word.removesuffix("s")  # one row, two rows
    return f"number:{value} {_SAME.get(word, word)}"
