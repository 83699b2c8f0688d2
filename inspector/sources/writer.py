"""Which version wrote a file, as far as its numbers tell (`engine.md` §8).

A span counts its previews' tokens by characters, and the offloader allows a shortened text so many
characters a token; both were four, and are three. The agent's requests are a later invention.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import JsonlIndex, read_record
from inspector.sources.lines.offload_log import OffloadEntry

CURRENT = "0.1.19.post2"
"""openJiuwen's version with three characters a token."""
EARLIER = "earlier"
"""Before it: four characters a token, and no `llm_request` records."""

_LISTS = ("preserved_prefix", "messages_to_compress", "protected_tail")
_PREVIEW = 200
_CLEAR = 4
"""Tokens from which on three and four times as many characters cannot be confused."""


def writer_of(index: JsonlIndex) -> str | None:
    """Tell the version that wrote the records of a file; None where nothing in them depends on it.

    Raises:
        OSError: the file cannot be opened or read.
    """
    if any(_is_model_call(index.pool, code) for code in index.codes):
        return CURRENT
    entries = index.offloads.entries.values()
    offsets, lengths = index.columns.offset.view, index.columns.length.view
    for row in list(index.spans)[:8]:
        record = read_record(index.path, int(offsets[row]), int(lengths[row]))
        for length, tokens in _counted(record):
            if length // 3 != length // 4:
                if tokens == max(length // 3, 1):
                    return CURRENT
                if tokens == max(length // 4, 1):
                    return EARLIER
    return next((told for entry in entries if (told := _by_limits(entry))), None)


def _by_limits(entry: OffloadEntry) -> str | None:
    """Tell the version by the limits of an offloader's pass, both whole parts of one product."""
    tokens, chars = entry.threshold, entry.max_chars
    if tokens is None or chars is None or tokens < _CLEAR:
        return None
    by_ratio = {3: CURRENT, 4: EARLIER}
    return next((w for n, w in by_ratio.items() if n * tokens <= chars < n * (tokens + 1)), None)


def _is_model_call(pool: HeadPool, code: int) -> bool:
    return pool.heads[code].event == "pre_call"


def _counted(record: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield characters and tokens of the messages whose preview is their whole content."""
    for name in _LISTS:
        items = record.get(name)
        for item in items if isinstance(items, list) else []:
            preview = item.get("preview") if isinstance(item, dict) else None
            if isinstance(preview, str) and len(preview) < _PREVIEW:
                tokens = item.get("tokens")
                if isinstance(tokens, int):
                    yield len(preview), tokens
