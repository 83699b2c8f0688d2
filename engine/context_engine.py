"""The engine: makes contexts and keeps them by session and id."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from engine.clock import Clock, SystemClock
from engine.config import ContextEngineConfig
from engine.context import ModelContext
from engine.debug.directories import DebugPlace
from engine.debug.sinks import DebugSink, FileSink
from engine.messages import Message
from engine.processors import compressors as _compressors  # noqa: F401  registers them
from engine.processors.registry import make_processor
from engine.session import Session
from engine.summarizers.call import Summarizer
from engine.tokens.counters import StringLengthCounter, TokenCounter
from engine.wording import Wording
from engine.workspace import Workspace

DEFAULT_CONTEXT_ID = "default_context_id"

ProcessorSpec = tuple[str, Mapping[str, Any]]
"""Name and settings of a processor."""


class ContextEngine:
    """One engine per agent.

    Args:
        config: limits and capacity.
        workspace: where the agent's files and the debug files are; without one nothing is written.
        summarizer: who writes the summaries; without one the compressors stay inert.
        wording: prompts and fixed texts; the project's own by default.
        clock: the time; a replay brings its own.
        sink: where debug records go; files by default.
        environment: variables that name debug directories; the process's by default.
    """

    def __init__(
        self,
        config: ContextEngineConfig | None = None,
        *,
        workspace: Workspace | None = None,
        summarizer: Summarizer | None = None,
        wording: Wording | None = None,
        clock: Clock | None = None,
        sink: DebugSink | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what all contexts share."""
        self.config = config or ContextEngineConfig()
        self._workspace = workspace
        self._summarizer = summarizer
        self._wording = wording or Wording.default()
        self._clock = clock or SystemClock()
        self._sink = sink or FileSink()
        self._environment = os.environ if environment is None else environment
        self._contexts: dict[tuple[str, str], ModelContext] = {}

    async def create_context(
        self,
        context_id: str = DEFAULT_CONTEXT_ID,
        session: Session | None = None,
        *,
        processors: Sequence[ProcessorSpec] = (),
        history: Sequence[Message] = (),
        counter: TokenCounter | None = None,
    ) -> ModelContext:
        """Return the context of this id, made now if there is none yet.

        Args:
            context_id: its id within the session; a `.` becomes `_`.
            session: the session it belongs to.
            processors: the chain, in the order in which they act.
            history: messages that were there before.
            counter: what counts tokens; lengths by default.

        Raises:
            ContextError: a processor is unknown or its settings are invalid.
        """
        session = session or Session()
        context_id = context_id.replace(".", "_")
        key = (session.session_id, context_id)
        if key not in self._contexts:
            self._contexts[key] = ModelContext(
                session=session,
                context_id=context_id,
                config=self.config,
                processors=[make_processor(name, settings) for name, settings in processors],
                counter=counter or StringLengthCounter(),
                wording=self._wording,
                clock=self._clock,
                sink=self._sink,
                place=DebugPlace(
                    session.session_id, context_id, self._workspace, self._environment
                ),
                summarizer=self._summarizer,
                history=history,
            )
        return self._contexts[key]

    def get_context(self, context_id: str, session_id: str) -> ModelContext | None:
        """Return a context if there is one."""
        return self._contexts.get((session_id, context_id.replace(".", "_")))

    async def clear_context(
        self, context_id: str | None = None, session_id: str | None = None
    ) -> None:
        """Forget one context, all of a session, or (without a session) all."""
        wanted = context_id and context_id.replace(".", "_")
        self._contexts = {
            key: context
            for key, context in self._contexts.items()
            if session_id is not None and (key[0] != session_id or wanted not in (None, key[1]))
        }
