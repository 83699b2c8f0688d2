"""The text that takes an original's place: what is left of it, then a marker that names it."""

from __future__ import annotations

from engine.processors.offloaders.originals import Kept
from engine.wording import OffloadWording, fill

MARKER_START = "[[OFFLOAD:"


def filled_marker(plain: str, with_path: str, kept: Kept) -> str:
    """Return the marker of an original, with the path of its file if it has one."""
    template = plain if kept.path is None else with_path
    return fill(template, handle=kept.handle, type=kept.type, path=kept.path)


def marker(kept: Kept, wording: OffloadWording) -> str:
    """Return the line that names an original, its line break included."""
    return filled_marker(wording.marker, wording.marker_with_path, kept)


def preview(text: str, wording: OffloadWording) -> str:
    """Return both ends of a long text, or all of a text that is no longer than these."""
    ends = wording.preview_keep_chars
    if len(text) <= 2 * ends:
        return text
    return text[:ends] + wording.preview_separator + text[len(text) - ends :]


def cut(text: str, max_chars: int, wording: OffloadWording) -> str:
    """Return a text in at most so many characters, its marker whole whatever its length.

    Both ends are kept; pieces lose the white space at the joins. A text without a marker loses its
    end.
    """
    start = text.rfind(MARKER_START)
    if start < 0:
        return text[:max_chars]
    mark, body, joint = text[start:].strip(), text[:start].rstrip(), wording.cut_separator
    room = max_chars - len(mark) - len(joint)
    if room <= 0:
        return mark
    if len(body) > room:
        tail = room // 2
        head = room - len(joint) - tail
        if head <= 0:
            body = body[-room:].lstrip()
        else:
            body = body[:head].rstrip() + joint + body[len(body) - tail :].lstrip()
    return body + joint + mark
