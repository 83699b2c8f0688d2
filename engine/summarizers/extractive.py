"""A summary without a model: the lines of a span that matter most, copied as they stand.

Each passage that a message offers gets a score: how sure its kind is, whose words they are, how
rare its words are in this span, how many others look like it in the span and in its message, and
how much room it takes. So one odd line in a long log beats the log. Each kind then has a share of
the room, and what it does not need goes to the others; so a hundred paths do not crowd out one
constraint. Linear in the length of the span, up to the sorting of passages. The same span gives the
same bytes everywhere.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from operator import itemgetter
from typing import Final, TypeVar

from engine.messages import AssistantMessage, Message
from engine.messages.authors import last_real_user
from engine.summarizers.call import SummaryAnswer, SummaryCall
from engine.summarizers.cues import SHORT_LINE
from engine.summarizers.line_kinds import LineKind, Source, section_of
from engine.summarizers.passages import Line, Offer, Passage, read_offer
from engine.summarizers.source_lines import Utterance
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
_REMEMBERED: Final = 256
"""Answers that are kept."""

_SHORT_SUMMARY: Final = 500
"""Tokens that a summary may take of any span; beyond them it takes at most half the span's."""

_NOVELTY, _SHAPE, _CROWD = 3.0, 0.6, 0.4
"""How much rare words add, and how much each doubling of look-alikes in the span and of passages of
the same kind in the message takes away."""
_ROOM: Final = 1 / SHORT_LINE
"""How much each character takes away when passages above the floor are ranked."""

_FLOOR: Final = 2.0
"""Score up to which a passage is filler, unless the span holds nothing else; what a reader would
miss scores 2.7 and more."""


_Found = tuple[int, Passage]
"""A passage of the span, and the position of its message."""

_KeyT = TypeVar("_KeyT", bound=Hashable)

_Ranked = Mapping[LineKind, Sequence[_Found]]
"""The passages of each kind, the best first."""


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
    request = last_real_user(messages)
    words = max(
        (i for i, m in enumerate(messages) if isinstance(m, AssistantMessage) and m.content),
        default=-1,
    )
    said = tuple(map(Utterance.of, messages))
    return _extract(said, frozenset({request, words}), kind, budget)


