"""Counts as records state them, of tokens, characters and messages."""

from __future__ import annotations

from typing import NamedTuple

from engine.debug.records import SpanCounts

LARGEST_NUMBER = 1 << 53
"""A count beyond this is damage."""


def sound_count(value: int | None) -> int | None:
    """Return a count; None for one that cannot be true."""
    return value if value is not None and 0 <= value <= LARGEST_NUMBER else None


class SpanSizes(NamedTuple):
    """Messages in the parts of a recorded span."""

    prefix: int
    compress: int
    tail: int

    @classmethod
    def of(cls, counts: SpanCounts) -> SpanSizes:
        """Return the sizes of a final span."""
        return cls(
            counts.preserved_prefix_count,
            counts.messages_to_compress_count,
            counts.protected_tail_count,
        )
