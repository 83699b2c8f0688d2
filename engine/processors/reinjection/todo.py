"""The to-do list, while something on it is still open."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.messages.json_text import read_json
from engine.processors.reinjection.source import Source, dictionaries

ACTIVE = ("pending", "in_progress")


def todo(source: Source) -> str:
    """Return the open items and the counts of all; empty when none is open."""
    items = _items(source)
    line = source.wording.line
    active = [item for item in items if _status(item) in ACTIVE]
    if not active:
        return ""
    counts = Counter(map(_status, items))
    summary = ", ".join(
        line("status_count", status=status, count=n) for status, n in sorted(counts.items())
    )
    return "\n".join(
        [
            line("active_todos"),
            *(_item_line(source, item) for item in active),
            line("status_counts_summary", summary=summary),
        ]
    )


def _items(source: Source) -> list[dict[str, Any]]:
    for relative in (f"{source.session_id}/todo.json", f"todo/{source.session_id}/todo.json"):
        text = source.read_workspace(relative)
        if text is not None:
            break
    else:
        return []
    return dictionaries(read_json(text))


def _status(item: dict[str, Any]) -> str:
    return str(item.get("status") or "pending")


def _item_line(source: Source, item: dict[str, Any]) -> str:
    line = source.wording.line
    content = str(item.get("content") or item.get("description") or "").strip()
    active_form = str(item.get("activeForm") or "").strip()
    suffix = ""
    if active_form and active_form != content:
        suffix = line("active_form", active_form=active_form)
    return line(
        "status_todo_id_content_suffix",
        status=_status(item),
        todo_id=item.get("id") or "unknown",
        content=content or line("no_content"),
        suffix=suffix,
    )
