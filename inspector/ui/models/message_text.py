"""How one message reads: on a line of a list, and in full.

Content may be a text or a list of parts; a part that is not text is shown as its JSON.
"""

from __future__ import annotations

import json
from typing import Any

from inspector.trace.detail import TraceMessage
from inspector.ui import formats
from inspector.ui.models.text_runs import Run

_PREVIEW = 300


def content_text(content: str | list[Any]) -> str:
    """Return content as text."""
    if isinstance(content, str):
        return content
    return "\n".join(_part_text(part) for part in content)


def call_names(message: TraceMessage) -> list[tuple[str, str]]:
    """Return name and id of each tool call of a message."""
    return [_call(call) for call in message.tool_calls]


def preview(message: TraceMessage) -> str:
    """Return a message on one line: calls and answers by their ids first, then the content."""
    parts = [f"calls {name} → {call_id}" for name, call_id in call_names(message)]
    if message.tool_call_id:
        parts.append(f"↳ {message.tool_call_id}")
    if message.name and message.role != "tool":
        parts.append(f"({message.name})")
    content = message.content
    if not isinstance(content, str):
        content = " ".join(_part_text(part)[:_PREVIEW] for part in content[:8])
    parts.append(content[:_PREVIEW])
    return formats.one_line(" ".join(filter(None, parts)), _PREVIEW)


def full_text(message: TraceMessage, estimated: bool) -> tuple[Run, ...]:
    """Return a message in full, with what it calls or answers."""
    head = [message.role]
    if message.name:
        head.append(message.name)
    if message.position >= 0:
        head.append(f"message {message.position + 1}")
    head.append(f"{formats.number(message.tokens, estimated or message.estimated)} tokens")
    runs = [Run(" · ".join(head) + "\n", "muted")]
    if message.tool_call_id:
        runs.append(Run(f"answers {message.tool_call_id}\n", "muted"))
    if message.partial:
        runs.append(Run("The files hold only the beginning of this message.\n", "muted"))
    text = content_text(message.content)
    if text:
        runs.append(Run(f"\n{text}\n"))
    for call in message.tool_calls:
        name, call_id = _call(call)
        runs.append(Run(f"\ncalls {name}", "heading"))
        runs.append(Run(f" → {call_id}\n", "muted"))
        runs.append(Run(_arguments(call) + "\n"))
    return tuple(runs)


def pretty(value: Any) -> str:
    """Return a value as indented JSON; characters stay themselves."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return pretty(part)


def _call(call: dict[str, Any]) -> tuple[str, str]:
    function = call.get("function")
    name = function.get("name") if isinstance(function, dict) else call.get("name")
    return str(name or "?"), str(call.get("id") or "?")


def _arguments(call: dict[str, Any]) -> str:
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else call.get("arguments")
    if isinstance(arguments, str):
        try:
            return pretty(json.loads(arguments))
        except (ValueError, RecursionError):
            return arguments
    return pretty(arguments)
