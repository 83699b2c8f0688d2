"""Canaries: items planted in a conversation, to be followed through a replay.

A canary is an ordinary item of its kind with a name that occurs nowhere else. It goes in as a line
of its own at the end of a message, so nothing else that the message says changes; `retention` then
finds it like any other item, and whether it was lost tells about the summaries. Recorded summaries
know nothing of canaries: plant them only for a summariser that reads what it is given.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.messages import Message, SystemMessage, UserMessage
from engine.messages.authors import is_real_user
from engine.summarizers.line_kinds import Source
from inspector.insight.items import KINDS, Item, ItemKind
from inspector.insight.line_items import read_line
from inspector.insight.retention import Loss, Retention


class _Line(NamedTuple):
    speakers: frozenset[Source]
    text: str


_ANYONE: Final = frozenset[Source]({"user", "assistant", "tool"})
_LINES: Final[dict[ItemKind, _Line]] = {
    "instruction": _Line(frozenset[Source]({"user"}), "Never rename the column {name}."),
    "path": _Line(_ANYONE, "The notes are in /srv/notes/{name}.md now."),
    "command": _Line(_ANYONE, "$ make {name} --dry-run"),
    "identifier": _Line(_ANYONE, "It belongs to ticket CANARY-{number}."),
    "error": _Line(_ANYONE - {"user"}, "ValueError: {name} is out of range"),
    "number": _Line(_ANYONE, "The canary measured {number} ms."),
    "url": _Line(_ANYONE, "It is described at https://example.com/{name} in full."),
    "todo": _Line(_ANYONE - {"tool"}, "TODO: look at {name} again"),
}


@dataclass(frozen=True)
class Canary:
    """An item to plant."""

    position: int
    """0-based position of the message that gets it."""
    line: str
    item: Item


def draw_canaries(
    messages: Sequence[Message], count: int, seed: int = 0, kinds: Sequence[ItemKind] = KINDS
) -> list[Canary]:
    """Return canaries for a conversation, kinds in turn, messages at random.

    Args:
        messages: the conversation; its leading system messages get none.
        count: how many; fewer are drawn where no message suits a kind.
        seed: equal seeds give equal canaries.
        kinds: what to draw.
    """
    rng = random.Random(seed)
    canaries = []
    for kind in (kinds[i % len(kinds)] for i in range(count)):
        line = _LINES[kind]
        places = [
            (i, speaker)
            for i, message in enumerate(messages)
            if (speaker := _speaker(message)) in line.speakers
        ]
        if not places:
            continue
        position, speaker = rng.choice(places)
        name = "canary" + "".join(rng.choices("bcdfghjklmnpqrstvwxz", k=10))
        text = line.text.format(name=name, number=rng.randrange(10**7, 10**8))
        items = read_line(text, speaker, None, True).items
        item = next(item for item in items if item.kind == kind)
        canaries.append(Canary(position, text, item))
    return canaries


def plant(messages: Sequence[Message], canaries: Iterable[Canary]) -> list[Message]:
    """Return the conversation with the canaries in it; no given message changes."""
    planted = list(messages)
    for canary in canaries:
        message = planted[canary.position]
        content = message.content
        if isinstance(content, str):
            grown = f"{content}\n{canary.line}" if content else canary.line
            planted[canary.position] = message.revised(content=grown)
        else:
            part = {"type": "text", "text": canary.line}
            planted[canary.position] = message.revised(content=[*content, part])
    return planted


def followed(canaries: Iterable[Canary], retention: Retention) -> list[tuple[Canary, Loss | None]]:
    """Return each canary with its loss, None for one that the last window holds."""
    lost = {(loss.item.kind, loss.item.key): loss for loss in retention.lost}
    return [(canary, lost.get((canary.item.kind, canary.item.key))) for canary in canaries]


def _speaker(message: Message) -> Source | None:
    """Return whose words a message is; None for instructions and for what the engine wrote."""
    if isinstance(message, UserMessage):
        return "user" if is_real_user(message) else None
    return None if isinstance(message, SystemMessage) else message.role
