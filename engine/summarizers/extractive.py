"""A summary without a model: the lines of a span that matter most, copied as they stand.

The cues of `engine.summarizers.cues` say what a line is. Each passage gets a score: how sure the
cue is, whose words they are, how rare its words are in this span, and how many others look like it
in the span and in its message. So one odd line in a long log beats the log. Each kind then has a
share of the room, and what it does not need goes to the others; so a hundred paths do not crowd out
one constraint. Linear in the length of the span, up to the sorting of passages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

from engine.messages import AssistantMessage, Message
from engine.processors.spans import last_real_user
from engine.summarizers.call import SummaryAnswer, SummaryCall
from engine.summarizers.cues import SHORT_LINE, Find, finds
from engine.summarizers.line_kinds import LineKind, Source, kind_under, section_of
from engine.summarizers.source_lines import SourceLine, read_lines
from engine.wording import SNAPSHOT_SECTIONS, BlockKind

NAME: Final = "extractive"

DEFAULT_BUDGET: Final = 1_200

_CHARS_PER_TOKEN: Final = 3
"""The default counter's measure: `len(text) // 3`."""

_SHARES: Final[Mapping[LineKind, float]] = {
    "constraint": 6,
    "task": 3,
    "todo": 4,
    "error": 4,
    "number": 4,
    "decision": 2,
    "request": 3,
    "command": 4,
    "work": 1,
    "state": 1,
    "understanding": 3,
    "oddity": 3,
    "path": 4,
}
"""Parts of the room, in the order in which the kinds choose; paths come last, since the lines
before them hold many already."""

_WEIGHTS: Final[Mapping[Source, float]] = {
    "user": 2.0,
    "memory": 1.5,
    "assistant": 1.2,
    "call": 0.8,
    "tool": 0.5,
}
_SHORT_SUMMARY: Final = 500
"""Tokens that a summary may take of any span; beyond them it takes at most half the span's."""

_NOVELTY, _SHAPE, _CROWD = 3.0, 0.6, 0.4
"""How much rare words add, and how much each doubling of look-alikes in the span and of passages of
the same kind in the message takes away."""

_FLOOR: Final = 2.0
"""Score up to which a passage is filler, unless the span holds nothing else; what a reader would
miss scores 2.7 and more."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{2,}")
_CHANGING = re.compile(r"[0-9a-fA-F]{6,}|\d+")
_SENTENCE_END = re.compile(r"(?<=[^\s\d.]{2}[.!?;])\s+|(?<=[。！？；])")


@dataclass(frozen=True, slots=True)
class _Passage:
    """A line, or the part of a long one, that may go into the snapshot."""

    kind: LineKind
    section: str
    text: str
    line: SourceLine
    order: int
    """Position of the line among all lines."""
    strength: float


class ExtractiveSummarizer:
    """Answers each call with an extract of its target."""

    def __init__(self, budget: int = DEFAULT_BUDGET) -> None:
        """Take the tokens that an answer may have."""
        self._budget = budget

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the extract; no usage, for no model was asked."""
        return SummaryAnswer(extractive_summary(call.target, call.kind, self._budget), NAME)


