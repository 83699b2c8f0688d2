"""Texts with few styles, and the difference of two texts as such.

The difference is told line by line; within lines that were replaced, the parts that differ are told
too, as long as the lines are short enough for that to be quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Style = Literal["plain", "muted", "heading", "added", "removed", "added_part", "removed_part"]

LONGEST = 2_000
"""Characters of a line within which differences are looked for."""
MOST_LINES = 20_000
"""Lines of both texts that are compared; longer ones are shown one after the other."""
CONTEXT = 3
"""Equal lines shown around a difference."""


class Run(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Style = "plain"


def difference(old: str, new: str) -> tuple[Run, ...]:
    """Return how `new` differs from `old`, signs before the lines, most equal lines left out."""
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > MOST_LINES:
        removed = (_line("−", line, "removed") for line in before)
        return (*removed, *(_line("+", line, "added") for line in after))
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > 2_000)
    runs: list[Run] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            runs.extend(_equal(before[i1:i2], first=i1 == 0, last=i2 == len(before)))
        elif tag == "replace" and i2 - i1 == j2 - j1:
            for a, b in zip(before[i1:i2], after[j1:j2], strict=True):
                runs.extend(_changed(a, b))
        else:
            runs.extend(_line("−", line, "removed") for line in before[i1:i2])
            runs.extend(_line("+", line, "added") for line in after[j1:j2])
    return tuple(runs)


def _line(sign: str, text: str, style: Style) -> Run:
    return Run(f"{sign} {text}\n", style)


def _equal(lines: list[str], first: bool, last: bool) -> Iterator[Run]:
    head = 0 if first else CONTEXT
    tail = 0 if last else CONTEXT
    if len(lines) <= head + tail + 1:
        yield from (_line(" ", line, "plain") for line in lines)
        return
    yield from (_line(" ", line, "plain") for line in lines[:head])
    yield Run(f"  … {len(lines) - head - tail:,} equal lines …\n", "muted")
    yield from (_line(" ", line, "plain") for line in lines[len(lines) - tail :])


def _changed(old: str, new: str) -> Iterator[Run]:
    if len(old) > LONGEST or len(new) > LONGEST:
        yield _line("−", old, "removed")
        yield _line("+", new, "added")
        return
    parts = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    yield Run("− ", "removed")
    for tag, i1, i2, _, _ in parts:
        yield Run(old[i1:i2], "removed" if tag == "equal" else "removed_part")
    yield Run("\n", "removed")
    yield Run("+ ", "added")
    for tag, _, _, j1, j2 in parts:
        yield Run(new[j1:j2], "added" if tag == "equal" else "added_part")
    yield Run("\n", "added")
