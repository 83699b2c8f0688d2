"""The words of a piece of an archive, without what only marks it up."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"\A---\r?\n.*?\n---(?:\r?\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)]+)\)")
_HEADING = re.compile(r"^\s*#{1,6}\s*", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+", re.MULTILINE)


def plain_text(markdown: str) -> str:
    """Return the text without front matter, fences and the marks of links, headings and items."""
    text = _FENCE.sub("", _FRONT_MATTER.sub("", markdown))
    text = _LINK.sub(r"\1 \2", text)
    for mark in (_HEADING, _ITEM):
        text = mark.sub("", text)
    return " ".join(text.split())
