"""HTML: the readable part as Markdown (`engine.md` E.10 and Appendix G (ix)).

Pages go through trafilatura, test reports through `html_report`: an extractor of articles would
drop their tables. The libraries are imported with the first page.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any

from engine.processors.rules.content import Shortened, Source, saves
from engine.processors.rules.html_report import is_report, report_markdown

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
    report = is_report(source.text)
    cleaned = _without_noise(source.text)
    text = report_markdown(cleaned) if report else _article(cleaned)
    if len(text) < FEWEST_CHARS or not saves(text, source.text):
        return None
    ratio = len(text) / len(source.text)
    metadata = _metadata(cleaned)
    return Shortened(
        text,
        {
            "extractor": "report" if report else "trafilatura",
            "original_length": len(source.text),
            "extracted_length": len(text),
            "compression_ratio": ratio,
            "reduction_percent": (1 - ratio) * 100,
            **{key: metadata[key] for key in ("title", "author", "date")},
            "metadata": metadata,
        },
    )


def _without_noise(text: str) -> str:
    """Return the page without what is no content; as it is where there is none."""
    from bs4 import BeautifulSoup, UnusualUsageWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusualUsageWarning)
        page = BeautifulSoup(text, "lxml")
    noise = page(list(_NOISE))
    for element in noise:
        element.decompose()
    return str(page) if noise else text


def _article(page: str) -> str:
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
