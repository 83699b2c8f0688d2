"""Pages and test reports as Markdown."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.html import shorten
from engine.processors.rules.html_report import is_report
from engine.wording import Wording
from tests.tool_results import page

NOTICES = Wording.default().rule_compression_notices


def shortened(text: str) -> Shortened | None:
    return shorten(Source(text, frozenset(), 1, NOTICES))


def made(text: str) -> tuple[str, dict[str, Any]]:
    result = shortened(text)
    assert result is not None
    assert result.details is not None
    return result.text, result.details


def test_a_page_loses_what_is_no_content() -> None:
    source = page(10)
    text, details = made(source)

    assert text.startswith("## Start\n\n")
    assert "skip me" not in text
    assert "xxx" not in text
    assert "- " in text
    ratio = len(text) / len(source)
    assert details == {
        "extractor": "trafilatura",
        "original_length": len(source),
        "extracted_length": len(text),
        "compression_ratio": ratio,
        "reduction_percent": (1 - ratio) * 100,
        "title": "Guide",
        "author": None,
        "date": None,
        "metadata": {
            "title": "Guide",
            "author": None,
            "date": None,
            "sitename": None,
            "description": None,
            "categories": [],
            "tags": [],
        },
    }


def test_pages_of_which_nothing_is_left_or_gained() -> None:
    assert shortened("<html><body><script>" + "x" * 2000 + "</script></body></html>") is None
    assert shortened("<html></html>") is None
    assert shortened("<p>") is None
    assert shortened(page(40, noise=0).replace("<ul>", "").replace("</ul>", "")[:200]) is None


def test_how_a_report_is_told() -> None:
    assert is_report("<div id='Results-Table'>")
    assert is_report("<meta name=pytest-html>")
    assert is_report("<table><TABLE>Environment, tests took 3 s")
    assert not is_report("<table>environment, tests took 3 s")
    assert not is_report("<table><table>environment")
    assert not is_report("x" * 20_000 + "pytest-html")


REPORT = """<html><head><title>Test report</title><style>{noise}</style></head><body>
<h1>Test report</h1><p>Report generated <b>today</b> by <a href="https://h/x">pytest-html</a></p>
<h2>Environment</h2><ul><li>Python</li><li>Linux<ul><li>amd64</li></ul></li></ul>
<p>Report   generated <b>today</b> by <a href="https://h/x">pytest-html</a></p>
<pre>  $ pytest
  done</pre><blockquote>As seen</blockquote>
<table><tr><th>Test</th><th>Result</th></tr>{rows}</table>
<div style="display: none">hidden</div></body></html>"""


def report(*results: str) -> str:
    rows = "".join(
        f"<tr><td><code>tests/test_a.py::test_{i}</code></td><td>{result}</td></tr>"
        for i, result in enumerate(results)
    )
    return REPORT.format(rows=rows, noise="x" * 4000)


def test_a_report_shows_what_did_not_pass() -> None:
    text, details = made(report("Passed", "Failed", "ok", "Skipped | twice"))

    assert details == {
        "extractor": "beautifulsoup:report",
        "main_content_source": "body:report",
        "removed_node_count": 1,
        "report_rows_removed": 2,
        "duplicate_block_count": 1,
        "link_count": 2,
        "table_count": 1,
        "code_block_count": 1,
        "output_block_count": 8,
    }
    assert text == "\n\n".join(
        [
            "# Test report",
            "Report generated today by [pytest-html](https://h/x)",
            "## Environment",
            "- Python\n- Linuxamd64",
            "```\n  $ pytest\n  done\n```",
            "> As seen",
            "| Test | Result |\n| --- | --- |\n"
            "| tests/test_a.py::test_1 | Failed |\n"
            "| tests/test_a.py::test_3 | Skipped \\| twice |",
            "hidden",
        ]
    )


def test_tables_in_tables_are_read_to_some_depth() -> None:
    def nested(depth: int) -> str:
        return f"<script>pytest-html {'x' * 50_000}</script>" + "<table><tr><td>it failed" * depth

    assert made(nested(10))[1]["table_count"] == 10
    assert shortened(nested(60)) is None


def test_a_fragment_becomes_a_page_where_noise_is_taken_out_of_it() -> None:
    lists = "<ul><li>index deploy lock alpha</li><li>gamma build retry import</li></ul>" * 3
    rest = (
        lists + "<div>parser critical timeout parser</div>" + "<table><tr><td>9</td></tr></table>"
    )
    assert made(rest)[0].startswith("- index deploy lock alpha\n- gamma")
    assert made(f"<nav>menu</nav>{rest}")[0].startswith("index deploy lock alpha\ngamma")


def test_what_looks_like_another_format_is_no_warning() -> None:
    xhtml = '<?xml version="1.0"?>\n' + page(10) + "<nav>menu</nav>"
    assert made(xhtml)[0]


def test_a_report_without_a_failure_keeps_its_rows() -> None:
    text, _ = made(report("Passed", "Passed"))

    assert "test_0 | Passed" in text
    assert "test_1 | Passed" in text


def test_a_report_gets_its_title_where_no_block_says_it() -> None:
    text, _ = made(report("Failed").replace("<h1>Test report</h1>", ""))

    assert text.startswith("# Test report\n\nReport generated")


@pytest.mark.parametrize(
    ("markup", "blocks"),
    [
        ("one <b>two</b> three", ["one", "two", "three"]),
        ("<div>a<code>b</code><a href='x'>c</a></div>", ["a", "b", "c"]),
        ("<p>a <code> b  c </code> <a href='x'>d</a></p>", ["a `b c` [d](x)"]),
        ("<figure>a<b>b</b>c</figure>", ["abc"]),
        ("<figure>a<p>b</p>c</figure>", ["a", "b", "c"]),
        ("<p>a<br>b\n c</p>", ["a\nb\nc"]),
        ("<ol><li></li><li>a<p>b</p></li></ol>", ["2. ab"]),
        ("<blockquote>a<br><p>b</p></blockquote>", ["> a\n> b"]),
        ("<pre>\n a<b>b</b>\n</pre>", ["```\n a\nb\n```"]),
        ("<blockquote><pre><code>a\nb</code></pre></blockquote>", ["> a\n> b"]),
        ("<hr><!-- note -->", ["---", "note"]),
        (
            "<table><tr><td>a<i>b</i></td></tr><tr><th>|</th><td></td></tr></table>",
            ["| a b |  |\n| --- | --- |\n| \\| |  |"],
        ),
        ("<table><tr></tr></table>", []),
    ],
)
def test_the_blocks_of_a_report(markup: str, blocks: list[str]) -> None:
    words = "What the pytest-html report says, in as many words as a report has to have. " * 2
    noise = "<script>" + "x" * 2000 + "</script>"
    text, _ = made(f"<html>{noise}<body><p>{words}</p>{markup}</body></html>")
    assert text.split("\n\n") == [words.strip(), *blocks]


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                *("<table>", "<tr>", "<td>", "</td>", "</table>", "<li>", "<ul>", "</ul>", "<h2>"),
                *("<pre>", "<p>", "</p>", "<a href=x>", "</a>", "<br>", "<!-- c -->", "<?x?>"),
                *("failed", "passed", " ", "&amp;&#0;", "<svg>", "pytest-html", "<body>", "\ud800"),
            ]
        ),
        max_size=40,
    ),
    st.booleans(),
)
def test_no_markup_is_too_broken(parts: list[str], padded: bool) -> None:
    shortened("".join(parts) + ("<p>some text</p>" * 40 if padded else ""))
