"""Diffs: the most changed files, their best hunks, and changes with a little around them.

`engine.md` §5.8.2, C.7 and E.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.query_terms import hits
from engine.wording import fill

FEWEST_LINES = 50
MOST_FILES = 20
MOST_HUNKS = 10
"""Hunks kept of a file."""
MOST_CHANGES = 8
"""Changed lines kept of a hunk."""
MOST_CHANGES_IN_ALL = 200
CONTEXT_LINES = 2
OFFLOADED_BELOW = 0.8
"""Share of the lines below which so much is lost that the reader is told of the original."""

_FILE = re.compile(r"diff --(?:git|cc|combined)\b")
_HUNK = re.compile(r"@@@? ")
_PRIORITY = re.compile(
    r"\b(?:error|exception|fail|failed|failure|fatal|critical|crash|panic|important|note|todo|"
    r"fixme|hack|xxx|bug|fix|security|auth|password|secret|token)\b",
    re.IGNORECASE,
)


@dataclass
class _Hunk:
    header: str
    lines: list[str] = field(default_factory=list)

    @property
    def changes(self) -> list[int]:
        """Positions of the added and removed lines."""
        return [i for i, line in enumerate(self.lines) if _is_change(line)]

    def score(self, terms: frozenset[str]) -> float:
        """Return what the hunk is worth, 0 to 1."""
        text = "\n".join((self.header, *self.lines))
        score = min(0.3, 0.03 * len(self.changes)) + 0.2 * hits(terms, text.lower())
        score += 0.3 if _PRIORITY.search(text) else 0
        return round(min(score, 1.0), 3)


@dataclass
class _File:
    header: list[str]
    hunks: list[_Hunk] = field(default_factory=list)

    @property
    def changes(self) -> int:
        """Number of added and removed lines."""
        return sum(len(hunk.changes) for hunk in self.hunks)


@dataclass
class _Tally:
    """What was left out inside what was kept."""

    context_kept: int = 0
    context_omitted: int = 0
    changes_kept: int = 0
    changes_omitted: int = 0
    hunks_kept: int = 0
    hunks_omitted: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return not (self.hunks_omitted or self.context_omitted or self.changes_omitted)


def shorten(source: Source) -> Shortened | None:
    """Return a smaller diff that ends with its figures."""
    original = source.text.splitlines()
    preamble, files = _parsed(original)
    if len(original) < FEWEST_LINES or not files:
        return None
    kept, tally = _most_changed(files), _Tally()
    lines = preamble
    for file in kept:
        lines += _shortened_file(file, tally, source)
    if len(kept) == len(files) and tally.is_whole:
        return None
    figures = _figures(files, kept, tally)
    lines.append(_closing(figures, source))
    figures |= {
        "original_line_count": len(original),
        "compressed_line_count": len(lines),
        "should_offload_original": len(lines) < OFFLOADED_BELOW * len(original),
    }
    return source.shortened("\n".join(lines), figures)


def _figures(files: Sequence[_File], kept: Sequence[_File], tally: _Tally) -> dict[str, Any]:
    added, removed = _signs(files)
    return {
        "files_affected": len(files),
        "files_retained": len(kept),
        "files_omitted": len(files) - len(kept),
        "hunks_affected": sum(len(file.hunks) for file in files),
        "hunks_retained": tally.hunks_kept,
        "hunks_omitted": tally.hunks_omitted,
        "additions": added,
        "deletions": removed,
        "context_lines_retained": tally.context_kept,
        "context_lines_omitted": tally.context_omitted,
        "changed_lines_retained": tally.changes_kept,
        "changed_lines_omitted": tally.changes_omitted,
    }


def _closing(figures: Mapping[str, int], source: Source) -> str:
    told = ("additions", "deletions", "hunks_omitted", "files_omitted")
    shown = {name: figures[name] for name in told}
    return fill(source.notices.diff_compressor[0], files=figures["files_affected"], **shown)


def _parsed(lines: Iterable[str]) -> tuple[list[str], list[_File]]:
    """Return the lines before the first file, and the files."""
    preamble: list[str] = []
    files: list[_File] = []
    for line in lines:
        if _FILE.match(line):
            files.append(_File([line]))
        elif not files:
            preamble.append(line)
        elif _HUNK.match(line):
            files[-1].hunks.append(_Hunk(line))
        elif files[-1].hunks:
            files[-1].hunks[-1].lines.append(line)
        else:
            files[-1].header.append(line)
    return preamble, files


def _most_changed(files: Sequence[_File]) -> list[_File]:
    """Return the files with the most changes, in order."""
    best = sorted(range(len(files)), key=lambda i: -files[i].changes)[:MOST_FILES]
    return [files[i] for i in sorted(best)]


def _shortened_file(file: _File, tally: _Tally, source: Source) -> list[str]:
    hunks = _best_hunks(file.hunks, source.terms)
    tally.hunks_kept += len(hunks)
    tally.hunks_omitted += len(file.hunks) - len(hunks)
    shortened = (_shortened_hunk(hunk, tally, source) for hunk in hunks)
    return [*file.header, *chain.from_iterable(shortened)]


def _best_hunks(hunks: Sequence[_Hunk], terms: frozenset[str]) -> list[_Hunk]:
    """Return the first, the last and the best hunks, in order."""
    if len(hunks) <= MOST_HUNKS:
        return list(hunks)
    inner = sorted(range(1, len(hunks) - 1), key=lambda i: -hunks[i].score(terms))
    return [hunks[i] for i in sorted([0, len(hunks) - 1, *inner[: MOST_HUNKS - 2]])]


def _shortened_hunk(hunk: _Hunk, tally: _Tally, source: Source) -> list[str]:
    changes = hunk.changes
    room = max(min(MOST_CHANGES, MOST_CHANGES_IN_ALL - tally.changes_kept), 0)
    ranked = sorted(changes, key=lambda i: not _PRIORITY.search(hunk.lines[i]))
    kept = set(ranked[:room])
    near = {j for i in kept for j in range(i - CONTEXT_LINES, i + CONTEXT_LINES + 1)}
    lines = [hunk.header]
    omitted = 0
    for i, line in enumerate(hunk.lines):
        if _is_context(line):
            if i in near:
                tally.context_kept += 1
            else:
                omitted += 1
                continue
        elif _is_change(line) and i not in kept:
            continue
        lines.append(line)
    tally.context_omitted += omitted
    tally.changes_kept += len(kept)
    tally.changes_omitted += len(changes) - len(kept)
    _, context_notice, changes_notice = source.notices.diff_compressor
    if omitted:
        lines.append(fill(context_notice, omitted=omitted))
    if len(changes) > len(kept):
        lines.append(fill(changes_notice, changed_omitted=len(changes) - len(kept)))
    return lines


def _is_change(line: str) -> bool:
    return line[:1] in ("+", "-") and line[:4] not in ("+++ ", "--- ")


def _is_context(line: str) -> bool:
    return line[:1] in ("", " ")


def _signs(files: Iterable[_File]) -> tuple[int, int]:
    signs = [hunk.lines[i][0] for file in files for hunk in file.hunks for i in hunk.changes]
    return signs.count("+"), signs.count("-")
