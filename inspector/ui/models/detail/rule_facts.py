"""What is known of a rule's work, as names and values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from inspector.trace.detail import RuleView
from inspector.ui import formats
from inspector.ui.models.detail.fact_list import Fact
from inspector.ui.models.detail.rule_names import rule_name

_LONGEST = 200


def rule_facts(rule: RuleView) -> Iterator[Fact]:
    """Yield the rule's own figures, nested ones by their path."""
    yield "rule for", rule_name(rule.rule), None
    for name, value in _flat(rule.details):
        yield formats.one_line(name.replace("_", " ")), value, None


def _flat(details: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in details.items():
        if isinstance(value, dict) and value and not above:
            yield from _flat(value, f"{name} · ")
        elif value not in (None, "", [], {}):
            yield f"{above}{name}", _told(value)


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return formats.number(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return formats.one_line(text, _LONGEST)
