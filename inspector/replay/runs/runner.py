"""Runs a case through the engine and keeps what happened, step by step.

The engine is the real one; only its surroundings are a replay's: a clock that waits for nothing,
debug records kept in memory, and a temporary folder that stands for the workspace. With edited
settings and recorded replies the unedited case runs first, for only it can tell which reply belongs
to which call.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.clock import Clock, VirtualClock
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.conversation.states import ContextCompressionState
from engine.debug.sinks import MemorySink
from engine.errors import ContextError
from engine.messages import Message
from engine.processors.compressors.session_memory import SessionMemoryCompressorConfig
from engine.processors.registry import make_processor
from engine.session import SavedContext, Session
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.summarizers.extractive import ExtractiveSummarizer
from engine.summarizers.recorded import (
    DEFAULT_TIMEOUT,
    Cassette,
    CassetteSummarizer,
    RecordedSummarizer,
)
from engine.tokens.selection import make_counter
from engine.tokens.tally import Tally
from engine.window import ContextWindow
from engine.wording import Wording
from engine.workspace import Workspace
from inspector.replay.cases.actions import Action, WindowLimits
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.runs.branch import changed_messages, check_taken, settings_at
from inspector.replay.runs.notes import NotesKeeper
from inspector.replay.runs.run import (
    Head,
    OnStep,
    Run,
    SentCall,
    Step,
    SummarizerName,
    WindowResult,
)
from inspector.replay.runs.workspace import ReplayWorkspace
from inspector.sources.fault import first_fault

_DEBUG = {
    "enable_compression_dump": True,
    "enable_debug_dump": True,
    "enable_context_debug": True,
}
"""Settings that turn on the records of every processor."""

_EXTRACT: Summarizer = ExtractiveSummarizer()


async def replay(
    case: Case,
    *,
    base: Case | None = None,
    cassette: Cassette | None = None,
    wording: dict[str, Any] | None = None,
    summarizer: SummarizerName | None = None,
    model: Summarizer | None = None,
    head: Head | None = None,
    on_step: OnStep | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Run:
    """Replay a case.

    Args:
        case: the case, perhaps with edited settings.
        base: the case as it was recorded, when `case` may differ from it.
        cassette: answers noted by an earlier baseline of `base`, which then need not run again.
        wording: texts that win over the case's own.
        summarizer: who writes the summaries; when None `recorded` where there are replies, else
            the model if there is one, else `extractive`.
        model: who answers what nobody recorded; the offline extract when None.
        head: steps to take over instead of running them (`inspector.replay.runs.restart`).
        on_step: called with each step that is run, as it ends.
        cancelled: asked between steps; a true answer ends the run with what there is.

    Raises:
        CaseError: the case holds something that is no message, setting or text of its kind.
    """
    unrecorded: SummarizerName = "openai" if model is not None else "extractive"
    chosen = summarizer or ("recorded" if case.replies is not None else unrecorded)
    run_edited = chosen == "recorded" and base is not None and base != case
    if run_edited and cassette is None:
        assert base is not None
        baseline = await replay(base, wording=wording, summarizer=chosen, cancelled=cancelled)
        cassette = baseline.cassette
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        recorded = cassette if run_edited else None
        player = _Player(case, Path(folder), chosen, recorded, wording, model)
        try:
            return await player.run(head or Head(), on_step, cancelled)
        finally:
            await player.close()


class _LoggedSummarizer:
    """Notes each call before another summarizer answers it."""

    def __init__(self, inner: Summarizer) -> None:
        self.calls: list[SentCall] = []
        self._inner = inner

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        sent = SentCall(call)
        self.calls.append(sent)
        sent.answer = await self._inner.summarize(call)
        return sent.answer


class _Player:
    """A running replay: the stage that actions play on."""

    context: ModelContext

    def __init__(
        self,
        case: Case,
        folder: Path,
        summarizer: SummarizerName,
        cassette: Cassette | None,
        wording: dict[str, Any] | None,
        model: Summarizer | None,
    ) -> None:
        self._case = case
        self._summarizer = summarizer
        self._sink = MemorySink()
        self.clock: Clock = VirtualClock(time.time())
        timeout = case.timeout or DEFAULT_TIMEOUT
        inner = otherwise = model or _EXTRACT
        self._recorded: RecordedSummarizer | None = None
        self._cassette: CassetteSummarizer | None = None
        if cassette is not None:
            inner = self._cassette = CassetteSummarizer(cassette, otherwise, self.clock, timeout)
        elif summarizer == "recorded":
            inner = self._recorded = RecordedSummarizer(
                case.replies or (), otherwise, self.clock, timeout
            )
        self._model = _LoggedSummarizer(inner)
        self._created: list[str] = []
        self._workspace = _workspace(case, folder, self._created.append)
        self.engine = ContextEngine(
            case.engine_config(),
            workspace=self._workspace,
            summarizer=self._model,
            wording=_wording(wording or {}, case.wording),
            clock=self.clock,
            sink=self._sink,
            environment={},
            faithful=True,
        )
        self._counter = make_counter(case.token_counter)
        self.session = Session(case.session_id, deepcopy(case.session_state))
        self._system = case.system()
        self._tools = case.tool_list()
        self._messages = case.conversation()
        self._added = 0
        self._windows = 0
        self._states: list[ContextCompressionState] = []
        self._notes = _notes_keeper(case)

    async def run(self, head: Head, on_step: OnStep | None, cancelled: Callable[[], bool]) -> Run:
        await self.open(self._case.context_id)
        steps = list(head.steps)
        if steps:
            self._take_over(head)
        started = time.perf_counter()
        stopped = False
        for play in islice(self._plays(), len(steps), None):
            if cancelled():
                stopped = True
                break
            steps.append(await play())
            if on_step is not None:
                on_step(steps[-1])
        if not stopped:
            check_taken(self._case, self._windows)
        seconds = time.perf_counter() - started
        return Run(
            case=self._case,
            capacity=self.context.capacity.tokens,
            capacity_source=self.context.capacity.source,
            steps=steps,
            final_messages=self.context.get_messages(),
            statistic=self.context.statistic(),
            seconds=seconds,
            summarizer=self._summarizer,
            cassette=self._recorded.cassette if self._recorded else None,
            cancelled=stopped,
        )

    async def close(self) -> None:
        """Let nothing go on that writes into the folder."""
        if self._notes is not None:
            await self._notes.close()

    def _take_over(self, head: Head) -> None:
        """Begin where the head ends."""
        self._added = head.steps[-1].added
        self._windows = sum(step.window is not None for step in head.steps)
        saved = SavedContext.model_construct(
            messages=list(as_now(self.context.tally(head.buffer))),
            last_context_window_access_at=self.clock.now() if self._windows else None,
        )
        self.context.load_state(saved)
        for step in head.steps:
            if self._cassette is not None:
                for sent in step.calls:
                    self._cassette.pass_over(sent.call)

    async def open(self, context_id: str) -> None:
        try:
            self.context = await self.engine.create_context(
                context_id,
                self.session,
                counter=self._counter,
                processors=[
                    (name, {**_DEBUG, **settings}) for name, settings in self._case.processors
                ],
            )
        except ContextError as error:
            raise CaseError(str(error)) from error
        self.context.listeners = [self._states.append]

    async def add(self, messages: Sequence[Message]) -> None:
        if messages:
            await self.context.add_messages(messages)
            self._added += len(messages)
            self._step.new += messages

    async def window(self, limits: WindowLimits) -> None:
        self._windows += 1
        step = self._step
        step.number = self._windows
        self._take_turns()
        step.before = as_now(self.context.tally(self.context.get_messages()))
        window = await self.context.get_context_window(
            self._system,
            self._tools,
            window_size=limits.window_size,
            dialogue_round=limits.dialogue_round,
        )
        step.window = _result(self.context, window, len(step.before))
        if self._notes is not None:
            await self._notes.after_window(self.context, self._system, self._tools)

    def _take_turns(self) -> None:
        """Change messages and settings where the case's turns say so."""
        step = self._windows
        turns = [turn for turn in self._case.turns if turn.step == step]
        for turn in turns:
            if turn.messages:
                messages = self.context.get_messages()
                self.context.set_messages(changed_messages(messages, turn.messages, step))
        if any(turn.settings for turn in turns):
            case = settings_at(self._case, step)
            self.context.processors = tuple(
                make_processor(name, {**_DEBUG, **settings}) for name, settings in case.processors
            )
            self.engine.rebind_context_model(case.engine_config())

    def _plays(self) -> Iterator[Callable[[], Awaitable[Step]]]:
        for count, wanted in feeding(self._case, self._messages):
            yield partial(self._feed, count, wanted)
        for action in self._case.actions:
            yield partial(self._act, action)

    async def _feed(self, count: int, wanted: bool) -> Step:
        """Add the next `count` messages and, if wanted, ask for a window."""
        self._step = Step("window" if wanted else "add")
        await self.add(self._messages[self._added : self._added + count])
        if wanted:
            await self.window(self._case.window_kwargs)
        return self._finished()

    async def _act(self, action: Action) -> Step:
        self._step = Step(f"action:{action.do}")
        self._step.result = await action.play(self)
        self._step.buffer_messages = len(self.context)
        return self._finished()

    def _finished(self) -> Step:
        """Return the current step with all that was noted during it."""
        step = self._step
        step.added = self._added
        step.lines = self._sink.lines
        step.states, self._states[:] = list(self._states), ()
        step.calls, self._model.calls[:] = list(self._model.calls), ()
        kept = (path for path in self._created if self._workspace.holds(path))
        step.files = self._sink.files + [self._workspace.inside(path) or path for path in kept]
        self._created.clear()
        step.dumps = self._sink.dumps
        self._sink.clear()
        return step


