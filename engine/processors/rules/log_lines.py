"""Lines of a log: level, score, stack traces, and which tool wrote it (`engine.md` C.6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

Level = Literal["error", "fail", "warn", "info", "debug", "trace", "unknown"]

LONGEST_TRACE = 20
"""Lines of a stack trace that count as one."""
MARKED_LINES = 100
"""Lines, from the top, that tell which tool wrote a log."""

_LEVELS: tuple[tuple[Level, str, re.Pattern[str]], ...] = (
    *(
        ("error", word, re.compile(rf"\b{word}\b"))
        for word in ("error", "fatal", "critical", "exception")
    ),
    ("fail", "fail", re.compile(r"\bfail(?:ed|ure)?\b")),
    ("warn", "warn", re.compile(r"\bwarn(?:ing)?\b")),
    ("info", "info", re.compile(r"\binfo\b")),
    ("debug", "debug", re.compile(r"\bdebug\b")),
    ("trace", "trace", re.compile(r"\btrace\b")),
)
"""Levels with a text that a quick look finds and the words that count; the first one wins."""
_SCORES: dict[Level, int] = {
    "error": 90,
    "fail": 90,
    "warn": 45,
    "unknown": 15,
    "info": 12,
    "debug": 4,
    "trace": 2,
}
_BONUS = 35

_SUMMARY = re.compile(
    r"={3,}|-{3,}"
    r"|\d+\s+(?:passed|failed|skipped|errors?|warnings?)\b"
    r"|(?:Tests?|Suites?):?\s+\d+"
    r"|(?:TOTAL|Total|Summary)\b"
    r"|(?:Build|Compile|Test)\b.*\b(?:succeeded|failed|complete)"
)

_TOOLS: dict[str, tuple[str, ...]] = {
    "pytest": ("=== FAILURES", "=== ERRORS", "test session", "collected ", " passed", " failed"),
    "npm": ("npm ERR!", "npm WARN", "npm info", "npm http"),
    "cargo": ("Compiling ", "Finished ", "Running ", "warning: ", "error[E"),
    "jest": ("PASS ", "FAIL ", "Test Suites:"),
    "make": ("make[", "make:", "gcc ", "g++ ", "clang "),
}


class _Trace(NamedTuple):
    opens: re.Pattern[str]
    """Matches the left-stripped first line."""
    continues: Callable[[str], bool]
    """Whether a non-empty line belongs to an open trace."""


_PYTHON_MORE = re.compile(r"\s|Traceback|During handling|The above exception|[A-Za-z_][\w.]*:")
_GO_FRAME = re.compile(r"\d+:\s+0x", re.IGNORECASE)


def _begins(text: str) -> Callable[[str], bool]:
    return lambda line: line.lstrip().startswith(text)


_TRACES = (
    _Trace(
        re.compile(r'Traceback \(most recent call last\)|File "'),
        lambda line: _PYTHON_MORE.match(line) is not None,
    ),
    _Trace(re.compile(r"at .[^(]*\(.+:\d+:\d+\)"), _begins("at ")),
    _Trace(re.compile(r"at [\w.$]+\("), _begins("at ")),
    _Trace(re.compile(r"--> .*:\d+:\d+"), _begins("--> ")),
    _Trace(
        re.compile(r"\d+:\s+0[xX][0-9a-fA-F]"),
        lambda line: _GO_FRAME.match(line.lstrip()) is not None,
    ),
)
_OPENS = re.compile("|".join(trace.opens.pattern for trace in _TRACES))


class LogLine(NamedTuple):
    """One line and what it is worth."""

    position: int
    text: str
    level: Level
    trace: int
    """Number of the stack trace that it belongs to, from 1; 0 outside of any."""
    is_summary: bool

    @property
    def score(self) -> int:
        """Worth of the line, 2 to 100."""
        bonus = _BONUS * (bool(self.trace) + self.is_summary)
        return min(_SCORES[self.level] + bonus, 100)


def log_lines(lines: Sequence[str]) -> list[LogLine]:
    """Return the lines with what they are worth."""
    return [
        LogLine(position, line, _level(line), trace, _SUMMARY.match(line) is not None)
        for position, (line, trace) in enumerate(zip(lines, _traced(lines), strict=True))
    ]


def traces(lines: Iterable[LogLine]) -> list[list[LogLine]]:
    """Return the runs of trace lines; traces that follow on one another are one run."""
    runs = groupby(lines, key=lambda line: line.trace > 0)
    return [list(run) for inside, run in runs if inside]


def log_format(lines: Sequence[str]) -> str:
    """Return the tool most of whose marks stand in the first lines, or `generic`."""
    first = lines[:MARKED_LINES]
    head = "\n".join(first)
    counts = {"generic": 0}
    for tool, marks in _TOOLS.items():
        found = [mark for mark in marks if mark in head]
        if found:
            counts[tool] = sum(1 for line in first if any(mark in line for mark in found))
    return max(counts, key=counts.__getitem__)


def _level(line: str) -> Level:
    lowered = line.lower()
    for level, text, words in _LEVELS:
        if text in lowered and words.search(lowered):
            return level
    return "unknown"


def _traced(lines: Iterable[str]) -> Iterator[int]:
    """Yield for each line the number of its stack trace."""
    open_: _Trace | None = None
    number = length = 0
    for line in lines:
        if open_ is not None and (length >= LONGEST_TRACE or (line and not open_.continues(line))):
            open_ = None
        if open_ is None:
            start = line.lstrip()
            if _OPENS.match(start):
                open_ = next(trace for trace in _TRACES if trace.opens.match(start))
                number += 1
            length = 0
        length += 1
        yield number if open_ is not None else 0
