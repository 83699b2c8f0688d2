"""What the kinds of content are called that rules shorten."""

from __future__ import annotations

from inspector.ui import formats

RULES = {
    "LOG": "logs",
    "JSON_ARRAY": "JSON arrays",
    "GIT_DIFF": "diffs",
    "SEARCH_RESULTS": "search results",
    "HTML": "HTML pages",
    "PLAIN_TEXT": "plain text",
}
"""Kinds of content in words."""


def rule_name(rule: str) -> str:
    """Return what a rule is called; one of a later version as it is."""
    return RULES.get(rule, formats.one_line(rule.replace("_", " ").lower()))
