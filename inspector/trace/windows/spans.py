"""The split of a window drawn over its messages, and why its boundary is where it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from engine.messages import Message
from engine.messages.authors import last_real_user
from engine.processors.compressors.current_round import CurrentRoundCompressorConfig
from engine.processors.compressors.round_level import RoundLevelCompressorConfig
from engine.processors.spans import Tail, protected_tail
from inspector.sources.counts import SpanSizes
from inspector.trace.detail import Evidence, SpanView, ToolTie, TraceMessage, Zone

_DIALOGUE = "DialogueCompressor"
_DEFAULT_KEEP: Mapping[str, int] = {
    "CurrentRoundCompressor": CurrentRoundCompressorConfig.model_validate({}).keep_recent_messages,
    "RoundLevelCompressor": RoundLevelCompressorConfig.model_validate({}).keep_recent_messages,
}


class KnownTail(NamedTuple):
    """A window and the length of the tail that was first built in it."""

    messages: Sequence[Message]
    tail: int


def span_view(
    messages: Sequence[TraceMessage],
    final: SpanSizes,
    first: SpanSizes | None = None,
    tail: Tail | None = None,
    evidence: Evidence = "recorded",
) -> SpanView:
    """Draw a split over messages.

    Args:
        messages: The window's context messages.
        final: The parts that were finally used.
        first: The parts as they were first built, where overflows shrank them.
        tail: How the first boundary came about, where that is known.
        evidence: Where the messages come from.
    """
    ties = tool_ties(messages)
    shrunk = first is not None and first.compress != final.compress
    return SpanView(
        messages=tuple(messages),
        zones=_zones(len(messages), final),
        ties=ties,
        wanted_tail=None if tail is None else len(messages) - tail.wanted_start,
        moved_by=() if tail is None else _moving(ties, tail),
        shrunk_from=first.compress if shrunk and first is not None else None,
        evidence=evidence,
    )


def _zones(count: int, span: SpanSizes) -> tuple[Zone, ...]:
    parts: tuple[tuple[Zone, int], ...] = (
        ("outside", count - sum(span)),
        ("prefix", span.prefix),
        ("compress", span.compress),
        ("tail", span.tail),
    )
    zones = (z for z, length in parts for z in repeat(z, min(max(length, 0), count)))
    return tuple(islice(zones, count))


def target_positions(count: int, span: SpanSizes) -> range:
    """Return the positions of the target among `count` messages that end with the span's tail."""
    start = min(max(count - sum(span), 0) + max(span.prefix, 0), count)
    return range(start, min(start + max(span.compress, 0), count))


def tool_ties(messages: Sequence[TraceMessage]) -> tuple[ToolTie, ...]:
    """Return each tool call with its results, and the results that answer no call here."""
    results: dict[str, list[int]] = {}
    for at, message in enumerate(messages):
        if message.role == "tool" and message.tool_call_id is not None:
            results.setdefault(message.tool_call_id, []).append(at)
    ties = [
        ToolTie(call_id, name, at, tuple(results.pop(call_id, ())))
        for at, message in enumerate(messages)
        for call_id, name in _calls(message)
    ]
    return (*ties, *(ToolTie(call_id, "", None, tuple(at)) for call_id, at in results.items()))


def _calls(message: TraceMessage) -> Iterable[tuple[str, str]]:
    for call in message.tool_calls:
        function = call.get("function")
        name = function.get("name") if isinstance(function, dict) else call.get("name")
        yield str(call.get("id")), str(name or "")


def _moving(ties: Sequence[ToolTie], tail: Tail) -> tuple[ToolTie, ...]:
    by_place = {(tie.call, tie.call_id): tie for tie in ties}
    keys = [(tie.call, tie.call_id) for tie in tail.ties]
    return tuple(by_place[key] for key in keys if key in by_place)


def first_tail(
    processor: str, messages: Sequence[Message], length: int, keep: int | None
) -> Tail | None:
    """Return how a tail of this length came about; None where it cannot be explained.

    Args:
        processor: The compressor.
        messages: The window's context messages.
        length: Messages of the tail as it was recorded.
        keep: The compressor's `keep_recent_messages`, as far as it is known.
    """
    wanted = len(messages) - last_real_user(messages) if processor == _DIALOGUE else keep
    if wanted is None or wanted > len(messages):
        return None
    tail = protected_tail(messages, wanted)
    return tail if len(messages) - tail.start == length else None


def keep_recent(processor: str, tails: Iterable[KnownTail]) -> int | None:
    """Return the `keep_recent_messages` that explains recorded tails.

    It is the default if that explains all of them, else the smallest value that does; None where
    none does, or for another compressor.
    """
    default = _DEFAULT_KEEP.get(processor)
    if default is None:
        return None
    known = list(tails)
    if all(_explains(default, tail) for tail in known):
        return default
    most = min(tail for _messages, tail in known)
    possible = (keep for keep in range(most + 1) if all(_explains(keep, tail) for tail in known))
    return next(possible, None)


def _explains(keep: int, known: KnownTail) -> bool:
    messages, tail = known
    return len(messages) - protected_tail(messages, keep).start == tail
