"""What the kinds of content are called that rules shorten."""

from __future__ import annotations

from inspector.ui import formats

RULES = {
    "LOG": "log",
    "JSON_ARRAY": "JSON array",
    "GIT_DIFF": "diff",
    "SEARCH_RESULTS": "search results",
    "HTML": "HTML page",
    "PLAIN_TEXT": "plain text",
}
"""Kinds of content in words."""


def rule_name(rule: str) -> str:
    """Return what a rule is called; one of a later version as it is."""
    return RULES.get(rule, formats.one_line(rule.replace("_", " ").lower()))
