"""Records as they stand in their files, for whoever wants to read them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from inspector.sources.lines.jsonl import read_bytes

MOST_SHOWN = 2 << 20
"""Bytes of a record that are shown."""


@dataclass(frozen=True)
class RawRecord:
    """A record as it stands in its file."""

    path: str
    offset: int
    length: int
    """Bytes."""
    event: str
    text: str
    """Pretty-printed JSON or, where it does not parse, the bytes as text; at most 2 MB."""
    clipped: bool = False


def raw_record(path: str, offset: int, length: int | None, event: str) -> RawRecord:
    """Return a record; without a length, all of the file from the offset on.

    Raises:
        OSError: the file cannot be read.
    """
    size = os.path.getsize(path) - offset if length is None else length
    raw = read_bytes(path, offset, min(size, MOST_SHOWN))
    text = raw.decode(errors="replace")
    if size > MOST_SHOWN:
        return RawRecord(path, offset, size, event, text, clipped=True)
    try:
        text = json.dumps(json.loads(text, strict=False), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        pass
    return RawRecord(path, offset, size, event, text)
