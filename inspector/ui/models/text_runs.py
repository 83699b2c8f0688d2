"""Texts with few styles, and the difference of two texts as such.

The difference is told line by line; within lines that were replaced, the words that differ are
told too, as long as they are few and short enough for that to be quick.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from inspector.trace.windows.alignment import stretches

Style = Literal["plain", "muted", "heading", "added", "removed", "added_part", "removed_part"]

LONGEST = 2_000
"""Characters of a line within which differences are looked for."""
MOST_COMPARED = 12_000
"""Characters of changed lines within which differences are looked for; later lines are whole."""
CONTEXT = 3
"""Equal lines shown around a difference."""
_WORD = re.compile(r"[a-zA-Z0-9_]+|\s+|.", re.DOTALL)
"""What differs as a whole: a word or number in Latin letters, white space, any other character."""


class Run(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Style = "plain"


def difference(old: str, new: str) -> tuple[Run, ...]:
    """Return how `new` differs from `old`, signs before the lines, most equal lines left out."""
    before, after = old.split("\n"), new.split("\n")
    parts = list(stretches(before, after))
    runs: list[Run] = []
    closely = MOST_COMPARED
    for at, (same, old_part, new_part) in enumerate(parts):
        removed, added = before[old_part], after[new_part]
        if same:
            runs.extend(_equal(removed, first=at == 0, last=at == len(parts) - 1))
        elif len(removed) == len(added) and closely > 0:
            for a, b in zip(removed, added, strict=True):
                runs.extend(_changed(a, b, closely > 0))
                closely -= len(a) + len(b)
        else:
            runs.extend(_line("−", line, "removed") for line in removed)
            runs.extend(_line("+", line, "added") for line in added)
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


def _changed(old: str, new: str, closely: bool) -> Iterator[Run]:
    if not closely or len(old) > LONGEST or len(new) > LONGEST:
        yield _line("−", old, "removed")
        yield _line("+", new, "added")
        return
    was, is_ = _WORD.findall(old), _WORD.findall(new)
    parts = SequenceMatcher(None, was, is_, autojunk=False).get_opcodes()
    yield Run("− ", "removed")
    for tag, i1, i2, _, _ in parts:
        yield Run("".join(was[i1:i2]), "removed" if tag == "equal" else "removed_part")
    yield Run("\n", "removed")
    yield Run("+ ", "added")
    for tag, _, _, j1, j2 in parts:
        yield Run("".join(is_[j1:j2]), "added" if tag == "equal" else "added_part")
    yield Run("\n", "added")
