"""HTML: the readable part as Markdown (`engine.md` E.10 and Appendix G (ix)).

Pages go through trafilatura, test reports through `html_report`: an extractor of articles would
drop their tables. The libraries are imported with the first page.
"""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING, Any

from engine.processors.rules.content import Shortened, Source, saves

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_LOG = logging.getLogger(__name__)
for _library in ("trafilatura", "htmldate"):  # heard by those who ask for it, not on stderr
    logging.getLogger(_library).addHandler(logging.NullHandler())

FEWEST_CHARS = 100
"""Characters of text below which a page counts as not understood."""

_NOISE = ("script", "style", "nav", "footer", "aside", "form", "noscript", "template", "svg")


def shorten(source: Source) -> Shortened | None:
    """Return the text of the page as Markdown."""
    try:
        return _shortened(source)
    except Exception as error:  # the libraries have no common one for markup that they cannot take
        _LOG.info("page not understood: %s: %s", type(error).__name__, error)
        return None


def _shortened(source: Source) -> Shortened | None:
    from engine.processors.rules.html_report import is_report

    report = is_report(source.text)
    text, details = _report(source.text) if report else _article(source.text)
    if len(text) < FEWEST_CHARS or not saves(text, source.text):
        return None
    return Shortened(text, details)


def _report(page: str) -> tuple[str, dict[str, Any]]:
    from engine.processors.rules.html_report import read_report

    soup, removed = _without_noise(page)
    report = read_report(soup)
    extracted = {"extractor": "beautifulsoup:report", "main_content_source": "body:report"}
    return report.markdown, {**extracted, "removed_node_count": removed, **report.figures}


def _article(page: str) -> tuple[str, dict[str, Any]]:
    soup, removed = _without_noise(page)
    cleaned = str(soup) if removed else page
    text = _extracted(cleaned)
    ratio = len(text) / len(page)
    metadata = _metadata(cleaned)
    return text, {
        "extractor": "trafilatura",
        "original_length": len(page),
        "extracted_length": len(text),
        "compression_ratio": ratio,
        "reduction_percent": (1 - ratio) * 100,
        **{key: metadata[key] for key in ("title", "author", "date")},
        "metadata": metadata,
    }


def _without_noise(text: str) -> tuple[BeautifulSoup, int]:
    """Return the page without what is no content, and how many elements that were."""
    from bs4 import BeautifulSoup, UnusualUsageWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusualUsageWarning)
        page = BeautifulSoup(text, "lxml")
    noise = page(list(_NOISE))
    for element in noise:
        element.decompose()
    return page, len(noise)


def _extracted(page: str) -> str:
    from trafilatura import extract

    text = extract(
        page,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
        include_images=False,
        include_comments=False,
    )
    return (text or "").strip()


def _metadata(page: str) -> dict[str, Any]:
    from trafilatura import extract_metadata

    found = extract_metadata(page)
    return {
        **{
            key: getattr(found, key, None)
            for key in ("title", "author", "date", "sitename", "description")
        },
        **{key: list(getattr(found, key, None) or ()) for key in ("categories", "tags")},
    }
