"""Lines without damage, decoded in one go."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import msgspec
import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines.header import HEADER, Header
from inspector.sources.lines.offload_log import LOG_HEADER, LogHeader, is_logged

_LOG_START = b'{"event"'
_EVENT = attrgetter("event")
_BEYOND_ASCII = np.uint64(0x8080808080808080)


def line_ends(block: bytes, few: bool = False) -> NDArray[np.intp]:
    """Return where lines end; where those are few, it is quicker to go from one to the next."""
    if few:
        found, at = list[int](), block.find(b"\n")
        while at >= 0:
            found.append(at)
            at = block.find(b"\n", at + 1)
        return np.array(found, np.intp)
    return np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))


def decode_sound(
    body: memoryview, lines: int, ascii_only: bool
) -> Sequence[Header | LogHeader] | None:
    """Decode so many lines, all in one way; None where any of them needs a closer look."""
    try:
        headers = _decoded(body)
        if not ascii_only:
            _check_utf8(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    sound = len(headers) == lines and None not in map(_EVENT, headers)
    return headers if sound else None


def _decoded(body: memoryview) -> Sequence[Header | LogHeader]:
    if body[: len(_LOG_START)] == _LOG_START:
        lines = LOG_HEADER.decode_lines(body)
        if all(map(is_logged, lines)):
            return lines
    return HEADER.decode_lines(body)


def _check_utf8(body: memoryview) -> None:
    """Decode what lies beyond ASCII: eight bytes wherever some of it does, and the next eight.

    A letter's bytes stand together, so they are all among these, and nothing new is beside them.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    whole = len(body) // 8 * 8
    words = np.frombuffer(body[:whole], np.uint64)
    beyond = words & _BEYOND_ASCII != 0
    kept = beyond.copy()
    kept[1:] |= beyond[:-1]
    (words[kept].tobytes() + bytes(body[whole:])).decode()
