"""The head of a session's notes: how long they are, and whether anything was noted.

Notes are Markdown: headings with a line in italics that says what belongs there, then what was
noted. Three files look alike: the notes, the pending copy that an update works on, and the template
that the first notes are copied from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from inspector.sources.document import Part
from inspector.sources.problem import Problem

Role = Literal["notes", "pending", "template"]

NOTES_NAME = "session_context.md"
PENDING_NAME = "session_context.pending.md"
TEMPLATE_NAME = "session_memory.md"
FOLDER = "session_memory"
"""Default folder of notes and pending copy."""

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>.+?)[ \t#]*$")
_ITALIC = re.compile(r"(_[^_].*_|\*[^*].*\*)$")
_FIRST = "Session Title"
_FEWEST = 2


@dataclass(frozen=True)
class NotesHead:
    """One of the three files."""

    path: str
    role: Role
    chars: int
    """Characters without white space at the ends, as the engine measures notes."""
    unwritten: bool
    """Nothing was noted below the headings: it is no more than a template."""


def read_notes_head(part: Part) -> tuple[NotesHead, list[Problem]]:
    """Read a file of notes."""
    text = part.raw.decode(errors="replace").strip()
    return NotesHead(part.path, _role(part.path), len(text), is_unwritten(text)), []


def is_unwritten(text: str) -> bool:
    """Return whether a text holds headings and descriptions only."""
    lines = (line.strip() for line in text.splitlines())
    return all(not line or _HEADING.match(line) or _ITALIC.match(line) for line in lines)


def looks_like_notes(path: str, text: str) -> bool:
    """Return whether a text is a session's notes, by its headings or else by its place."""
    titles = _titles(text)
    if titles[:1] == [_FIRST] and len(titles) >= _FEWEST:
        return True
    name = PurePath(path)
    return name.parent.name == FOLDER and name.suffix == ".md"


def _titles(text: str) -> Sequence[str]:
    matches = (_HEADING.match(line) for line in text.splitlines())
    return [match["title"] for match in matches if match]


def _role(path: str) -> Role:
    name = PurePath(path).name
    if name == TEMPLATE_NAME:
        return "template"
    return "pending" if name.endswith(".pending.md") else "notes"
