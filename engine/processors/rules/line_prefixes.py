"""Line numbers that a tool put before each line, and how they come off (`engine.md` §5.8.1)."""

from __future__ import annotations

import re

_NUMBERED_SHARE = 0.3
"""Share of the non-empty lines that must be numbered."""

_PREFIX = re.compile(
    r"""[ \t]*(?:
        \d+ [ \t]
      | [|>:\#-] [ \t]* \d+ [ \t]* [|:.)\]-]?
      | (?:line|row) [ \t]* \d+ [ \t]* [:|.)\]-]
    )(?=\s*\S)""",
    re.VERBOSE | re.IGNORECASE,
)


def without_line_numbers(text: str, *, keep_indent: bool = False) -> str:
    """Return the text with numbers of lines taken off, if enough of its lines have one.

    Args:
        text: lines, perhaps numbered.
        keep_indent: leave the white space that follows a number.
    """
    lines = text.splitlines()
    prefixes = [_PREFIX.match(line) for line in lines]
    filled = sum(1 for line in lines if line.strip())
    numbered = sum(1 for prefix in prefixes if prefix)
    if not numbered or numbered / filled < _NUMBERED_SHARE:
        return text
    bodies = (
        line[prefix.end() :] if prefix else line
        for line, prefix in zip(lines, prefixes, strict=True)
    )
    if keep_indent:
        return "\n".join(bodies)
    return "\n".join(
        body.lstrip() if prefix else body for body, prefix in zip(bodies, prefixes, strict=True)
    )
