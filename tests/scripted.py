"""A context whose summary model follows a script, with everything it leaves behind in memory."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.clock import VirtualClock
from engine.config import ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.debug.records import DebugRecord, Outcome
from engine.debug.sinks import DebugSink, MemorySink
from engine.messages import Message, SystemMessage, ToolInfo
from engine.session import Session
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.window import ContextWindow
from engine.wording import Wording
from engine.workspace import Workspace

START = 1_790_000_000.0
"""Epoch seconds at which every scripted clock starts."""


class Script:
    """A summary model that gives its answers in order; an exception among them is raised.

    After the last one it repeats `otherwise`.
    """

    def __init__(self, *answers: str | Exception | None, otherwise: str | Exception = "S") -> None:
        self.calls: list[SummaryCall] = []
        self._answers = list(answers)
        self._otherwise = otherwise

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        self.calls.append(call)
        answer = self._answers.pop(0) if self._answers else self._otherwise
        if isinstance(answer, Exception):
            raise answer
        return SummaryAnswer(answer, "script")


class Stuck:
    """A summary model that never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("never reached")


@dataclass
class Bench:
    """A context and what it writes."""

    context: ModelContext
    sink: MemorySink
    clock: VirtualClock
    model: Summarizer | None
    system: list[SystemMessage] = field(default_factory=list)
    tools: list[ToolInfo] = field(default_factory=list)

    def add(self, *messages: Message) -> None:
        """Add messages in one go."""
        asyncio.run(self.context.add_messages(messages))

    def window(self, **limits: Any) -> ContextWindow:
        """Ask for a window."""
        return asyncio.run(self.context.get_context_window(self.system, self.tools, **limits))

    @property
    def records(self) -> list[DebugRecord]:
        """The records that the original writes too."""
        return [record for record in self.sink.records if not isinstance(record, Outcome)]

    @property
    def outcomes(self) -> list[Outcome]:
        """How each attempt ended."""
        return [record for record in self.sink.records if isinstance(record, Outcome)]

    @property
    def story(self) -> list[str]:
        """The records in short: event, and reason where there is one."""
        told = ((r.event, getattr(r, "reason", None)) for r in self.records)
        return [f"{event} {reason}" if reason else event for event, reason in told]

    @property
    def states(self) -> list[str]:
        """Processor and status of each state event."""
        return [f"{state.processor} {state.status}" for state in self.context.states]


def bench(
    *processors: tuple[str, Mapping[str, Any]],
    messages: Sequence[Message] = (),
    history: Sequence[Message] = (),
    capacity: int | None = 1000,
    model: Summarizer | None = None,
    session: Session | None = None,
    folder: Path | None = None,
    sink: DebugSink | None = None,
    environment: dict[str, str] | None = None,
    wording: Wording | None = None,
    faithful: bool = False,
    **limits: Any,
) -> Bench:
    """Return a bench with these messages added in one go; debug records are on.

    `folder` holds the workspace, which is declared as `/w`.
    """
    memory = MemorySink()
    clock = VirtualClock(START)
    engine = ContextEngine(
        ContextEngineConfig(context_window_tokens=capacity, **limits),
        workspace=Workspace("/w", folder or Path("/nonexistent")),
        summarizer=model,
        wording=wording,
        clock=clock,
        sink=sink or memory,
        environment=environment or {},
        faithful=faithful,
    )
    chain = [(name, {"enable_compression_dump": True, **settings}) for name, settings in processors]
    context = asyncio.run(
        engine.create_context("c", session or Session("s"), processors=chain, history=history)
    )
    made = Bench(context, memory, clock, model)
    if messages:
        made.add(*messages)
    return made


async def cancelled(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
