"""Span arithmetic: what a compressor keeps in front, replaces, and protects at the end.

This is `engine.md` §5.1 and §5.2. A span is contiguous: prefix, target, tail. The tail never begins
between a tool call and its result if that can be avoided: its start moves back to the earliest call
that one of its results answers. Linear in the number of messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.debug.records import SpanCounts
from engine.messages import Message, ToolMessage
from engine.messages.authors import last_real_user


class Tie(NamedTuple):
    """A call that pulled the tail's start: its position, and the id of a result in the tail."""

    call: int
    call_id: str


@dataclass(frozen=True)
class Tail:
    """Where the protected tail starts, and why not where it was asked to."""

    start: int
    wanted_start: int
    ties: tuple[Tie, ...] = ()
    """The calls that moved the start, in the order in which they did."""


@dataclass(frozen=True)
class Span:
    """A window's context messages in three parts."""

    prefix: list[Message]
    target: list[Message]
    tail: list[Message]

    @property
    def counts(self) -> SpanCounts:
        """The lengths of its parts, as records hold them."""
        return SpanCounts(
            preserved_prefix_count=len(self.prefix),
            messages_to_compress_count=len(self.target),
            protected_tail_count=len(self.tail),
        )


def protected_tail(messages: Sequence[Message], keep: int) -> Tail:
    """Return the tail that keeps the last `keep` messages and the calls which their results answer.

    A `keep` of 0 protects nothing: no result is looked at.
    """
    if keep <= 0:
        return Tail(len(messages), len(messages))
    calls = _first_calls(messages)
    wanted = start = max(len(messages) - keep, 0)
    looked = len(messages)
    ties: list[Tie] = []
    while start < looked:
        results = (m for m in messages[start:looked] if isinstance(m, ToolMessage))
        looked = start
        answered = [calls[m.tool_call_id] for m in results if m.tool_call_id in calls]
        earliest = min(answered, default=None)
        if earliest is not None and earliest.call < start:
            ties.append(earliest)
            start = earliest.call
    return Tail(start, wanted, tuple(ties))


def dialogue_span(messages: Sequence[Message]) -> Span:
    """Everything before the latest user's turn is the target; without a user nothing is."""
    user = last_real_user(messages)
    start = protected_tail(messages, len(messages) - user).start if user >= 0 else 0
    return Span([], list(messages[:start]), list(messages[start:]))


def current_round_span(messages: Sequence[Message], keep_recent: int) -> Span:
    """What came after the latest user message, less the recent ones, is the target."""
    user = last_real_user(messages)
    split = protected_tail(messages, keep_recent).start
    if user < 0:
        return Span([], [], list(messages[split:]))
    first = user + 1
    split = max(split, first)
    return Span(list(messages[:first]), list(messages[first:split]), list(messages[split:]))


def round_level_span(messages: Sequence[Message], keep_recent: int) -> Span:
    """Everything but the recent messages is the target."""
    start = protected_tail(messages, keep_recent).start
    return Span([], list(messages[:start]), list(messages[start:]))


def _first_calls(messages: Sequence[Message]) -> dict[str, Tie]:
    """Return where each id was called first; empty ones name no call."""
    calls: dict[str, Tie] = {}
    for position, message in enumerate(messages):
        for call in message.calls:
            if call.id:
                calls.setdefault(call.id, Tie(position, call.id))
    return calls
