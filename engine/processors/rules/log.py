"""Logs: errors, failures, warnings, stack traces and summaries, with the lines around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.log_lines import (
    LONGEST_TRACE,
    Level,
    LogLine,
    log_format,
    log_lines,
    traces,
)
from engine.wording import fill

FEWEST_LINES = 50
MOST_ERRORS = 10
"""Lines kept of each of the levels error and fail."""
MOST_WARNINGS = 5
MOST_TRACES = 3
EDGE_LINES = 10
"""Lines kept at each end where nothing stands out."""
CONTEXT_LINES = 3
MOST_LINES = 100

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_DIGITS = re.compile(r"\d+")
_PATH = re.compile(r"(?:/[\w.-]+)+")


def shorten(source: Source) -> Shortened | None:
    """Return the lines that matter between a header and a closing line."""
    texts = source.text.splitlines()
    if len(texts) < FEWEST_LINES:
        return None
    lines = log_lines(texts)
    warnings = _different([line for line in lines if line.level == "warn"])
    kept = _capped(lines, _with_context(_selected(lines, warnings), len(lines)))
    omitted = len(lines) - len(kept)
    if not omitted:
        return None
    levels, form = Counter(line.level for line in lines), log_format(texts)
    header, closing = source.notices.log_compressor
    written = [
        fill(header, format_detected=form, kept=len(kept), total=len(lines), omitted=omitted),
        *(line.text for line in kept),
        fill(closing, omitted=omitted, label_text=_label(levels)),
    ]
    figures = {
        "format_detected": form,
        "total_lines": len(lines),
        "selected_lines": len(kept),
        "omitted_lines": omitted,
        "errors": levels["error"],
        "fails": levels["fail"],
        "warnings": levels["warn"],
        "info": levels["info"],
        "stack_traces_seen": max(line.trace for line in lines),
        "stack_traces_retained": len(traces(kept)),
        "warnings_deduplicated": levels["warn"] - len(warnings),
        "selected_line_numbers": [line.position + 1 for line in kept],
    }
    return source.shortened("\n".join(written), figures)


def _selected(lines: Sequence[LogLine], warnings: Sequence[LogLine]) -> Iterable[int]:
    """Return the positions of what stands out; of the ends where nothing does."""
    chosen = {
        *_ends_and_best(lines, "error"),
        *_ends_and_best(lines, "fail"),
        *(line.position for line in warnings[:MOST_WARNINGS]),
        *(line.position for stack in traces(lines)[:MOST_TRACES] for line in stack[:LONGEST_TRACE]),
        *(line.position for line in lines if line.is_summary),
    }
    if chosen:
        return chosen
    return [*range(EDGE_LINES), *range(len(lines) - EDGE_LINES, len(lines))]


def _ends_and_best(lines: Sequence[LogLine], level: Level) -> list[int]:
    """Return the first, the last and the best lines of a level."""
    found = [line for line in lines if line.level == level]
    if len(found) > MOST_ERRORS:
        inner = sorted(found[1:-1], key=lambda line: -line.score)
        found = [found[0], found[-1], *inner[: MOST_ERRORS - 2]]
    return [line.position for line in found]


def _different(warnings: Iterable[LogLine]) -> list[LogLine]:
    """Return the first of each kind of warning."""
    kinds: dict[tuple[str, str], LogLine] = {}
    for line in warnings:
        kinds.setdefault(_masked(line.text), line)
    return list(kinds.values())


def _masked(text: str) -> tuple[str, str]:
    separator = ":" if ":" in text else "="
    head, _, rest = text.partition(separator)
    for pattern in (_ADDRESS, _PATH, _DIGITS):
        rest = pattern.sub("#", rest)
    return head, rest


def _with_context(positions: Iterable[int], total: int) -> set[int]:
    return {
        near
        for position in positions
        for near in range(
            max(position - CONTEXT_LINES, 0), min(position + CONTEXT_LINES + 1, total)
        )
    }


def _capped(lines: Sequence[LogLine], positions: set[int]) -> list[LogLine]:
    best = sorted(positions, key=lambda position: (-lines[position].score, position))
    return [lines[position] for position in sorted(best[:MOST_LINES])]


def _label(levels: Counter[Level]) -> str:
    shown: tuple[Level, ...] = ("error", "fail", "warn", "info")
    counts = ", ".join(f"{levels[level]} {level.upper()}" for level in shown if levels[level])
    return f": {counts}" if counts else ""