def extractive_summary(
    messages: Sequence[Message], kind: BlockKind, budget: int = DEFAULT_BUDGET
) -> str:
    """Return an answer like a model's, made of lines of the messages themselves.

    Args:
        messages: The span to be replaced.
        kind: Which block's sections to use; those that would be empty are left out.
        budget: Tokens (of 3 characters) of the whole answer, about 100 of which are its frame. A
            short span takes less, so that its summary is smaller than itself.

    Returns:
        `<coverage_check>`, which counts what was kept of each kind, and `<state_snapshot>`. Each
        line of the snapshot is a title or stands in the source; `…` shows where one was clipped.
    """
    lines = list(read_lines(messages))
    ranked = _ranked(_passages(lines, messages, kind), lines)
    size = sum(len(line.text) for line in lines) // _CHARS_PER_TOKEN
    limit = min(budget, max(_SHORT_SUMMARY, size // 2)) * _CHARS_PER_TOKEN
    frame = _answer(ranked, ranked, "")
    kept = _filled(ranked, limit - len(frame))
    return _answer(ranked, kept, _snapshot(chain.from_iterable(kept.values()), kind))


def _passages(
    lines: Iterable[SourceLine], messages: Sequence[Message], block: BlockKind
) -> Iterator[_Passage]:
    request = last_real_user(messages)
    words = max(
        (i for i, m in enumerate(messages) if isinstance(m, AssistantMessage) and m.content),
        default=-1,
    )
    for order, line in enumerate(lines):
        for find in _finds(line, request, words):
            section = section_of(find.kind, block)
            if line.title in SNAPSHOT_SECTIONS[block]:
                section = line.title
            text = _clipped(line, find)
            yield _Passage(find.kind, section, text, line, order, find.strength)


def _finds(line: SourceLine, request: int, words: int) -> Iterator[Find]:
    """Yield what a line is, from its place or from the cues.

    Args:
        line: The line.
        request: Position of the user's latest request.
        words: Position of the assistant's latest words.
    """
    end = len(line.text)
    if placed := line.kind or (line.title and kind_under(line.title)):
        yield Find(placed, 1.6, 0, end)
        return
    found = finds(line.text, line.source)
    yield from found
    if line.source == "user":
        yield Find("task" if line.message == request else "request", 0.5, 0, end)
    elif line.message == words:
        yield Find("state", 0.5, 0, end)
    elif line.source == "memory" and not found:
        yield Find("understanding", 0.5, 0, end)
    if line.source != "call" and len(_words(line.text)) > 2:
        yield Find("oddity", 0.5, 0, end)


def _clipped(line: SourceLine, find: Find) -> str:
    """Return a short line, the sentence of a long one around the find, or of a path just that."""
    text = line.text
    if find.kind == "path":
        return text[find.start : find.end]
    if len(text) <= SHORT_LINE:
        return text
    begin = max(0, find.start - SHORT_LINE // 2)
    if begin or _SENTENCE_END.search(text, 0, find.start):
        starts = [match.end() for match in _SENTENCE_END.finditer(text, begin, find.start)]
        begin = starts[-1] if starts else text.find(" ", begin, find.start) + 1 or begin
    stop = min(len(text), begin + SHORT_LINE)
    if stop < len(text):
        ends = [match.start() for match in _SENTENCE_END.finditer(text, find.end, stop)]
        stop = ends[-1] if ends else max(text.rfind(" ", find.end, stop), 0) or stop
    return "…" * (begin > 0) + text[begin:stop].strip() + "…" * (stop < len(text))


def _scored(
    passages: Iterable[_Passage], lines: Sequence[SourceLine]
) -> list[tuple[_Passage, float]]:
    """Return each distinct passage with its score."""
    distinct: dict[tuple[LineKind, str], _Passage] = {}
    for passage in passages:
        known = distinct.get((passage.kind, passage.text))
        if known is None or known.strength < passage.strength:
            distinct[passage.kind, passage.text] = passage
    rarity = _Rarity(lines)
    shapes = Counter((p.kind, _shape(p.text)) for p in distinct.values())
    crowds = Counter((p.kind, p.line.message) for p in distinct.values())
    crowded = {key: count for key, count in crowds.items() if key[0] != "oddity"}

    def score(passage: _Passage) -> float:
        return (
            passage.strength
            + _WEIGHTS[passage.line.source]
            + _NOVELTY * max(rarity.of(passage.text), rarity.of(passage.line.text))
            - _SHAPE * math.log2(shapes[passage.kind, _shape(passage.text)])
            - _CROWD * math.log2(crowded.get((passage.kind, passage.line.message), 1))
        )

    return [(passage, score(passage)) for passage in distinct.values()]


def _ranked(
    passages: Iterable[_Passage], lines: Sequence[SourceLine]
) -> dict[LineKind, list[_Passage]]:
    """The passages of each kind, best first; new ones and those of earlier blocks in turn."""
    everything = _scored(passages, lines)
    scored = [pair for pair in everything if pair[1] > _FLOOR] or everything
    scored.sort(key=lambda pair: (-pair[1], pair[0].order))
    ranked: dict[LineKind, list[_Passage]] = {}
    for kind in _SHARES:
        best = [passage for passage, _ in scored if passage.kind == kind]
        old = [passage for passage in best if passage.line.source == "memory"]
        new = [passage for passage in best if passage.line.source != "memory"]
        in_turn = chain.from_iterable(zip_longest(old, new))
        ranked[kind] = [passage for passage in in_turn if passage is not None]
    return ranked


class _Rarity:
    """How rare the words of a text are among the lines, from 0 (all everywhere) to 1 (all once)."""

    def __init__(self, lines: Sequence[SourceLine]) -> None:
        counts = Counter(chain.from_iterable(_words(line.text) for line in lines))
        scale = math.log(max(len(lines), 2))
        self._commonness = {word: math.log(count) / scale for word, count in counts.items()}

    def of(self, text: str) -> float:
        words = _words(text)
        if not words:
            return 0.0
        return 1.0 - sum(self._commonness.get(word, 0.0) for word in words) / len(words)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _shape(text: str) -> tuple[str, str, int]:
    """Return what look-alikes share: the words at both ends, without digits, and how many."""
    words = text.split()
    first, last = (_CHANGING.sub("0", word) for word in (words[0], words[-1]))
    return first, last, len(words)


def _filled(ranked: Mapping[LineKind, list[_Passage]], room: int) -> dict[LineKind, list[_Passage]]:
    """Choose passages that fit into `room` characters.

    In each round a kind takes at least one and as many as its share of what is left holds; what is
    said already by a kept line is passed over.
    """
    kept: dict[LineKind, list[_Passage]] = {kind: [] for kind in ranked}
    left = {kind: passages[::-1] for kind, passages in ranked.items() if passages}
    said = ""
    sections: set[str] = set()
    while left:
        part = room / sum(_SHARES[kind] for kind in left)
        for kind, passages in left.items():
            allowance = part * _SHARES[kind]
            taken = 0
            while passages:
                passage = passages[-1]
                cost = len(f"- {passage.text}\n")
                if passage.section not in sections:
                    cost += len(f"## {passage.section}\n")
                if passage.text in said or cost > room:
                    passages.pop()
                    continue
                if taken and taken + cost > allowance:
                    break
                passages.pop()
                kept[kind].append(passage)
                said += f"{passage.text}\n"
                sections.add(passage.section)
                taken += cost
                room -= cost
        left = {kind: passages for kind, passages in left.items() if passages}
    return kept


def _snapshot(passages: Iterable[_Passage], block: BlockKind) -> str:
    """Return the sections, lines of earlier blocks first, else in the order of the messages."""
    by_section: dict[str, list[_Passage]] = {}
    for passage in sorted(passages, key=lambda p: (p.line.source != "memory", p.order)):
        by_section.setdefault(passage.section, []).append(passage)
    return "".join(
        f"## {title}\n" + "".join(f"- {passage.text}\n" for passage in by_section[title])
        for title in SNAPSHOT_SECTIONS[block]
        if title in by_section
    )


def _answer(
    found: Mapping[LineKind, list[_Passage]],
    kept: Mapping[LineKind, list[_Passage]],
    snapshot: str,
) -> str:
    counts = ", ".join(
        f"{kind} {len(kept[kind])} of {len(passages)}"
        for kind, passages in found.items()
        if passages
    )
    return (
        f"<coverage_check>\ncopied lines: {counts or 'none'}\n</coverage_check>\n"
        f"<state_snapshot>\n{snapshot}</state_snapshot>"
    )