def feeding(case: Case, messages: list[Message]) -> Iterator[tuple[int, bool]]:
    """Yield how many messages are added at once, and whether a window is asked for then.

    A window request that comes without new messages yields a count of 0.
    """
    if case.groups is not None:
        yield from case.groups
    elif case.mode == "bulk":
        yield len(messages), True
    elif case.mode == "each":
        for _ in messages:
            yield 1, True
    else:
        for message in messages:
            if message.role == "assistant":
                yield 0, True
            yield 1, False
        yield 0, True


def window_requests(case: Case) -> int:
    """Return how many windows a replay of a case asks for."""
    fed = sum(wanted for _, wanted in feeding(case, case.conversation()))
    return fed + sum(action.do == "window" for action in case.actions)


def as_now(tally: Tally) -> tuple[Message, ...]:
    """Return the messages with marks of their own, so that they stay as they are marked now."""
    messages = tally.messages.copy()
    for position in tally.carriers:
        message = messages[position]
        messages[position] = message.labelled(message.metadata.copy())
    return tuple(messages)


def _result(context: ModelContext, window: ContextWindow, before: int) -> WindowResult:
    return WindowResult(
        capacity=context.capacity.tokens,
        messages_before=before,
        messages=tuple(window.context_messages),
        system_messages=len(window.system_messages),
        statistic=window.statistic,
        tokens=context.window_tokens(window),
    )


def _notes_keeper(case: Case) -> NotesKeeper | None:
    """Return who keeps the session's notes, if anybody does."""
    if case.notes is None:
        return None
    for name, settings in case.processors:
        config = make_processor(name, {**_DEBUG, **settings}).config
        if isinstance(config, SessionMemoryCompressorConfig):
            memory = config.memory.model_copy(update={"enable_debug_dump": True})
            return NotesKeeper(case.notes, memory)
    return None


def _wording(*layers: dict[str, Any]) -> Wording:
    try:
        return Wording.from_data(*layers)
    except ValidationError as error:
        raise CaseError(f"wording: {first_fault(error)}") from error


def _workspace(case: Case, folder: Path, created: Callable[[str], None]) -> Workspace:
    workspace = ReplayWorkspace(case.workspace, folder, created)
    for relative, text in case.workspace_files.items():
        path = workspace.physical(workspace.declared(relative))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise CaseError(f"case {case.id}: workspace_files: {relative!r}: {error}") from error
    return workspace