@lru_cache(maxsize=_REMEMBERED)
def _extract(
    said: Sequence[Utterance], newest: frozenset[int], kind: BlockKind, budget: int
) -> str:
    """Return the answer; remembered, for candidates of a replay compress many spans alike."""
    offers = [read_offer(utterance, i in newest) for i, utterance in enumerate(said)]
    ranked = _ranked(offers)
    size = sum(offer.size for offer in offers) // _CHARS_PER_TOKEN
    limit = min(budget, max(_SHORT_SUMMARY, size // 2)) * _CHARS_PER_TOKEN
    frame = _answer(ranked, ranked, "")
    kept = _filled(ranked, limit - len(frame), kind)
    return _answer(ranked, kept, _snapshot(chain.from_iterable(kept.values()), kind))


def _distinct(offers: Iterable[Offer]) -> list[_Found]:
    """Return the passages of a span in their order, of equal ones the surest."""
    distinct: dict[tuple[object, ...], _Found] = {}
    for message, offer in enumerate(offers):
        for passage in offer.passages:
            key = passage[:2]
            known = distinct.get(key)
            if known is None:
                distinct[key] = message, passage
            elif known[1].strength < passage.strength:
                del distinct[key]  # so that it stands where this one does
                distinct[key] = message, passage
    return list(distinct.values())


def _scored(offers: Sequence[Offer]) -> Iterator[tuple[float, _Found]]:
    """Yield each distinct passage with its score, in the order of the span."""
    distinct = _distinct(offers)
    rarity = _Rarity(offers)
    alike = _penalties(_SHAPE, [passage.shape for _, passage in distinct])
    crowd = _penalties(_CROWD, [(message, passage.kind) for message, passage in distinct])
    seen: Line | None = None
    of_line = 0.0
    for found in distinct:
        message, (kind, _, line, words, shape, strength) = found
        if line is not seen:
            seen, of_line = line, rarity.of(line.words)
        rare = of_line if words is line.words else max(of_line, rarity.of(words))
        score = strength + _WEIGHTS[line.source] + _NOVELTY * rare - alike[shape]
        yield score if kind == "oddity" else score - crowd[message, kind], found


def _penalties(each: float, keys: Iterable[_KeyT]) -> dict[_KeyT, float]:
    """Return for each key what its repetitions cost, `each` for a doubling."""
    return {key: each * math.log2(count) for key, count in Counter(keys).items()}


def _ranked(offers: Sequence[Offer]) -> _Ranked:
    """Rank the passages of each kind; new ones and those of earlier blocks take turns."""
    everything = list(_scored(offers))
    telling = [pair for pair in everything if pair[0] > _FLOOR] or everything
    scored = [(score - _ROOM * len(found[1].text), found) for score, found in telling]
    scored.sort(key=itemgetter(0), reverse=True)  # equal ones stay in their order
    old: dict[LineKind, list[_Found]] = {kind: [] for kind in _SHARES}
    new: dict[LineKind, list[_Found]] = {kind: [] for kind in _SHARES}
    for _, found in scored:
        passage = found[1]
        (old if passage.line.source == "memory" else new)[passage.kind].append(found)
    in_turn = {kind: chain.from_iterable(zip_longest(old[kind], new[kind])) for kind in _SHARES}
    return {kind: [found for found in turns if found] for kind, turns in in_turn.items()}


class _Rarity:
    """How rare words are among the lines of a span, from 0 (all everywhere) to 1 (all once)."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        counts = Counter(chain.from_iterable(offer.words for offer in offers))
        scale = math.log(max(sum(offer.lines for offer in offers), 2))
        self._commonness: dict[str, float] = defaultdict(float)
        self._commonness.update((word, math.log(count) / scale) for word, count in counts.items())
        self._known: dict[tuple[str, ...], float] = {(): 0.0}

    def of(self, words: tuple[str, ...]) -> float:
        """Return the mean of distinct words; its sum is exact, so their order does not count."""
        rarity = self._known.get(words)
        if rarity is None:
            common = math.fsum(map(self._commonness.__getitem__, words))
            rarity = self._known[words] = 1.0 - common / len(words)
        return rarity


def _filled(ranked: _Ranked, room: int, block: BlockKind) -> dict[LineKind, list[_Found]]:
    """Choose passages that fit into `room` characters.

    In each round a kind takes at least one and as many as its share of what is left holds; what is
    said already by a kept line is passed over, clipped or not.
    """
    kept: dict[LineKind, list[_Found]] = {kind: [] for kind in ranked}
    left = {kind: list(reversed(found)) for kind, found in ranked.items() if found}
    said = ""
    sections: set[str] = set()
    while left:
        part = room / sum(_SHARES[kind] for kind in left)
        for kind, waiting in left.items():
            allowance = part * _SHARES[kind]
            taken = 0
            while waiting:
                passage = waiting[-1][1]
                section = _section(passage, block)
                cost = len(_bullet(passage))
                if section not in sections:
                    cost += len(_heading(section))
                if cost > room or passage.text.strip("…") in said:
                    waiting.pop()
                    continue
                if taken and taken + cost > allowance:
                    break
                kept[kind].append(waiting.pop())
                said += f"{passage.text}\n"
                sections.add(section)
                taken += cost
                room -= cost
        left = {kind: waiting for kind, waiting in left.items() if waiting}
    return kept


def _snapshot(kept: Iterable[_Found], block: BlockKind) -> str:
    """Return the sections, lines of earlier blocks first, else in the order of the messages."""
    by_section: dict[str, list[Passage]] = {}
    for _, passage in sorted(kept, key=_order):
        by_section.setdefault(_section(passage, block), []).append(passage)
    return "".join(
        _heading(title) + "".join(map(_bullet, by_section[title]))
        for title in SNAPSHOT_SECTIONS[block]
        if title in by_section
    )


def _order(found: _Found) -> tuple[bool, int, int]:
    message, passage = found
    return passage.line.source != "memory", message, passage.line.order


def _section(passage: Passage, block: BlockKind) -> str:
    """Return where a passage goes: under the title it stood under, if the block has that."""
    title = passage.line.title
    return title if title in SNAPSHOT_SECTIONS[block] else section_of(passage.kind, block)


def _heading(section: str) -> str:
    return f"## {section}\n"


def _bullet(passage: Passage) -> str:
    return f"- {passage.text}\n"


def _answer(found: _Ranked, kept: _Ranked, snapshot: str) -> str:
    counts = ", ".join(
        f"{kind} {len(kept[kind])} of {len(passages)}"
        for kind, passages in found.items()
        if passages
    )
    return (
        f"<coverage_check>\ncopied lines: {counts or 'none'}\n</coverage_check>\n"
        f"<state_snapshot>\n{snapshot}</state_snapshot>"
    )
