"""What kind of content a tool result is, and the rule that shortens it (`engine.md` §5.8.1).

The tests come in a fixed order and the first that holds wins. They look at the text without line
numbers, and so do most rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.processors.rules import (
    diff,
    html,
    json_array,
    log,
    plain_text,
    search_results,
)
from engine.processors.rules.content import ContentKind, Shortened, Source
from engine.processors.rules.line_prefixes import without_line_numbers
from engine.wording import RuleNotices

HTML_LOOKED_AT = 20_000
"""Characters in which the tags of a page are looked for."""
SEARCH_SHARE = 0.3
"""Share of the non-empty lines that must be matches of a search."""

_HTML_START = re.compile(r"<!doctype html|<html|<head|<body", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"</?(?:html|head|body|article|main|section|div|script|style|nav|footer|aside|table|thead|"
    r"tbody|tr|th|td|ul|ol|li|p|pre|code|strong|span|h[1-6])\b[^>]*>",
    re.IGNORECASE,
)

_LEVEL = r"(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL)\b"
_DATE_TIME = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}"
_LOG = re.compile(
    "|".join(
        [
            r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$",
            r"^collected \d+ items\b",
            r"^(?:FAILED|ERROR) .+::.+",
            r"^\d+\s+(?:failed|passed|skipped|errors?|warnings?)\b",
            r"\b\d+\s+failed,\s+\d+\s+passed\b",
            r"^npm (?:ERR!|WARN|info)\b",
            r"^(?:PASS|FAIL) \S+",
            r"^Test Suites:",
            r"^(?:Compiling|Finished|Running) \S+",
            r"^(?:error|warning)(?:\[[A-Z]\d+\])?:",
            rf"^(?:\[[A-Z]+\]\s*)?{_LEVEL}",
            rf"^{_DATE_TIME}.*\b{_LEVEL}",
            r"^.+:\d+(?::\d+)?:\s*(?:error|warning):",
            r"^make(?:\[\d+\])?:",
            r"^Traceback \(most recent call last\)",
            r'^[^\S\n]*File ".+", line \d+',
            r"^[^\S\n]*at .[^(\n]*\(.+:\d+:\d+\)",
            r"^-->\s++.+:\d+:\d+",
            r"^Planning next action for user request:",
            r"^Tool call (?:requested|completed):",
            r"^Tool result received:",
        ]
    ),
    re.IGNORECASE | re.MULTILINE,
)
_DIFF = re.compile(r"^(?:diff --git |@@ .+ @@)", re.MULTILINE)
_SEARCH_LINE = re.compile(r".+:\d+[:-].+")
_TIMED_LINE = re.compile(_DATE_TIME)

_RULES: Mapping[ContentKind, Callable[[Source], Shortened | None]] = {
    ContentKind.PLAIN_TEXT: plain_text.shorten,
    ContentKind.JSON_ARRAY: json_array.shorten,
    ContentKind.HTML: html.shorten,
    ContentKind.LOG: log.shorten,
    ContentKind.GIT_DIFF: diff.shorten,
    ContentKind.SEARCH_RESULTS: search_results.shorten,
}


@dataclass(frozen=True)
class RuleCompression:
    """What a rule made of a tool result."""

    kind: ContentKind
    shortened: Shortened


def compress(
    content: str, terms: frozenset[str], max_chars: int, notices: RuleNotices
) -> RuleCompression | None:
    """Return a shorter form of a tool result; None where its rule gains nothing.

    Args:
        content: the tool result.
        terms: lower-case words that the task is about.
        max_chars: characters to fit in.
        notices: what is said in place of what is left out.
    """
    stripped = content.strip()
    bare = without_line_numbers(stripped)
    kind = _kind(bare)
    text = content
    if kind is not ContentKind.PLAIN_TEXT and bare is not stripped:
        text = without_line_numbers(content, keep_indent=kind is ContentKind.GIT_DIFF)
    shortened = _RULES[kind](Source(text, terms, max_chars, notices))
    return RuleCompression(kind, shortened) if shortened else None


def content_kind(content: str) -> ContentKind:
    """Return what a tool result is."""
    return _kind(without_line_numbers(content.strip()))


def _kind(text: str) -> ContentKind:
    if not text:
        return ContentKind.PLAIN_TEXT
    if json_array.parsed_array(text) is not None:
        return ContentKind.JSON_ARRAY
    if _is_html(text):
        return ContentKind.HTML
    if _LOG.search(text):
        return ContentKind.LOG
    if _DIFF.search(text):
        return ContentKind.GIT_DIFF
    if _is_search(text.splitlines()):
        return ContentKind.SEARCH_RESULTS
    return ContentKind.PLAIN_TEXT


def _is_html(text: str) -> bool:
    if _HTML_START.match(text):
        return True
    tags = _HTML_TAG.finditer(text[:HTML_LOOKED_AT])
    return next(tags, None) is not None and next(tags, None) is not None


def _is_search(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    matches = sum(1 for line in filled if _SEARCH_LINE.match(line) and not _TIMED_LINE.match(line))
    return matches >= SEARCH_SHARE * len(filled)
