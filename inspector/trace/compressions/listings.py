"""Whether a context was rewritten after an attempt, told by the next list of its messages.

A recorded span lists its window's messages by role, size and beginning, and the agent's own request
holds them whole. A context that was left alone only grows, so the next list begins with the same
messages; after a compression a new memory block stands where the target began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspector.sources.counts import SpanSizes
from inspector.trace.evidence.records import SPAN, ContextRecords, objects, read_at, span_sizes

PREVIEW = 200
"""Characters of a message's content that a span shows."""
SPAN_LISTS = ("preserved_prefix", "messages_to_compress", "protected_tail")

_BLOCKS: Mapping[str, str] = {
    "DialogueCompressor": "<memory_block_dialogue>",
    "CurrentRoundCompressor": "<memory_block_current>",
    "RoundLevelCompressor": "<memory_block_round>",
}
_ANY_BLOCK = "<memory_block_"


class Listed(NamedTuple):
    """A message as a span lists it."""

    role: str
    tokens: int
    """`max(characters // 3, 1)`; earlier versions took four characters for a token."""
    preview: str


def listed(message: Mapping[str, Any], chars_per_token: int = 3) -> Listed:
    """Return how a span would list a message."""
    content = message.get("content")
    text = str("" if content is None else content)
    return Listed(str(message.get("role")), max(len(text) // chars_per_token, 1), text[:PREVIEW])


def item_listed(item: Mapping[str, Any]) -> Listed | None:
    """Return an item of a recorded span; None where it is damaged."""
    role, tokens, preview = item.get("role"), item.get("tokens"), item.get("preview")
    if not isinstance(role, str) or not isinstance(tokens, int) or not isinstance(preview, str):
        return None
    return Listed(role, tokens, preview)


def was_rewritten(records: ContextRecords, span: int, following: int) -> bool | None:
    """Tell whether a span's target was replaced before the next list; None where that is not clear.

    Args:
        records: The context's records.
        span: Position of the span.
        following: Position of the next span or model call.

    Raises:
        OSError: a file cannot be read any more.
    """
    sizes = span_sizes(records, span)
    before, after = _listing(records, span), _listing(records, following)
    if sizes is None or not before or not after:
        return None
    if after[: len(before)] == before:
        return False
    return True if _new_block(records.head_at(span).processor, sizes, before, after) else None


def _new_block(
    processor: str, sizes: SpanSizes, before: Sequence[Listed], after: Sequence[Listed]
) -> bool:
    if len(after) <= sizes.prefix or after[: sizes.prefix] != before[: sizes.prefix]:
        return False
    first = after[sizes.prefix]
    begins = first.preview.lstrip().startswith(_BLOCKS.get(processor, _ANY_BLOCK))
    return begins and first not in before


def _listing(records: ContextRecords, at: int) -> list[Listed]:
    record = read_at(records, at)
    if int(records.event[at]) == SPAN:
        items = [item for name in SPAN_LISTS for item in objects(record.get(name))]
        return [found for item in items if (found := item_listed(item)) is not None]
    messages, system = objects(record.get("messages")), record.get("system_message_count")
    return [listed(m) for m in messages[system if isinstance(system, int) else 0 :]]
