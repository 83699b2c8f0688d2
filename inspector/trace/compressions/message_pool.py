"""Whole messages for the previews that a recorded span holds.

A span lists role, size and the first 200 characters of each message. The dumps before and after it
and the agent's own request hold many of the same messages in full; a message found there is taken
for the previewed one, and the whole for verified only if its tokens are the recorded ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.trace.compressions.listings import Listed, item_listed, listed
from inspector.trace.windows.window import Chat


class MessagePool:
    """Messages by what a preview shows of them."""

    def __init__(self, chars_per_token: int) -> None:
        self._chars = chars_per_token
        self._messages: dict[Listed, Mapping[str, Any]] = {}

    def add(self, chat: Chat) -> None:
        """Take in messages; of several that look alike the first one stays."""
        for message in chat:
            self._messages.setdefault(listed(message, self._chars), message)

    def find(self, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the message that a span's item previews, if it is known."""
        shown = item_listed(item)
        return None if shown is None else self._messages.get(shown)
