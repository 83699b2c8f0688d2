"""The engine: makes contexts and keeps them by session and id."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Mapping, Sequence

from engine.clock import Clock, SystemClock
from engine.config import ContextEngineConfig
from engine.context import ModelContext, WindowMutator
from engine.debug.directories import DebugPlace, check_directories
from engine.debug.recorder import DebugRecorder
from engine.debug.sinks import DebugSink, FileSink
from engine.errors import ContextError
from engine.errors.overflow import is_context_overflow
from engine.lifecycle.on_demand import ActiveCompression
from engine.messages import Message
from engine.processors.registry import (
    Processor,
    ProcessorT,
    Settings,
    make_processor,
    register,
)
from engine.session import DEFAULT_SESSION_ID, SavedContext, Session
from engine.summarizers.call import Summarizer
from engine.tokens.counters import TokenCounter
from engine.tokens.online_windows import ONLINE_WINDOWS, OnlineWindows
from engine.tokens.selection import default_counter
from engine.wording import Wording
from engine.workspace import Workspace

_LOG = logging.getLogger(__name__)

DEFAULT_CONTEXT_ID = "default_context_id"

ProcessorSpec = tuple[str, Settings]
"""Name and settings of a processor."""

_Key = tuple[str, str]
"""Ids of a session, and of a context in it."""


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
        faithful: decide as openJiuwen does even where that loses a text: for a replay.
        online_windows: what the network says of models, where the settings allow to ask it; shared
            by the whole program by default.
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
        faithful: bool = False,
        online_windows: OnlineWindows | None = None,
    ) -> None:
        """Keep what all contexts share.

        Raises:
            ContextError: a debug directory has a template that cannot be expanded.
        """
        self.config = config or ContextEngineConfig()
        self._workspace = workspace
        self._summarizer = summarizer
        self._wording = wording or Wording.default()
        self._clock = clock or SystemClock()
        self._sink = sink or FileSink()
        self._environment = os.environ if environment is None else environment
        self._faithful = faithful
        self._online_windows = online_windows or ONLINE_WINDOWS
        self._window_mutators: list[WindowMutator] = []
        self._contexts: dict[_Key, ModelContext] = {}
        if not faithful:
            check_directories(self.config, self._environment)

    def register_window_mutator(self, mutator: WindowMutator) -> None:
        """Let a coroutine function have the last word on every window of every context."""
        self._window_mutators.append(mutator)

    def clear_window_mutators(self) -> None:
        """Let go of all of them."""
        self._window_mutators.clear()

    @staticmethod
    def register_processor() -> Callable[[ProcessorT], ProcessorT]:
        """Return a decorator that makes a processor class known by its name."""
        return register

    @staticmethod
    def is_context_overflow_error(error: BaseException) -> bool:
        """Return whether an agent's model call failed because its context was too long."""
        return is_context_overflow(error)

    async def create_context(
        self,
        context_id: str = DEFAULT_CONTEXT_ID,
        session: Session | None = None,
        *,
        processors: Sequence[ProcessorSpec] = (),
        history: Sequence[Message] = (),
        counter: TokenCounter | None = None,
    ) -> ModelContext:
        """Return the context of this id, as the session's state has it.

        One that exists already keeps its chain and counter, but not its messages, once the session
        has saved contexts: it then holds what was saved of it, or nothing.

        Args:
            context_id: its id within the session; a `.` becomes `_`.
            session: the session it belongs to.
            processors: the chain of a new context, in the order in which they act.
            history: messages that were there before; they win over saved ones.
            counter: what counts tokens in a new context; as the settings say by default.

        Raises:
            ContextError: a processor is unknown or its settings are invalid.
        """
        session = session or Session()
        context_id = _pool_id(context_id)
        key = (session.session_id, context_id)
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = ModelContext(
                session=session,
                context_id=context_id,
                config=self.config,
                processors=[self._processor(name, settings) for name, settings in processors],
                counter=counter or default_counter(self.config),
                wording=self._wording,
                clock=self._clock,
                debug=self._recorder(session.session_id, context_id),
                summarizer=self._summarizer,
                faithful=self._faithful,
                history=history,
                online_windows=self._online_windows,
                window_mutators=self._window_mutators,
            )
        context.session = session
        saved = session.saved(context_id)
        if saved is not None:
            context.load_state(
                saved.model_copy(update={"messages": list(history)}) if history else saved
            )
        return context

    def get_context(
        self, context_id: str = DEFAULT_CONTEXT_ID, session_id: str = DEFAULT_SESSION_ID
    ) -> ModelContext | None:
        """Return a context if there is one."""
        return self._contexts.get((session_id, _pool_id(context_id)))

    async def save_contexts(
        self, session: Session, context_ids: Sequence[str] | None = None
    ) -> dict[str, SavedContext]:
        """Keep contexts in the session's state, and forget those that were saved before.

        Args:
            session: the session they belong to.
            context_ids: their ids; all of the session's when None. Unknown ones are left out.
        """
        chosen = self._chosen(session.session_id, context_ids).values()
        saved = {context.context_id: context.save_state() for context in chosen}
        session.save(saved)
        return saved

    async def compress_context(
        self,
        context_id: str = DEFAULT_CONTEXT_ID,
        session: Session | None = None,
        *,
        session_id: str | None = None,
        processor_types: Collection[str] | None = None,
        preserve_instruction: str = "",
    ) -> ActiveCompression:
        """Compress a context now; its session saves and commits what came of it.

        Args:
            context_id: the context's id.
            session: its session.
            session_id: id of its session where none is given.
            processor_types: names of the processors that may act; all when None.
            preserve_instruction: what the summaries must not lose.

        Raises:
            ContextError: there is no such context.
        """
        owner = session.session_id if session else session_id or DEFAULT_SESSION_ID
        context = self.get_context(context_id, owner)
        if context is None:
            raise ContextError(f"there is no context '{context_id}' in session '{owner}'")
        done = await context.compress_context(
            processor_types, preserve_instruction=preserve_instruction
        )
        if done.result == "compressed":
            await self.save_contexts(context.session, [context_id])
            await context.session.commit()
        return done

    async def recover_from_model_exception(
        self,
        error: BaseException,
        context_id: str = DEFAULT_CONTEXT_ID,
        session: Session | None = None,
        *,
        streamed: bool = False,
    ) -> bool:
        """Return whether the agent's failed model call is worth a second try.

        It is when the error tells of a context that is too long and compressing it now helped.

        Args:
            error: what the call raised.
            context_id: the context that was sent.
            session: its session.
            streamed: whether part of an answer has been shown already.

        Raises:
            ContextError: there is no such context.
        """
        if streamed or not is_context_overflow(error):
            return False
        _LOG.info("compressing context '%s' after: %s", context_id, error)
        done = await self.compress_context(context_id, session)
        return done.result == "compressed"

    def update_model_context(
        self,
        model_name: str | None,
        context_window_tokens: int | None = None,
        *,
        model_provider: str | None = None,
        summarizer: Summarizer | None = None,
    ) -> int:
        """Let the agent's contexts go on with another model; return how many changed.

        A capacity set for the engine as a whole stays in force.

        Args:
            model_name: the model.
            context_window_tokens: its capacity, where it is known; looked up by name otherwise.
            model_provider: who offers it.
            summarizer: who writes summaries from now on; as before when None.

        Raises:
            pydantic.ValidationError: the capacity is beyond `config.LARGEST_COUNT`.
        """
        known = context_window_tokens if (context_window_tokens or 0) > 0 else None
        changes = {
            "model_name": model_name,
            "model_provider": model_provider,
            "model_context_window_tokens_override": known,
        }
        config = ContextEngineConfig.model_validate({**dict(self.config), **changes})
        return self.rebind_context_model(config, summarizer=summarizer)

    def rebind_context_model(
        self,
        config: ContextEngineConfig,
        *,
        session_id: str | None = None,
        context_id: str | None = None,
        summarizer: Summarizer | None = None,
    ) -> int:
        """Put other settings in force and return how many contexts changed.

        Args:
            config: the settings; new contexts get them too.
            session_id: only this session's contexts go on with them; all when None.
            context_id: only the context of this id in each session; all when None.
            summarizer: who writes summaries from now on; as before when None.

        Raises:
            TypeError: these are no settings of an engine.
            ContextError: a debug directory has a template that cannot be expanded.
        """
        if not isinstance(config, ContextEngineConfig):
            raise TypeError(f"no settings of an engine: {type(config).__name__}")
        if not self._faithful:
            check_directories(config, {})
        before, after = default_counter(self.config), default_counter(config)
        self.config = config
        self._summarizer = summarizer or self._summarizer
        return sum(
            context.rebind_model(
                config,
                counter=after if context.counter.name == before.name != after.name else None,
                summarizer=summarizer,
            )
            for context in self._chosen(session_id, [context_id] if context_id else None).values()
        )

    async def clear_context(
        self, context_id: str | None = None, session_id: str | None = None
    ) -> None:
        """Forget one context, all of a session, or (without a session) all."""
        one = None if context_id is None or session_id is None else [context_id]
        for key in self._chosen(session_id, one):
            del self._contexts[key]

    def _chosen(
        self, session_id: str | None, context_ids: Collection[str] | None
    ) -> dict[_Key, ModelContext]:
        """Return the contexts of a session that have one of these ids; None stands for all."""
        wanted = None if context_ids is None else set(map(_pool_id, context_ids))
        return {
            (owner, name): context
            for (owner, name), context in self._contexts.items()
            if session_id in (None, owner) and (wanted is None or name in wanted)
        }

    def _recorder(self, session_id: str, context_id: str) -> DebugRecorder:
        place = DebugPlace(session_id, context_id, self._workspace, self._environment)
        return DebugRecorder(self._sink, place, self._clock)

    def _processor(self, name: str, settings: Settings) -> Processor:
        """Return a processor whose settings can be followed.

        Raises:
            ContextError: they cannot, or there is no processor of this name.
        """
        processor = make_processor(name, settings)
        if not self._faithful:
            try:
                check_directories(processor.config, {})
            except ContextError as error:
                raise ContextError(f"init processor type '{name}' failed: {error}") from error
        return processor


def _pool_id(context_id: str) -> str:
    return context_id.replace(".", "_")
