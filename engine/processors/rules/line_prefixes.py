"""Line numbers that a tool put before each line, and how they come off (`engine.md` §5.8.1).

As in openJiuwen the white space around a number may reach over empty lines, which then go with it.
"""

from __future__ import annotations

import re

_NUMBERED_SHARE = 0.3
"""Share of the non-empty lines that must be numbered."""


def _numbered(after_bare_number: str) -> re.Pattern[str]:
    """Return a pattern for a numbered line, its text in group 1, or empty lines in group 2."""
    return re.compile(
        rf"""^\s*(?:
            \d+ {after_bare_number}
          | (?:
                [|>:\#-] \s* \d+ \s*+ [|:.)\]-]?
              | (?:line|row) \s+ \d+ \s* [:|.)\]-]
            ) \s*+ (?=\S)
        )(.*)$ | ^(\s+)""",
        re.VERBOSE | re.IGNORECASE | re.MULTILINE,
    )


_LINE = _numbered(r"[\t\ ]++ (?=\S)")
_INDENTED_LINE = _numbered(r"(?: \t | \ ++ ) (?= .*\S )")


def without_line_numbers(text: str, *, keep_indent: bool = False) -> str:
    """Return the text with numbers of lines taken off, if enough of its lines have one.

    Args:
        text: lines, perhaps numbered.
        keep_indent: leave the white space that follows a bare number and its tab or spaces.
    """
    line = _INDENTED_LINE if keep_indent else _LINE
    numbered = sum(1 for found in line.finditer(text) if found[1] is not None)
    filled = sum(1 for each in text.splitlines() if each.strip())
    if not numbered or numbered / filled < _NUMBERED_SHARE:
        return text
    return line.sub(r"\1\2", text)
