"""The model's answer, taken apart: coverage check, snapshot, sections by their headings."""

from __future__ import annotations

import re

from engine.debug.records import DumpResponse
from engine.wording import SNAPSHOT_SECTIONS
from inspector.trace.detail import SummarySection, SummaryView

_COVERAGE = re.compile(r"<coverage_check>(.*?)</coverage_check>", re.DOTALL | re.IGNORECASE)
_SNAPSHOT = re.compile(r"<state_snapshot>(.*?)</state_snapshot>", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>.+?)[ \t#]*$")
_BOLD = re.compile(r"\*\*(?P<title>[^*]+?)\*\*:?[ \t]*$")
_NUMBER = re.compile(r"^\d+[.)][ \t]*")
_NAMES = frozenset(name.lower() for names in SNAPSHOT_SECTIONS.values() for name in names)


def summary_view(response: DumpResponse) -> SummaryView:
    """Return an answer in its parts."""
    raw = response.raw_content
    coverage = _COVERAGE.search(raw)
    return SummaryView(
        raw=raw,
        extracted=response.extracted_summary,
        coverage=coverage[1].strip() if coverage else "",
        sections=sections_of(response.extracted_summary),
        usage=response.usage,
        snapshot_missing=_SNAPSHOT.search(raw) is None,
    )


def sections_of(summary: str) -> tuple[SummarySection, ...]:
    """Split a summary at its headings; text before the first one has the heading ""."""
    heading, lines = "", list[str]()
    found: list[SummarySection] = []
    for line in summary.split("\n"):
        title = _title(line)
        if title is None:
            lines.append(line)
            continue
        found += _section(heading, lines)
        heading, lines = title, []
    return (*found, *_section(heading, lines))


def _section(heading: str, lines: list[str]) -> list[SummarySection]:
    text = "\n".join(lines).strip()
    return [SummarySection(heading, text)] if heading or text else []


def _title(line: str) -> str | None:
    match = _HEADING.match(line) or _BOLD.match(line)
    if match:
        return _NUMBER.sub("", match["title"]).rstrip(":")
    bare = _NUMBER.sub("", line.strip()).rstrip(":")
    return bare if bare.lower() in _NAMES else None
