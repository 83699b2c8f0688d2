"""What kind of content a text is, and what all rules have in common."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.processors.rules.content import ContentKind, estimated_tokens
from engine.processors.rules.router import compress, content_kind
from engine.wording import Wording
from tests import tool_results
from tests.tool_results import TOOL_RESULTS

NOTICES = Wording.default().rule_compression_notices


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PLAIN_TEXT", ""),
        ("PLAIN_TEXT", " \n\t "),
        ("PLAIN_TEXT", "Nothing in particular."),
        ("PLAIN_TEXT", '{"rows": [1, 2]}'),
        ("JSON_ARRAY", " [1, 2]\n"),
        ("JSON_ARRAY", '[{"a": 1}, {"a": 2'),
        ("JSON_ARRAY", "[INFO] a list, if somebody repairs it"),
        ("HTML", "<!doctype html>x"),
        ("HTML", "  <BODY class='a'>x"),
        ("HTML", "before <div id=1>after</div>"),
        ("PLAIN_TEXT", "only one <br> and <custom> tag <p"),
        ("LOG", "=== FAILURES ==="),
        ("LOG", "collected 3 items"),
        ("LOG", "FAILED tests/a.py::test_b - no"),
        ("LOG", "a\nb\nc\n2 passed"),
        ("LOG", "in all 1 failed, 22 passed"),
        ("LOG", "npm WARN deprecated"),
        ("LOG", "PASS src/a.test.js"),
        ("LOG", "Test Suites: 1 failed"),
        ("LOG", "Compiling serde v1"),
        ("LOG", "error[E0308]: mismatched types"),
        ("LOG", "warning: unused"),
        ("LOG", "x\n[main]\tinfo started"),
        ("PLAIN_TEXT", "x\n[12:00] info started"),
        ("PLAIN_TEXT", "npm ERR! no word ends here"),
        ("PLAIN_TEXT", "collected 1 item"),
        ("PLAIN_TEXT", "PASS  two spaces"),
        ("PLAIN_TEXT", "=== FAILURES === in a.py"),
        ("PLAIN_TEXT", "v12 failed, 3 passed"),
        ("LOG", "my file.c:3:error: expected ;"),
        ("LOG", "--> my file.rs:3:14"),
        ("LOG", "trace = 1"),
        ("LOG", "2026-03-01T10:00:00 app DEBUG x"),
        ("LOG", "src/a.c:3:7: error: expected ;"),
        ("LOG", "make[2]: *** [all] Error 1"),
        ("LOG", "Traceback (most recent call last):"),
        ("LOG", '    File "a.py", line 3'),
        ("LOG", "    at run (a.js:3:14)"),
        ("LOG", "--> src/main.rs:3:14"),
        ("LOG", "-->\nsrc/main.rs:3:14"),
        ("LOG", "x\n7\n\n failed"),
        ("LOG", "x 7 \n failed,\n8\npassed"),
        ("LOG", "x\n[main]\n warn started"),
        ("LOG", "a.c:3:7:\n\n  warning: unused"),
        ("PLAIN_TEXT", "x\rERROR later in what is one line"),
        ("PLAIN_TEXT", "x\x85diff --git a/x b/x"),
        ("PLAIN_TEXT", "x\n=== FAILURES ===\r\ny"),
        ("LOG", "Tool result received: x"),
        ("PLAIN_TEXT", "x\n  Compiling serde v1"),
        ("PLAIN_TEXT", "x\ny\nz\n  --> src/main.rs:3:14"),
        ("PLAIN_TEXT", "x\n    ERROR later in the line"),
        ("PLAIN_TEXT", "informative text"),
        ("PLAIN_TEXT", "3 passed"),
        ("GIT_DIFF", "diff --git a/x b/x"),
        ("GIT_DIFF", "@@ -1,2 +1,2 @@ f"),
        ("PLAIN_TEXT", "@@  @@"),
        ("PLAIN_TEXT", "<!DOCTYPE svg>"),
        ("SEARCH_RESULTS", "a.py:3:x = 1\nother\nother"),
        ("SEARCH_RESULTS", "12:30:45 x"),
        ("PLAIN_TEXT", "a.py-3-x = 1"),
        ("PLAIN_TEXT", "2026-03-01 12:30:45,001 x"),
        ("PLAIN_TEXT", "a.py:3:x\nother\nother\nother"),
        ("LOG", "1\terror = 2\n2\tx\n3\ty"),
        ("GIT_DIFF", "1\tdiff --git a/x b/x\n2\t@@ -1 +1 @@\n3\t-x"),
    ],
)
def test_the_first_kind_that_fits_wins(kind: str, text: str) -> None:
    assert content_kind(text) == kind


def test_tags_count_in_the_beginning_only() -> None:
    assert content_kind("x" * 20_000 + "<div></div>") == "PLAIN_TEXT"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PLAIN_TEXT", "the same line\n" * 50),
        ("JSON_ARRAY", tool_results.rows(200)),
        ("LOG", tool_results.log(300)),
        ("GIT_DIFF", tool_results.diff(4, 5)),
        ("SEARCH_RESULTS", tool_results.matches(40, 4)),
        ("HTML", tool_results.page(20)),
    ],
)
def test_each_kind_has_its_rule(kind: str, text: str) -> None:
    made = compress(text, frozenset(), 3000, NOTICES)

    assert made is not None
    assert made.kind == kind
    assert 1 - estimated_tokens(made.shortened.text) / estimated_tokens(text) >= 0.1


@given(TOOL_RESULTS, st.sets(st.sampled_from(["error", "cache", "abc"])), st.integers(1, 2000))
def test_no_text_is_too_strange_and_what_comes_out_is_shorter(
    text: str, terms: set[str], max_chars: int
) -> None:
    made = compress(text, frozenset(terms), max_chars, NOTICES)

    if made is None:
        return
    new, details = made.shortened.text, made.shortened.details
    assert len(new) < len(text)
    assert json.loads(json.dumps(details)) == details
    if made.kind is ContentKind.JSON_ARRAY:
        assert len(new) // 3 <= max(max_chars // 3, 1)


@pytest.mark.parametrize(
    "text",
    [
        "1" * 200_000,
        "at " + "(a:1" * 40_000,
        "at " + "(" * 200_000,
        "[" * 200_000,
        "a:1" * 60_000,
        "-" + " " * 200_000,
        "<p " * 60_000,
        "--> " + "1:" * 100_000,
        'File "' * 40_000,
    ],
)
def test_the_kind_is_told_in_linear_time(text: str) -> None:
    """These took minutes where a pattern could go back and forth; the suite's limit would show."""
    compress(text, frozenset(), 1000, NOTICES)


def test_details_are_kept_for_four_kinds() -> None:
    def details(text: str) -> Any:
        made = compress(text, frozenset(), 3000, NOTICES)
        assert made is not None
        return made.shortened.details

    assert details("same\n" * 99) is None
    assert details(tool_results.rows(200)) is None
    assert details(tool_results.log(300))["total_lines"] == 300
    assert details(tool_results.matches(40, 4))["original_match_count"] == 160
