"""Who writes the notes: any chat model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.messages import AssistantMessage, Message, ToolInfo


class ChatModel(Protocol):
    """A model that answers a conversation, or raises what a model client would raise."""

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        """Return the answer, with its tool calls."""
        ...


class NotesUpdateError(Exception):
    """The notes could not be brought up to date; the text says why."""
