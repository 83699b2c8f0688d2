"""Whole messages for the previews that a recorded span holds.

A span lists role, size and the first 200 characters of each message. The dumps before and after it
and the agent's own request hold many of the same messages in full; a message found there is taken
for the previewed one, and the whole for verified only if its tokens are the recorded ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inspector.trace.windows import Chat

_PREVIEW = 200
_Key = tuple[str, int, str]


class MessagePool:
    """Messages by what a preview shows of them."""

    def __init__(self) -> None:
        self._messages: dict[_Key, Mapping[str, Any]] = {}

    def add(self, chat: Chat) -> None:
        """Take in messages; of several that look alike the first one stays."""
        for message in chat:
            content = message.get("content")
            text = str("" if content is None else content)
            key = (str(message.get("role")), max(len(text) // 3, 1), text[:_PREVIEW])
            self._messages.setdefault(key, message)

    def find(self, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the message that a span's item previews, if it is known."""
        try:
            key = (str(item["role"]), int(item["tokens"]), str(item["preview"]))
        except (KeyError, TypeError, ValueError):
            return None
        return self._messages.get(key)

    def find_all(self, items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
        """Return the messages of all items; None where one is not known."""
        found = [self.find(item) for item in items]
        return None if None in found else [message for message in found if message is not None]
