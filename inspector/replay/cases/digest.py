"""Digests of messages and texts that do not change from run to run, as reports hold them.

What is normalised and what a digest covers is fixed by `conformance/README.md`.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from engine.messages import AssistantMessage, Message, ToolMessage

_CHANGING = (
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "<hex>"),
    (re.compile(r"(?<!\d)\d{8}T\d{12}Z"), "<mem>"),
    (re.compile(r"(?<!\d)1[78]\d{11}(?=_)"), "<ms>"),
)
"""What differs from run to run: handles and ids, memory ids, epoch milliseconds in file names."""

_LONG_NUMBER = re.compile(r"[0-9a-f]{12}")
"""Stands in each of these; looking for it is quicker by far."""


def message_digest(message: Message) -> str:
    """Return the digest of a message that `conformance/README.md` defines: 16 hex digits."""
    calls = message.tool_calls or () if isinstance(message, AssistantMessage) else ()
    identity = [
        message.role,
        normalised_content(message.content or ""),
        [[call.id, call.name, call.arguments] for call in calls],
        message.tool_call_id if isinstance(message, ToolMessage) else None,
    ]
    return short_hash(json.dumps(identity, ensure_ascii=False))


def normalised(text: str) -> str:
    """Return a text with what differs from run to run replaced."""
    if _LONG_NUMBER.search(text):
        for pattern, placeholder in _CHANGING:
            text = pattern.sub(placeholder, text)
    return text


def normalised_content(content: Any) -> str:
    """Return content as one normalised string; list content as JSON with sorted keys."""
    if not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return normalised(content)


def short_hash(text: str) -> str:
    """Return the first 16 hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
