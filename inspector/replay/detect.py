"""What kind of replay input a file is, told from its beginning."""

from __future__ import annotations

from pathlib import Path

from inspector.replay.cases.chat import chat_case
from inspector.replay.project import FORMAT
from inspector.sources.detect import HEAD_BYTES
from inspector.sources.prefix import read_prefix
from inspector.sources.regular_file import read_regular

_FORMAT_BYTES = 200
"""Within which a project says what it is."""


def is_case(path: Path) -> bool:
    """Whether a file is a replay case or a chat."""
    head = _head_of(path)
    if path.suffix != ".json" or not (b'"case"' in head or b'"role"' in head):
        return False
    value = read_prefix(head.decode("utf-8-sig", errors="replace"))
    if isinstance(value, dict) and isinstance(value.get("case"), dict):
        return True
    return chat_case(value, path.stem) is not None


def is_project(path: Path) -> bool:
    """Whether a file is a project."""
    return f'"{FORMAT}"'.encode() in _head_of(path)[:_FORMAT_BYTES]


def _head_of(path: Path) -> bytes:
    try:
        return read_regular(path, HEAD_BYTES)
    except OSError:
        return b""
