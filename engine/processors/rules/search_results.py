"""Search results: the best matches of the best files (`engine.md` §5.8.2, C.8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.line_prefixes import without_line_numbers
from engine.processors.rules.query_terms import hits
from engine.wording import fill

MOST_FILES = 15
MOST_PER_FILE = 5
BASE_MATCHES = 5
MOST_MATCHES = 30
HIGH_SCORE = 0.5
"""Score from which a match always adds to the limit."""

_MATCH = re.compile(r"(?P<path>(?:[A-Za-z]:[\\/])?.+?)[:-]\d+[:-](?P<text>.*)")
_SIGNALS = (
    (0.5, re.compile(r"\b(?:error|failed|failure|traceback|exception|fatal|panic)\b", re.I)),
    (0.35, re.compile(r"\b(?:warn|warning|deprecated)\b", re.I)),
    (0.25, re.compile(r"\b(?:todo|fixme|important|critical)\b", re.I)),
)
_NUMBER = re.compile(r"\b\d+\b")


@dataclass(frozen=True, slots=True)
class _Match:
    position: int
    line: str
    path: str
    text: str
    score: float


def shorten(source: Source) -> Shortened | None:
    """Return the matches that matter, file by file, and how many are left out."""
    unparsed, files = _parsed(source)
    total = sum(map(len, files.values()))
    limit = _limit([match for matches in files.values() for match in matches])
    kept = _chosen(files, limit)
    retained = sum(map(len, kept.values()))
    if retained == total:
        return None
    return source.shortened(
        "\n".join(_written(source, unparsed, files, kept)),
        {
            "original_match_count": total,
            "retained_match_count": retained,
            "omitted_match_count": total - retained,
            "files_affected": len(files),
            "files_retained": len(kept),
            "unparsed_line_count": len(unparsed),
            "adaptive_match_limit": limit,
        },
    )


def _parsed(source: Source) -> tuple[list[str], dict[str, list[_Match]]]:
    """Return the lines that are no matches, and the matches of each file."""
    unparsed: list[str] = []
    files: dict[str, list[_Match]] = {}
    for position, line in enumerate(source.text.splitlines()):
        bare = without_line_numbers(line)
        found = _MATCH.match(bare)
        if found is not None:
            path, text = found["path"], found["text"]
            match = _Match(position, bare, path, text, _score(path, text, source.terms))
            files.setdefault(path, []).append(match)
        elif line.strip():
            unparsed.append(line)
    return unparsed, files


def _score(path: str, text: str, terms: frozenset[str]) -> float:
    score = min(0.25 * hits(terms, text.lower()), 0.6)
    score += min(0.15 * hits(terms, path.lower()), 0.3)
    score += next((bonus for bonus, signal in _SIGNALS if signal.search(text)), 0.0)
    return min(score, 1.0)


def _limit(matches: Sequence[_Match]) -> int:
    """Return how many matches to keep: more where they differ, or where many score high."""
    count = len(matches)
    if not count:
        return 0
    distinct = len({_masked(match.text) for match in matches})
    room = min(count, MOST_MATCHES) - BASE_MATCHES
    high = sum(1 for match in matches if match.score >= HIGH_SCORE)
    limit = max(BASE_MATCHES + round(room * distinct / count), BASE_MATCHES + high)
    return min(limit, MOST_MATCHES, count)


def _masked(text: str) -> str:
    return " ".join(_NUMBER.sub("#", text.lower()).split())


def _chosen(files: dict[str, list[_Match]], limit: int) -> dict[str, list[_Match]]:
    """Return the matches to keep, of the files with the highest sums."""
    best = sorted(files, key=lambda path: -sum(match.score for match in files[path]))
    kept: dict[str, list[_Match]] = {}
    for path in best[:MOST_FILES]:
        if limit <= 0:
            break
        kept[path] = _of_file(files[path], min(MOST_PER_FILE, limit))
        limit -= len(kept[path])
    return kept


def _of_file(matches: Sequence[_Match], limit: int) -> list[_Match]:
    """Return the first, the last and the best matches, in order."""
    by_score = sorted(matches, key=lambda match: -match.score)
    order = dict.fromkeys([matches[0], matches[-1], *by_score])
    return sorted(list(order)[:limit], key=lambda match: match.position)


def _written(
    source: Source,
    unparsed: Sequence[str],
    files: dict[str, list[_Match]],
    kept: dict[str, list[_Match]],
) -> list[str]:
    header, files_omitted, matches_omitted = source.notices.search_results_compressor
    lines = [header, *unparsed]
    for path, matches in kept.items():
        lines += [match.line for match in matches]
        omitted = len(files[path]) - len(matches)
        if omitted:
            lines.append(fill(matches_omitted, omitted=omitted, file_path=path))
    if len(files) > len(kept):
        lines.append(fill(files_omitted, omitted_files=len(files) - len(kept)))
    return lines
