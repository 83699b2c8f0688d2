"""A session's notes in a replay: kept by the engine's own updater, with answers that were recorded.

The updater asks after each window request, as an agent does. What an update was answered is data of
the case; an answer may be late, and then takes effect only after later windows were built.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.conversation import Conversation
from engine.messages import AssistantMessage, Message, SystemMessage, ToolInfo
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.model import NotesUpdateError
from engine.session_memory.updater import SessionMemoryUpdater
from inspector.replay.cases.notes_reply import NotesReply


class NotesKeeper:
    """Keeps the notes of a replay's session; it is the model that the updater asks."""

    def __init__(self, replies: Sequence[NotesReply], config: SessionMemoryConfig) -> None:
        """Take the recorded answers in order; the last one is given again when they run out."""
        self._replies = list(replies)
        whole = {"update_mode": "direct_replace", "direct_replace_max_retries": 0}
        self._updater = SessionMemoryUpdater(self, config.model_copy(update=whole))
        self._given = 0
        self._running: asyncio.Task[bool] | None = None
        self._windows_left = 0
        self._released = asyncio.Event()

    async def after_window(
        self, context: Conversation, system: Sequence[SystemMessage], tools: Sequence[ToolInfo]
    ) -> None:
        """End the update that is due, then let the updater look at the window."""
        self._windows_left -= 1
        await self._end_if_due()
        if self._running is not None:
            return
        self._released.clear()
        self._running = self._updater.schedule(context, system, tools)
        if self._running is not None:
            self._windows_left = self._reply.late
            await self._end_if_due()

    async def close(self) -> None:
        """Give up the update that waits for its answer."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        """Answer the updater, once the answer is due."""
        await self._released.wait()
        content = self._reply.content
        self._given += 1
        if content is None:
            raise NotesUpdateError("the recorded update failed")
        return AssistantMessage(content=content)

    @property
    def _reply(self) -> NotesReply:
        known = self._replies[self._given : self._given + 1] or self._replies[-1:]
        return known[0] if known else NotesReply(content=None)

    async def _end_if_due(self) -> None:
        if self._running is not None and self._windows_left <= 0:
            self._released.set()
            await self._running
            self._running = None
