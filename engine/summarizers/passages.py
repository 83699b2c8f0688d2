"""Passages: what a message offers to a summary, whatever span it stands in.

A passage is a line, or the part of a long one around what `engine.summarizers.cues` sees in it. All
that depends on the message alone is worked out here, once, for the spans of a replay and of its
candidates share most of their messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

from engine.summarizers.cues import REMEMBERED_LINES, SHORT_LINE, Find, finds
from engine.summarizers.line_kinds import LineKind, Source, kind_under
from engine.summarizers.source_lines import SourceLine, Utterance, read_lines

_REMEMBERED: Final = 1 << 12
"""Messages whose offers are kept, each about ten times as large as its text; a replay goes through
a conversation from its start, so fewer than that has messages would be of no use."""

_OF_USERS: Final = frozenset[LineKind]({"constraint", "task", "request"})
_LONGEST_SAID: Final = 200
"""Characters up to which a line that tells what a user wants is kept whole."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{2,}")
_CHANGING = re.compile(r"[0-9a-fA-F]{6,}|\d+")
_SENTENCE_END = re.compile(r"(?<=[^\s\d.]{2}[.!?;])\s+|(?<=[。！？；])")


class Shape(NamedTuple):
    """What look-alikes share."""

    kind: LineKind
    first: str
    """First word, without digits."""
    last: str
    words: int


class Line(NamedTuple):
    """A line of a message, with what is the same for all its passages."""

    order: int
    """Position among the lines of its message."""
    source: Source
    title: str | None
    """Title it stood under in an earlier memory block."""
    words: tuple[str, ...]
    """Distinct words in lower case."""


class Passage(NamedTuple):
    """A line, or the part of a long one, that may go into a summary."""

    kind: LineKind
    text: str
    line: Line
    words: tuple[str, ...]
    """Distinct words in lower case; the line's own where it is the whole line."""
    shape: Shape
    strength: float
    """How sure its kind is."""


class Offer(NamedTuple):
    """What a message offers."""

    lines: int
    size: int
    """Characters of all lines."""
    words: tuple[str, ...]
    """The words of the lines, one line after the other."""
    passages: tuple[Passage, ...]
    """Distinct by kind and text, of equal ones the surest."""


@lru_cache(maxsize=_REMEMBERED)
def read_offer(utterance: Utterance, newest: bool) -> Offer:
    """Return what a message offers.

    Args:
        utterance: what the message says.
        newest: whether it is the user's latest request or the assistant's latest words.
    """
    size = 0
    words: list[str] = []
    passages: dict[tuple[LineKind, str], Passage] = {}
    order = -1
    for order, source in enumerate(read_lines(utterance)):
        size += len(source.text)
        line = Line(order, source.source, source.title, _words(source.text))
        words += line.words
        for passage in _passages(source, line, newest):
            known = passages.get((passage.kind, passage.text))
            if known is None or known.strength < passage.strength:
                passages[passage.kind, passage.text] = passage
    return Offer(order + 1, size, tuple(words), tuple(passages.values()))


def _passages(source: SourceLine, line: Line, newest: bool) -> Iterator[Passage]:
    whole: tuple[str, str, int] | None = None
    for find in _finds(source, line, newest):
        text = _clipped(source.text, find)
        if text == source.text:
            words, ends = line.words, whole or _ends(text)
            whole = ends
        else:
            words, ends = _words(text), _ends(text)
        yield Passage(find.kind, text, line, words, Shape(find.kind, *ends), find.strength)


def _finds(source: SourceLine, line: Line, newest: bool) -> Iterator[Find]:
    """Yield what a line is, from its place or from the cues."""
    end = len(source.text)
    if placed := source.kind or (source.title and kind_under(source.title)):
        yield Find(placed, 1.6, 0, end)
        return
    found = finds(source.text, source.source)
    yield from found
    if source.source == "user":
        yield Find("task" if newest else "request", 0.5, 0, end)
    elif newest and source.source in ("assistant", "call"):
        yield Find("state", 0.5, 0, end)
    elif source.source == "memory" and not found:
        yield Find("understanding", 0.5, 0, end)
    if source.source != "call" and len(line.words) > 2:
        yield Find("oddity", 0.5, 0, end)


def _clipped(text: str, find: Find) -> str:
    """Return a short line, the sentence of a long one around the find, or of a path just that."""
    if find.kind == "path":
        return text[find.start : find.end]
    longest = _LONGEST_SAID if find.kind in _OF_USERS else SHORT_LINE
    if len(text) <= longest:
        return text
    begin = max(0, find.start - longest // 2)
    if begin or _SENTENCE_END.search(text, 0, find.start):
        starts = [match.end() for match in _SENTENCE_END.finditer(text, begin, find.start)]
        begin = starts[-1] if starts else text.find(" ", begin, find.start) + 1 or begin
    stop = min(len(text), begin + longest)
    if stop < len(text):
        ends = [match.start() for match in _SENTENCE_END.finditer(text, find.end, stop)]
        stop = ends[-1] if ends else max(text.rfind(" ", find.end, stop), 0) or stop
    return "…" * (begin > 0) + text[begin:stop].strip() + "…" * (stop < len(text))


@lru_cache(maxsize=REMEMBERED_LINES)
def _words(text: str) -> tuple[str, ...]:
    """Return distinct words in lower case, of which there is one object each."""
    return tuple(dict.fromkeys(intern(word.lower()) for word in _WORD.findall(text)))


@lru_cache(maxsize=REMEMBERED_LINES)
def _ends(text: str) -> tuple[str, str, int]:
    """Return the first and the last word, without digits, and how many there are."""
    words = text.split()
    first, last = (intern(_CHANGING.sub("0", word)) for word in (words[0], words[-1]))
    return first, last, len(words)
