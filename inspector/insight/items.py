"""Items: what a later reader of a conversation may need, and when a message holds one.

An item is held by a message that says the same, exactly, after normalising:

- *instruction*, *command*, *error*, *todo*: the words in their order; case, white space, quotes,
  emphasis and punctuation at the end do not count;
- *path*: the path itself, a longer one that begins or ends with it, or a relative one of two names
  or more that it ends with; `a/{b,c}.py` names two;
- *number*: the number together with its unit or its name, the nearest word on either side; `12`
  elsewhere is another 12, `12 seconds` and `12s` are the same;
- *identifier*: the very characters; of a hash its first seven do;
- *url*: the very characters, but for a slash at the end.

A paraphrase does not hold an item: without a model nobody can tell that it says the same. What
makes an item is said in `inspector.insight.line_items`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

ItemKind = Literal["instruction", "path", "command", "identifier", "error", "number", "url", "todo"]
KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)

PHRASES: Final = frozenset[ItemKind]({"instruction", "command", "error", "todo"})
"""Kinds that are looked for in the running text, the others by their signs alone."""

_QUOTES = re.compile("[`*\"'“”‘’]")
_ENDS: Final = " .,:;!?。；：，！？…-"


class Item(NamedTuple):
    """Something worth keeping."""

    kind: ItemKind
    key: str
    """The item, normalised; within a kind, equal keys are the same item."""
    text: str
    """As it stands in the message."""
    signs: tuple[str, ...]
    """Any of them among a message's signs shows that it holds the item."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message, or one line, holds."""

    items: tuple[Item, ...]
    """Distinct, in the order of the text."""
    closed: frozenset[str]
    """Keys of to-dos that are shown as done."""
    signs: frozenset[str]
    text: str
    """The lines, normalised."""

    def holds(self, item: Item) -> bool:
        """Return whether this says what the item says."""
        if not self.signs.isdisjoint(item.signs):
            return True
        return item.kind in PHRASES and _says(self.text, item.key)


def normalised(text: str) -> str:
    """Return a text without what does not count when words are compared."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(_QUOTES.sub("", text).casefold().split()).strip(_ENDS)


def _says(text: str, phrase: str) -> bool:
    """Return whether a text holds a phrase that is no part of longer words."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (
            _goes_on(phrase[-1:] + text[end : end + 2])
            or _goes_on(phrase[:1] + text[max(0, start - 2) : start][::-1])
        ):
            return True
        start = text.find(phrase, start + 1)
    return False


def _goes_on(text: str) -> bool:
    """Return whether the next character, or the one behind a dot or dash, is of the same word."""
    return re.match(r"\w(?:\w|[./-]\w)", text, re.ASCII) is not None
