"""Tool results of every kind, small and large, and arbitrary ones."""

import json
from random import Random

from hypothesis import strategies as st

_WORDS = "cache worker queue index schema budget window agent token handler".split()


def words(random: Random, count: int) -> str:
    """Return so many words that mean nothing."""
    return " ".join(random.choice(_WORDS) for _ in range(count))


def prose(lines: int, seed: int = 0) -> str:
    """Return different lines of text."""
    random = Random(seed)
    return "\n".join(f"{words(random, 9)} {random.random()}" for _ in range(lines))


def log(lines: int, *, errors: dict[int, str] | None = None, seed: int = 0) -> str:
    """Return a log of so many lines, `errors` (text by 0-based line) among them."""
    random = Random(seed)
    stamp = "2026-03-01 10:{:02}:{:02} INFO app: {}"
    return "\n".join(
        (errors or {}).get(i) or stamp.format(i // 60 % 60, i % 60, words(random, 5))
        for i in range(lines)
    )


def rows(count: int, **columns: object) -> str:
    """Return a JSON array of objects with an `id`, words, and the given columns."""
    random = Random(0)
    return json.dumps([{"id": i, "text": words(random, 4), **columns} for i in range(count)])


def matches(files: int, each: int, text: str = "return cache") -> str:
    """Return search results of so many files with so many matches each."""
    return "\n".join(
        f"src/file_{f}.py:{10 * n + 1}:    {text} {n}" for f in range(files) for n in range(each)
    )


def diff(files: int, hunks: int, context: int = 6, changes: int = 3) -> str:
    """Return a diff whose hunks have changes between lines of context."""
    lines = []
    for f in range(files):
        lines += [f"diff --git a/f{f}.py b/f{f}.py", f"--- a/f{f}.py", f"+++ b/f{f}.py"]
        for h in range(hunks):
            lines.append(f"@@ -{h * 40},9 +{h * 40},9 @@ def f{h}():")
            lines += [f"     before {i}" for i in range(context)]
            lines += [f"-    old {i}" for i in range(changes)]
            lines += [f"+    new {i}" for i in range(changes)]
            lines += [f"     after {i}" for i in range(context)]
    return "\n".join(lines)


def page(paragraphs: int, noise: int = 2000, title: str = "Guide") -> str:
    """Return a web page with a script of so many characters."""
    random = Random(0)
    text = "".join(
        f"<p>{words(random, 30)} {i}.</p><ul><li>{words(random, 3)}</li></ul>"
        for i in range(paragraphs)
    )
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title><script>{'x' * noise}</script></head>"
        f"<body><nav>skip me</nav><main><h2>Start</h2>{text}</main></body></html>"
    )


_LINES = st.sampled_from(
    [
        *("", " ", "x", "\t", "ERROR a:b", "2026-03-01 10:00:00 WARN disk=7", "3 passed in 2s"),
        *("Traceback (most recent call last):", '  File "a.py", line 3, in f', "ValueError: no"),
        *("at f (a.js:1:2)", "at com.a.B(C.java)", "--> a.rs:1:2", "0: 0x1f", "=== FAILURES ==="),
        *("diff --git a/a b/a", "@@ -1,2 +1,2 @@", "+x", "-x", "--- a", "+++ b", " x", "\\ No"),
        *("a.py:1:x", "a.py-2-x", "C:\\a.py:3:TODO error", "http://h:80:x", "12:30:45 x"),
        *(
            "<html>",
            "<div><p>text</p>",
            "<table><tr><td>passed</td></tr>",
            "</body>",
            "pytest-html",
        ),
        *('[{"a": 1}, {"b": [2]}]', "[1, 2, 3, 1e400, NaN]", '["a", "error"', "[" * 40, '{"a":'),
        *("12\tx = 1", "| 7 | y", "line 12: z", "row 3) a", "- 4 b", "\ud800", "中文：错误", "🚀"),
        *("a\u2028b", "\x00\x0b\x1c", "1" * 60, "npm ERR! code", "PASS a.test.js", "make[1]: x"),
    ]
)
_TEXTS = st.lists(_LINES | st.text(max_size=40), max_size=20)

TOOL_RESULTS = st.builds(
    lambda lines, times, seed: "\n".join(lines * times + Random(seed).sample(lines, len(lines))),
    _TEXTS,
    st.integers(0, 8),
    st.integers(0, 9),
)
"""Arbitrary text that looks a little like each kind of tool result."""
