"""Retention: of what the compressed messages held, what the window afterwards still holds.

Messages enter as the conversation has them, windows as they were sent. Whatever stood in a window,
or was about to, and is not there any more was compressed: summarised, masked, offloaded, cut or
dropped, it makes no difference to the agent. The items of such messages (`line_items` says what an
item is) are looked for in the window afterwards (`items` says when a message holds one): in memory
blocks, recovered context, kept messages and the system messages alike.

An item that is lost stays lost until a later window holds it again, for instance because the agent
read the file once more; a summary of a summary is judged by what the conversation said, not by what
the first summary made of it. Messages that the engine wrote hold items but are no source of any. A
to-do that was shown as done is no longer asked for.

Each compression has its own balance: the items that went with it, and those of them that are held.
The balance of the whole conversation counts all items of all its messages, so that it can be
compared between settings: without any compression it is 1. The share of a balance is the mean of
the shares of its kinds, for one lost instruction weighs more than one of a thousand file names.

Every message is read once, windows are compared from where they differ, and an item is looked for
only when the message that held it goes: linear in the messages, up to the search of lost items in
new ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not
from typing import NamedTuple

from engine.messages import Message
from engine.messages.authors import is_real_user
from engine.summarizers.call import messages_digest
from inspector.insight.item_reader import ItemReader
from inspector.insight.items import KINDS, PHRASES, Item, ItemKind, Reading


@dataclass(frozen=True)
class WindowStep:
    """A window, and what the conversation added before it."""

    step: int
    """1-based window request; several windows of one request may follow each other."""
    added: Sequence[Message]
    """New messages as the conversation has them, before any processor saw them."""
    window: Sequence[Message]
    """What was sent, or would have been: system and context messages."""
    processors: tuple[str, ...] = ()
    """Who changed the messages since the window before."""


class Place(NamedTuple):
    """Where an item stood first."""

    position: int
    """0-based position of the message among all that were added."""
    message_id: str | None
    role: str


@dataclass(frozen=True, slots=True)
class Loss:
    """An item that a compression lost."""

    item: Item
    place: Place
    step: int
    """The step that lost it, the last time that it was lost."""
    processors: tuple[str, ...]


class Held(NamedTuple):
    """How many items are held, of how many."""

    held: int = 0
    total: int = 0


@dataclass(frozen=True)
class CompressionRetention:
    """What one compression left."""

    step: int
    processors: tuple[str, ...]
    messages: int
    """Messages that went."""
    kinds: Mapping[ItemKind, Held]
    """Of the items that went with them."""
    lost: tuple[Loss, ...]
    """Items that were held before and are not any more."""
    back: tuple[Loss, ...]
    """Items lost before that came back in the same step, each with its loss."""

    @property
    def share(self) -> float:
        """Share that is held, from 0 to 1; 1 when nothing was at stake."""
        return mean_share(self.kinds)


@dataclass(frozen=True)
class Retention:
    """What all compressions of a conversation left."""

    compressions: tuple[CompressionRetention, ...]
    kinds: Mapping[ItemKind, Held]
    """Of all items of the conversation, at its last window."""
    lost: tuple[Loss, ...]
    """What the last window does not hold, in the order of the conversation."""
    back: tuple[Loss, ...]
    """What was lost and came back, with its last loss."""

    @property
    def share(self) -> float:
        """Share that is held, from 0 to 1; 1 when there is nothing to hold."""
        return mean_share(self.kinds)


def mean_share(kinds: Mapping[ItemKind, Held]) -> float:
    """Return the mean of the shares of the kinds that have items; 1 when none has."""
    shares = [count.held / count.total for count in kinds.values() if count.total]
    return sum(shares) / len(shares) if shares else 1.0


def retention(steps: Iterable[WindowStep], reader: ItemReader | None = None) -> Retention:
    """Return what the compressions between windows left.

    Args:
        steps: all windows in order; messages that were added without a window belong to the next.
        reader: remembers what messages hold; replays of one conversation may share it.
    """
    ledger = _Ledger(reader or ItemReader())
    compressions = [found for step in steps if (found := ledger.follow(step)) is not None]
    entries = ledger.open_entries()
    losses = [(entry.loss, entry.holder) for entry in entries if entry.loss is not None]
    return Retention(
        compressions=tuple(compressions),
        kinds=_balance(entries),
        lost=tuple(loss for loss, holder in losses if holder is None),
        back=tuple(loss for loss, holder in losses if holder is not None),
    )


@dataclass(slots=True, eq=False)
class _Entry:
    """An item of the conversation and where it is now."""

    item: Item
    place: Place
    holder: str | None = None
    """Digest of a message of the window that holds it; None while it is lost."""
    loss: Loss | None = None
    """Its last loss, also when it came back."""


class _Lost:
    """The entries that no message of the window holds, by what would show them."""

    def __init__(self) -> None:
        self._by_sign: defaultdict[str, set[_Entry]] = defaultdict(set)
        self._by_word: defaultdict[str, set[_Entry]] = defaultdict(set)
        """Phrases, by a word that stands in whatever says them, or by none."""
        self._words: dict[_Entry, str] = {}
        """Which word that is."""

    def add(self, entry: _Entry) -> None:
        for sign in entry.item.signs:
            self._by_sign[sign].add(entry)
        if entry.item.kind in PHRASES:
            inside = entry.item.key.split(" ")[1:-1]  # whole words; those at the ends may go on
            word = min(inside, key=lambda word: len(self._by_word[word]), default="")
            self._words[entry] = word
            self._by_word[word].add(entry)

    def remove(self, entry: _Entry) -> None:
        for sign in entry.item.signs:
            self._by_sign[sign].discard(entry)
        if entry.item.kind in PHRASES:
            self._by_word[self._words.pop(entry)].discard(entry)

    def among(self, reading: Reading) -> list[_Entry]:
        """Return the entries that a message holds, in the order of the conversation."""
        signs = self._by_sign.keys() & reading.signs
        found = {entry for sign in signs for entry in self._by_sign[sign]}
        words = self._by_word.keys() & {"", *reading.text.split()}
        phrases = {entry for word in words for entry in self._by_word[word]}
        found.update(entry for entry in phrases - found if reading.holds(entry.item))
        return sorted(found, key=_order)


class _Ledger:
    """All items of a conversation so far."""

    def __init__(self, reader: ItemReader) -> None:
        self._reader = reader
        self._digests: dict[int, tuple[Message, str]] = {}
        self._added = 0
        self._entries: dict[tuple[ItemKind, str], _Entry] = {}
        self._own: dict[str, list[_Entry]] = {}
        """Entries of each added message, by digest."""
        self._held: defaultdict[str, set[_Entry]] = defaultdict(set)
        """Entries by their holder."""
        self._lost = _Lost()
        self._closed: set[str] = set()
        self._messages: Sequence[Message] = ()
        """The window, and by digest what its messages hold and how often each is there."""
        self._window: dict[str, Reading] = {}
        self._copies: Counter[str] = Counter()

    def follow(self, step: WindowStep) -> CompressionRetention | None:
        """Take in a step; return the balance of what went, None if nothing did."""
        added = [self._add(message) for message in step.added]
        left, arrived = self._turn_to(step.window)
        gone = dict.fromkeys([*left, *(digest for digest in added if digest not in self._window)])
        back = self._find_again(arrived)
        if not gone:
            return None
        stake = self._open(self._at_stake(gone))
        lost = self._settle(stake, step)
        return CompressionRetention(
            step=step.step,
            processors=step.processors,
            messages=len(gone),
            kinds=_balance(stake),
            lost=tuple(lost),
            back=tuple(back),
        )

    def _turn_to(self, messages: Sequence[Message]) -> tuple[list[str], dict[str, Reading]]:
        """Take the next window; return what left the one before, and what is new."""
        pairs = map(is_not, self._messages, messages)
        same = next(compress(count(), pairs), min(len(self._messages), len(messages)))
        left = [self._digest(message) for message in self._messages[same:]]
        self._messages = messages
        arrived: dict[str, Reading] = {}
        for message in messages[same:]:
            digest = self._digest(message)
            self._copies[digest] += 1
            if digest not in self._window:
                arrived[digest] = self._window[digest] = self._reader.read(message, digest)
        self._copies.subtract(left)
        gone = [digest for digest in dict.fromkeys(left) if not self._copies[digest]]
        for digest in gone:
            del self._window[digest], self._copies[digest]
        return gone, arrived

    def open_entries(self) -> list[_Entry]:
        """Return the items that still matter, in the order of the conversation."""
        return self._open(self._entries.values())

    def _open(self, entries: Iterable[_Entry]) -> list[_Entry]:
        return [e for e in entries if e.item.kind != "todo" or e.item.key not in self._closed]

    def _add(self, message: Message) -> str:
        """Enter the items of a message of the conversation, and return its digest."""
        digest = self._digest(message)
        place = Place(self._added, message.message_id, message.role)
        self._added += 1
        if message.role == "system" or (message.role == "user" and not is_real_user(message)):
            return digest
        reading = self._reader.read(message, digest)
        self._closed |= reading.closed
        self._own[digest] = own = []
        for item in reading.items:
            entry = self._entries.setdefault((item.kind, item.key), _Entry(item, place))
            own.append(entry)
            if entry.holder is None and entry.loss is None:
                self._hold(entry, digest)
        return digest

    def _at_stake(self, gone: Iterable[str]) -> list[_Entry]:
        """Return the entries of messages that went, and those that such messages held."""
        stake: dict[_Entry, None] = {}
        for digest in gone:
            stake.update(dict.fromkeys(self._own.get(digest, ())))
            stake.update(dict.fromkeys(self._held.pop(digest, ())))
        return sorted(stake, key=_order)

    def _settle(self, stake: Iterable[_Entry], step: WindowStep) -> list[Loss]:
        """Look for each entry in the window; return those that this step lost."""
        sought = [entry for entry in stake if entry.holder not in self._window]
        if not sought:
            return []
        losses = []
        where: dict[str, str] = {}
        window = {digest: self._window[digest] for digest in map(self._digest, self._messages)}
        for digest, reading in window.items():
            where.update(dict.fromkeys(reading.signs, digest))
        for entry in sought:
            holder = next((where[sign] for sign in entry.item.signs if sign in where), None)
            if holder is None and entry.item.kind in PHRASES:
                holder = next((d for d, r in window.items() if r.holds(entry.item)), None)
            if holder is not None:
                self._hold(entry, holder)
            elif entry.holder is not None:
                entry.holder = None
                entry.loss = Loss(entry.item, entry.place, step.step, step.processors)
                self._lost.add(entry)
                losses.append(entry.loss)
        return losses

    def _find_again(self, arrived: Mapping[str, Reading]) -> list[Loss]:
        """Look for lost entries in the messages that are new in the window."""
        found = []
        for digest, reading in arrived.items():
            for entry in self._lost.among(reading):
                self._lost.remove(entry)
                self._hold(entry, digest)
                assert entry.loss is not None
                found.append(entry.loss)
        return found

    def _hold(self, entry: _Entry, digest: str) -> None:
        entry.holder = digest
        self._held[digest].add(entry)

    def _digest(self, message: Message) -> str:
        known = self._digests.get(id(message))
        if known is None:
            known = self._digests[id(message)] = (message, messages_digest([message]))
        return known[1]


def _order(entry: _Entry) -> tuple[int, Item]:
    return entry.place.position, entry.item


def _balance(entries: Iterable[_Entry]) -> dict[ItemKind, Held]:
    counts = {kind: [0, 0] for kind in KINDS}
    for entry in entries:
        counts[entry.item.kind][0] += entry.holder is not None
        counts[entry.item.kind][1] += 1
    return {kind: Held(*count) for kind, count in counts.items()}
