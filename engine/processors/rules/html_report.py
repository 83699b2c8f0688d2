"""Test reports in HTML: what did not pass, as Markdown (`engine.md` Appendix G (ix) 1–4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag

LOOKED_AT = 20_000
"""Characters that tell whether a page is a report."""

MOST_REPEATED = 20
"""How often rows may repeat the text of a page, by standing in rows of other tables."""

_SURE = ("pytest-html", "results-table")
_SIGNS = (
    *_SURE,
    *("environment", "test results", "tests took", "report generated"),
)
_FAILED = re.compile(
    r"\b(?:fail|failed|failure|error|broken|skipped|xfailed|xpassed|rerun|unexpected|"
    r"AssertionError|traceback)\b",
    re.IGNORECASE,
)
_PASSED = re.compile(r"\b(?:pass|passed|ok)\b|::test|\A\s*tests/", re.IGNORECASE)

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SECTIONS = ("article", "body", "div", "main", "section")
"""Elements of which each text and each element inside is a block."""
_BLOCKS = frozenset((*_HEADINGS, *_SECTIONS, "p", "pre", "ul", "ol", "table", "blockquote"))
"""Elements that make whatever they stand in a section."""


class Report(NamedTuple):
    """A report as Markdown, and what became of the page."""

    markdown: str
    figures: dict[str, int]


def is_report(text: str) -> bool:
    """Return whether a page is the report of a test run."""
    head = text[:LOOKED_AT].lower()
    if any(sign in head for sign in _SURE):
        return True
    return head.count("<table") >= 2 and sum(sign in head for sign in _SIGNS) >= 2


def read_report(page: BeautifulSoup) -> Report:
    """Return a report; rows of passed tests go if any row did not pass.

    Raises:
        ValueError: tables lie too deep in each other.
    """
    body = page.body or page
    removed = _drop_passed_rows(page)
    written = [block for block in _blocks(body) if block]
    blocks: dict[str, str] = {}
    for block in written:
        blocks.setdefault(_same(block), block)
    ordered = list(blocks.values())
    title = _title(page)
    if title and not any(_same(block.lstrip("# ")) == _same(title) for block in ordered):
        ordered.insert(0, f"# {title}")
    figures = {
        "report_rows_removed": removed,
        "duplicate_block_count": len(written) - len(blocks),
        "link_count": len(body("a")),
        "table_count": len(body("table")),
        "code_block_count": len(body("pre")),
        "output_block_count": len(ordered),
    }
    return Report("\n\n".join(ordered), figures)


def _drop_passed_rows(page: Tag) -> int:
    """Drop the rows of passed tests and return how many there were."""
    rows = _rows(page)
    if not any(_FAILED.search(text) for _, text in rows):
        return 0
    removed = 0
    for row, text in rows:
        if not row.decomposed and not _FAILED.search(text) and _PASSED.search(text):
            row.decompose()
            removed += 1
    return removed


def _rows(page: Tag) -> list[tuple[Tag, str]]:
    """Return the rows that hold data, with their texts.

    Raises:
        ValueError: tables lie too deep in each other.
    """
    left = MOST_REPEATED * len(page.get_text(" "))
    rows: list[tuple[Tag, str]] = []
    for row in page("tr"):
        text = row.get_text(" ")
        left -= len(text)
        if left < 0:
            raise ValueError("tables lie too deep in each other")
        if row.find("td", recursive=False):
            rows.append((row, text))
    return rows


def _title(page: BeautifulSoup) -> str:
    named = page.find("meta", property="og:title")
    title = str(named.get("content") or "") if named else ""
    return _collapsed(title or (page.title.get_text() if page.title else ""))


def _blocks(section: Tag) -> Iterator[str]:
    """Yield the Markdown of each text and element in a section, in order."""
    for child in section.children:
        if isinstance(child, Tag):
            yield from _element(child)
        else:
            yield _collapsed(str(child))


def _element(element: Tag) -> Iterator[str]:
    name = element.name
    if name in _HEADINGS:
        text = _lines(element)
        yield text and f"{'#' * int(name[1])} {text}"
    elif name == "pre":
        text = element.get_text("\n").strip("\n")
        yield f"```\n{text}\n```" if text.strip() else ""
    elif name in ("ul", "ol"):
        yield "\n".join(_items(element))
    elif name == "blockquote":
        yield "\n".join(f"> {line}" for line in _lines(element).splitlines())
    elif name == "table":
        yield "\n".join(_table(element))
    elif name == "hr":
        yield "---"
    elif name in _SECTIONS or (name != "p" and _holds_block(element)):
        yield from _blocks(element)
    else:
        yield _lines(element)


def _holds_block(element: Tag) -> bool:
    return any(isinstance(child, Tag) and child.name in _BLOCKS for child in element.children)


def _items(element: Tag) -> Iterator[str]:
    for number, item in enumerate(element("li", recursive=False), 1):
        text = _lines(item)
        if text:
            yield f"{number}. {text}" if element.name == "ol" else f"- {text}"


def _table(element: Tag) -> Iterator[str]:
    rows = [
        [_flat(cell).replace("|", r"\|") for cell in row(["td", "th"], recursive=False)]
        for row in element("tr")
    ]
    rows = [row for row in rows if row]
    width = max(map(len, rows), default=0)
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
        if number == 0:
            yield f"|{' --- |' * width}"


def _lines(element: Tag) -> str:
    """Return the text inside an element, each line collapsed, empty ones left out."""
    lines = map(_collapsed, _inline(element).splitlines())
    return "\n".join(line for line in lines if line)


def _inline(element: Tag) -> str:
    return "".join(
        _inline_element(child) if isinstance(child, Tag) else str(child)
        for child in element.children
    )


def _inline_element(element: Tag) -> str:
    if element.name == "br":
        return "\n"
    code = element.name == "code" and element.parent is not None and element.parent.name != "pre"
    if not code and element.name != "a":
        return _inline(element)
    text = _flat(element)
    if code:
        return text and f"`{text}`"
    address = element.get("href")
    return f"[{text}]({address})" if address and text else text


def _flat(element: Tag) -> str:
    return _collapsed(element.get_text(" "))


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _same(block: str) -> str:
    return _collapsed(block).lower()
