"""Puts the session's notes in place of the messages that they cover (`engine.md` §5.7.1).

No model is asked: the notes were written before, in the background. They replace everything up to
their anchor, the last message that they cover; until they are updated, the anchor is then gone and
nothing more happens.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from engine.conversation import Conversation
from engine.debug.records import TestedGate
from engine.messages import Message, UserMessage
from engine.processors.base import BELOW, REACHED, ContextEvent, ContextProcessor, RecordedConfig
from engine.processors.compressors.archiving import archived
from engine.processors.registry import register
from engine.processors.spans import Span
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.notes import notes_path
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.window import ContextWindow

_LOG = logging.getLogger(__name__)


class SessionMemoryCompressorConfig(RecordedConfig):
    """When notes take the messages' place."""

    enabled: bool = False
    trigger_context_ratio: float = Field(default=0.8, gt=0, lt=1)
    """Share of the capacity at which the compressor acts."""
    session_memory_path: str | None = None
    """Path of the notes; the session's own file when None."""
    max_notes_chars: int = Field(default=120_000, gt=0)
    """Notes that are longer are not used."""
    memory: SessionMemoryConfig = SessionMemoryConfig()
    """How the notes are kept up to date."""


class _Candidate(NamedTuple):
    notes: str
    anchor: str
    covered: int
    """Messages of the window up to the anchor, the anchor included."""
    gates: list[TestedGate]


@register
class SessionMemoryCompressor(ContextProcessor[SessionMemoryCompressorConfig]):
    """Replaces the messages that the session's notes cover by one memory block."""

    config_model = SessionMemoryCompressorConfig

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether the window is full enough and notes cover a part of it."""
        return self._candidate(context, window) is not None

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Replace the covered messages, in the buffer too."""
        candidate = self._candidate(context, window)
        if candidate is None:
            return None, window
        original = window.context_messages
        span = Span([], original[: candidate.covered], original[candidate.covered :])
        async with archived(context, self.processor_type(), span) as archive:
            block = context.wording.session_memory_block(
                candidate.notes, candidate.anchor, archive.memory_id if archive else None
            )
            new: list[Message] = [UserMessage(content=block), *span.tail]
            window.context_messages = context.set_messages(new)
        self.end(
            context,
            "materialised",
            gates=candidate.gates,
            before=original,
            after=window.context_messages,
            replaced=span.target,
            replacement=window.context_messages[:1],
            span=span.counts,
        )
        return ContextEvent(self.processor_type(), range(candidate.covered), block), window

    def _candidate(self, context: Conversation, window: ContextWindow) -> _Candidate | None:
        """Return what would take the messages' place; each call leaves a record, or two."""
        if not self.config.enabled or not self._is_full(context, window):
            return None
        runtime = SessionMemoryRuntime.of(context.session)
        notes, longest = self._notes(context, runtime), self.config.max_notes_chars
        usable = 0 < len(notes) <= longest
        gates = [TestedGate.of("notes", usable, len(notes), longest, "characters")]
        if not usable:
            self.end(context, "declined", "notes_too_long" if notes else "no_notes", gates=gates)
            return None
        anchor = runtime.notes_upto_message_id
        covered = _covered(window.context_messages, anchor)
        gates.append(TestedGate.of("anchor", covered > 0, covered, 1, "messages"))
        if not anchor or not covered:
            self.end(context, "declined", "no_anchor", gates=gates)
            return None
        return _Candidate(notes, anchor, covered, gates)

    def _is_full(self, context: Conversation, window: ContextWindow) -> bool:
        threshold = context.capacity.share(self.config.trigger_context_ratio)
        total = context.tally(window.context_messages).window_tokens(window.system_messages, ())
        return self.check(context, total, threshold, REACHED if total >= threshold else BELOW)

    def _notes(self, context: Conversation, runtime: SessionMemoryRuntime) -> str:
        """Return the notes' text; empty when there is none that can be read."""
        workspace = context.workspace
        path = self.config.session_memory_path or runtime.memory_path
        if path is None:
            if workspace is None:
                return ""
            path = notes_path(workspace, context.session.session_id)
        physical = workspace.physical(path) if workspace else Path(path)
        try:
            return physical.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            _LOG.warning("session notes %s cannot be read: %s", path, error)
            return ""


def _covered(messages: Sequence[Message], anchor: str | None) -> int:
    """Return how many messages stand up to the anchor; 0 when it is not among them."""
    return next((i for i, m in enumerate(messages, 1) if m.message_id == anchor), 0)
