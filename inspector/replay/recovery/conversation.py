"""A recorded conversation put back together from dumps and requests (`engine.md`, D.10, D.11).

Each window that a file holds in full gives its messages in order; what the engine wrote itself
(memory blocks, recovered context) is left out. How the messages were added follows from the totals:
the number of messages whose window counts as much as the recorded check says. Only what lies before
the last full window can be recovered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.messages import USAGE_STALE, Message, read_messages
from engine.tokens.usage import mark_usage_stale, window_tokens
from inspector.replay.cases.case import Gap
from inspector.replay.recovery.frame import Frame
from inspector.replay.recovery.recorded import (
    Change,
    Chat,
    RecordedStep,
    identity,
    indexed,
    is_engine_block,
    window_before,
    window_of,
    windows_of,
    without_metadata,
)


class Added(NamedTuple):
    """One step of the recovered conversation."""

    step: RecordedStep
    added: int
    """Messages added before it."""
    state: list[Message]
    """The window's context messages before the chain acted."""

    @property
    def number(self) -> int:
        """The window request, or the one that a compression on demand followed."""
        return self.step.number


@dataclass
class Recovered:
    """A conversation, and what of it is missing."""

    frame: Frame
    messages: list[Chat] = field(default_factory=list)
    shown: list[Chat] = field(default_factory=list)
    """The messages as windows first showed them: offloaded ones with their markers."""
    steps: list[Added] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def last_step(self) -> int:
        """The last window request for which there is evidence."""
        return self.steps[-1].number if self.steps else 0


def recover(
    steps: Sequence[RecordedStep], originals: Mapping[str, Chat], frame: Frame
) -> Recovered:
    """Put a conversation back together.

    Args:
        steps: its steps, in order of time.
        originals: by their identity, the messages in whose place windows show something shorter.
        frame: what its requests hold besides.
    """
    found = Recovered(frame, gaps=[*frame.gaps])
    pool = _Pool()
    for step in steps:
        pool.take(step)
    if not pool.messages:
        return found
    _Feeding(found, pool).feed(steps)
    found.shown = pool.messages[: sum(step.added for step in found.steps)]
    given = (originals.get(identity(chat), chat) for chat in found.shown)
    found.messages = [without_metadata(chat) for chat in given]
    if len(found.steps) < len(steps):
        what = "no file holds the messages added from this step on"
        found.gaps.append(Gap(step=steps[len(found.steps)].number, what=what))
    return found


class _Pool:
    """The conversation's own messages, each once, in order of first appearance.

    What a compression left that was not there before is the engine's own. Where no dump shows what
    one left, messages that look like the engine's blocks count as such; others are taken as they
    are, for a conversation may begin with blocks of an earlier session.
    """

    def __init__(self) -> None:
        self.messages: list[Chat] = []
        self._position: dict[str, int] = {}
        self._written: set[str] = set()
        self._unseen = False

    def take(self, step: RecordedStep) -> None:
        """Take in what a step shows, which follows those before."""
        self._unseen = self._unseen or step.unseen
        for change in step.changes:
            self._take_window(change.gone)
            self._written |= {identity(chat) for chat in change.left}
        for dump in step.dumps:
            self._take_window(window_before(dump))
            after = [indexed(chat) for chat in dump.context_after.messages]
            self._written |= {identity(chat) for chat in after} - self._position.keys()
        if step.request is not None:
            self._take_window(window_of(step.request))

    def _take_window(self, window: Sequence[Chat]) -> None:
        for chat in window:
            known = identity(chat)
            if known in self._position or known in self._written:
                continue
            if self._unseen and is_engine_block(chat):
                continue
            self._position[known] = len(self.messages)
            self.messages.append(chat)

    def end_of(self, window: Sequence[Chat]) -> int:
        """Return how many messages had been added when this was the window."""
        known = (self._position.get(identity(chat), -1) for chat in window)
        return max(known, default=-1) + 1


class _Feeding:
    """Finds how many messages were added before each step."""

    def __init__(self, found: Recovered, pool: _Pool) -> None:
        self._found, self._pool = found, pool
        self._counter = found.frame.tokens()
        self._frame = found.frame.read()
        self._coming = read_messages(pool.messages)
        for message in self._coming:
            message.metadata.pop(USAGE_STALE, None)  # it was not, when it was added
        self._state: list[Message] = []
        self._added = 0

    def feed(self, steps: Sequence[RecordedStep]) -> None:
        """Take the steps as far as something shows what was added before them."""
        for at, step in enumerate(steps):
            limit = _known_end(self._pool, steps[at:])
            count = self._count(step, limit)
            if count is None and limit is None:
                return
            if count is None and step.total is not None:
                what = f"no number of messages counts {step.total} tokens, as recorded"
                self._found.gaps.append(Gap(step=step.number, what=what))
            new = self._coming[self._added : self._added + (count or 0)]
            adding = (change for change in step.changes if change.adding)
            state = _changed([*self._state, *new], adding)
            self._added += len(new)
            self._found.steps.append(Added(step, len(new), state))
            self._state = _state_after(step, state)

    def _count(self, step: RecordedStep, limit: int | None) -> int | None:
        """Return how many messages were added before a step; None where nothing tells."""
        exact = _known_end(self._pool, [step])
        known = None if exact is None else max(exact - self._added, 0)
        if known is not None and any(change.adding for change in step.changes):
            return known  # the total is that of what was left
        coming = self._coming[self._added : limit or self._added]
        counted = self._counted(step, coming)
        if known is None or (counted is not None and counted <= known):
            return counted
        return known

    def _counted(self, step: RecordedStep, coming: Sequence[Message]) -> int | None:
        """Return how many of the coming messages give the recorded total."""
        system, tools = ([], []) if step.on_demand else self._frame
        for count in range(len(coming) + 1):
            window = [*self._state, *coming[:count]]
            if window_tokens(self._counter, system, window, tools) == step.total:
                return count
        return None


def _state_after(step: RecordedStep, state: list[Message]) -> list[Message]:
    """Return the context messages that a step left."""
    if step.dumps:
        after = read_messages([indexed(chat) for chat in step.dumps[-1].context_after.messages])
        mark_usage_stale(after)
        return after
    window = window_of(step.request) if step.request is not None else []
    if any(is_engine_block(chat) for chat in window[:1]) and (
        identity(window[0]) not in {identity(message.to_chat()) for message in state[:1]}
    ):
        return read_messages(window)
    return _changed(state, (change for change in step.changes if not change.adding))


def _changed(state: list[Message], changes: Iterable[Change]) -> list[Message]:
    """Return messages after some of them made way for others."""
    for change in changes:
        gone = {identity(chat) for chat in change.gone}
        at = next((i for i, m in enumerate(state) if m.message_id in gone), len(state))
        kept = [message for message in state if message.message_id not in gone]
        mark_usage_stale(kept)
        state = [*kept[:at], *read_messages(list(change.left)), *kept[at:]]
    return state


def _known_end(pool: _Pool, steps: Sequence[RecordedStep]) -> int | None:
    """Return how many messages had been added by the first of the steps whose window is known."""
    folded: list[Chat] = []
    for step in steps:
        folded += [chat for change in step.changes if change.adding for chat in change.gone]
        for window in windows_of(step):
            return pool.end_of([*folded, *window])
    return pool.end_of(folded) if folded else None
