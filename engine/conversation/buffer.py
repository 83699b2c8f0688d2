"""The list of messages behind a context: history mark and length limit (`engine.md` §1.3).

The first `history_size` messages were there when the context began; what came later are *context
messages*. With a limit M the list may grow to 2·M before the oldest M fall away, and only the last
M are ever visible.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import Message


class MessageBuffer:
    """Messages in order; the newest are at the end."""

    def __init__(self, history: Sequence[Message] = (), limit: int | None = None) -> None:
        """Start with the last `limit` messages of a history."""
        self._limit = limit
        self._messages = list(history[-limit:] if limit else history)
        self.history_size = len(self._messages)

    def __len__(self) -> int:
        return min(len(self._messages), self._limit or len(self._messages))

    @property
    def hidden(self) -> int:
        """Number of messages that are held but no longer visible."""
        return len(self._messages) - len(self)

    def append(self, messages: Sequence[Message]) -> bool:
        """Add messages at the end; return whether what was visible before is still the front."""
        shown_from, was_empty = self.hidden, not self._messages
        self._messages.extend(messages)
        intact = was_empty or self.hidden == shown_from
        if self._limit and len(self._messages) > 2 * self._limit:
            del self._messages[: self._limit]
            self.history_size = max(self.history_size - self._limit, 0)
        return intact

    def visible(self, size: int | None = None, *, with_history: bool = True) -> list[Message]:
        """Return a copy of the visible messages, or of the last `size` of them.

        Raises:
            ValueError: `size` is negative.
        """
        shown = self._messages[self.hidden :]
        if not with_history:
            shown = shown[self.history_size :]
        if size is None:
            return shown
        if size < 0:
            raise ValueError(f"size must not be negative, got {size}")
        return shown[max(len(shown) - size, 0) :]

    def pop(self, size: int, *, with_history: bool = True) -> list[Message]:
        """Remove and return the newest `size` visible messages, oldest of them first.

        Raises:
            ValueError: `size` is negative.
        """
        popped = self.visible(size, with_history=with_history)
        if popped:
            del self._messages[-len(popped) :]
            self.history_size = min(self.history_size, len(self._messages))
        return popped

    def replace(self, messages: Sequence[Message], *, with_history: bool = True) -> None:
        """Put other messages in place of all, or of all but the history."""
        if with_history:
            self._messages = list(messages)
            self.history_size = 0
        else:
            self._messages[self.history_size :] = messages
