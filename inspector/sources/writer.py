"""Which version wrote a file, as far as its numbers tell: a span counts its previews' tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.sources.header import HeadPool
from inspector.sources.jsonl import JsonlIndex, read_record

CURRENT = "0.1.19.post2"
"""openJiuwen's version with three characters a token."""
EARLIER = "earlier"
"""Before it: four characters a token, and no `llm_request` records."""

_LISTS = ("preserved_prefix", "messages_to_compress", "protected_tail")
_PREVIEW = 200


def writer_of(index: JsonlIndex) -> str | None:
    """Tell the version that wrote the records of a file; None where nothing in them depends on it.

    Raises:
        OSError: the file cannot be opened or read.
    """
    if any(_is_model_call(index.pool, code) for code in set(index.columns.head.view.tolist())):
        return CURRENT
    offsets, lengths = index.columns.offset.view, index.columns.length.view
    for row in list(index.spans)[:8]:
        record = read_record(index.path, int(offsets[row]), int(lengths[row]))
        for length, tokens in _counted(record):
            if length // 3 != length // 4:
                if tokens == max(length // 3, 1):
                    return CURRENT
                if tokens == max(length // 4, 1):
                    return EARLIER
    return None


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
