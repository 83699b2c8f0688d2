"""Test reports in HTML: what did not pass, as Markdown (`engine.md` Appendix G (ix) 1–4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LOOKED_AT = 20_000
"""Characters that tell whether a page is a report."""

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

_HEADING = re.compile(r"h([1-6])\Z")
_BLOCKS = frozenset(
    "address article body center dd details div dl dt fieldset figcaption figure header hgroup hr "
    "main p section summary table ul ol li pre blockquote h1 h2 h3 h4 h5 h6".split()
)


def is_report(text: str) -> bool:
    """Return whether a page is the report of a test run."""
    head = text[:LOOKED_AT].lower()
    if any(sign in head for sign in _SURE):
        return True
    return head.count("<table") >= 2 and sum(sign in head for sign in _SIGNS) >= 2


def report_markdown(text: str) -> str:
    """Return a report as Markdown; rows of passed tests go if any row did not pass."""
    from trafilatura.utils import load_html

    page = load_html(text)
    body = None if page is None else page.find("body")
    if page is None or body is None:
        return ""
    _drop_passed_rows(body)
    blocks: dict[str, str] = {}
    for block in _blocks(body):
        if block.strip():
            blocks.setdefault(_same(block), block.strip("\n"))
    ordered = list(blocks.values())
    title = _title(page)
    if title and not any(_same(block.lstrip("# ")) == _same(title) for block in ordered):
        ordered.insert(0, f"# {title}")
    return "\n\n".join(ordered)


def _drop_passed_rows(body: HtmlElement) -> None:
    rows = [
        (row, " ".join(row.itertext())) for row in body.iter("tr") if row.find("td") is not None
    ]
    if not any(_FAILED.search(text) for _, text in rows):
        return
    for row, text in rows:
        if not _FAILED.search(text) and _PASSED.search(text):
            row.drop_tree()


def _title(page: HtmlElement) -> str:
    named = page.xpath("string(//meta[@property='og:title']/@content)")
    return _collapsed(named or page.xpath("string(//title)"))


def _blocks(element: HtmlElement) -> Iterator[str]:
    """Yield the blocks of text in an element, in order."""
    run = element.text or ""
    for child in element:
        if child.tag in _BLOCKS or _holds_block(child):
            yield _collapsed(run)
            run = ""
            yield from _block(child)
        else:
            run += _inline(child)
        run += child.tail or ""
    yield _collapsed(run)


def _block(element: HtmlElement) -> Iterator[str]:
    heading = _HEADING.match(str(element.tag))
    if heading:
        text = _inline_text(element)
        yield text and f"{'#' * int(heading[1])} {text}"
    elif element.tag in ("ul", "ol"):
        yield "\n".join(_items(element))
    elif element.tag == "pre":
        yield f"```\n{element.text_content().strip()}\n```"
    elif element.tag == "blockquote":
        yield "\n".join(f"> {line}" for b in _blocks(element) if b for line in b.splitlines())
    elif element.tag == "table":
        yield "\n".join(_table(element))
    else:
        yield from _blocks(element)


def _items(element: HtmlElement) -> Iterator[str]:
    for number, item in enumerate(element.findall("li"), 1):
        mark = f"{number}." if element.tag == "ol" else "-"
        lines = [line for block in _blocks(item) for line in block.splitlines() if line.strip()]
        if lines:
            yield f"{mark} {lines[0]}"
            yield from (f"  {line}" for line in lines[1:])


def _table(element: HtmlElement) -> Iterator[str]:
    rows = [
        [_inline_text(cell).replace("|", r"\|") for cell in row if cell.tag in ("td", "th")]
        for row in element.iter("tr")
    ]
    rows = [row for row in rows if any(row)]
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield f"|{' --- |' * len(row)}"


def _holds_block(element: HtmlElement) -> bool:
    return any(inner.tag in _BLOCKS for inner in element.iterdescendants())


def _inline_text(element: HtmlElement) -> str:
    text = element.text or ""
    for child in element:
        text += _inline(child) + (child.tail or "")
    return _collapsed(text)


def _inline(element: HtmlElement) -> str:
    if not isinstance(element.tag, str):
        return ""
    if element.tag == "br":
        return "\n"
    text = _inline_text(element)
    if element.tag == "code" and text:
        return f"`{text}`"
    address = element.get("href") if element.tag == "a" else None
    return f"[{text}]({address})" if address and text else text


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _same(text: str) -> str:
    return _collapsed(text).casefold()
