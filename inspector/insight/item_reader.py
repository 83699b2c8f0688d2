"""Messages read for their items, each distinct one once.

Lines come from `engine.summarizers.source_lines`: content, list content, arguments of calls and
JSON results as short lines. A line with a credential is skipped, as every summary skips it. Linear
in the length of the messages.
"""

from __future__ import annotations

from engine.messages import Message
from engine.summarizers.source_lines import Utterance, read_lines
from inspector.insight.items import Item, ItemKind, Reading
from inspector.insight.line_items import read_line


class ItemReader:
    """Remembers its readings; replays of one conversation may share a reader."""

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}

    def read(self, message: Message, digest: str) -> Reading:
        """Return what a message holds.

        Args:
            message: the message.
            digest: identifies its content.
        """
        reading = self._readings.get(digest)
        if reading is None:
            reading = self._readings[digest] = read_message(message)
        return reading


def read_message(message: Message) -> Reading:
    """Return what a message holds."""
    items: dict[tuple[ItemKind, str], Item] = {}
    closed: set[str] = set()
    signs: set[str] = set()
    texts: list[str] = []
    asked = False
    for line in read_lines(Utterance.of(message)):
        reading = read_line(line.text, line.source, line.kind, asked)
        for item in reading.items:
            asked = asked or item.kind == "instruction"
            items.setdefault((item.kind, item.key), item)
        closed |= reading.closed
        signs |= reading.signs
        texts.append(reading.text)
    return Reading(tuple(items.values()), frozenset(closed), frozenset(signs), "\n".join(texts))
