"""A run: what a replay leaves, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from engine.conversation.states import ContextCompressionState
from engine.debug.offload_records import OffloadRecord
from engine.debug.records import CompressionDump, DebugRecord, Outcome
from engine.debug.sinks import Line
from engine.messages import Message
from engine.summarizers.call import SummaryAnswer, SummaryCall
from engine.summarizers.recorded import Cassette
from engine.window import ContextStats
from inspector.replay.cases.actions import Result
from inspector.replay.cases.case import Case

SummarizerName = Literal["recorded", "extractive", "openai"]


@dataclass
class SentCall:
    """A model call of a compressor: what went out, and what came back."""

    call: SummaryCall
    answer: SummaryAnswer | None = None
    """None: the call failed."""

    @property
    def roles(self) -> str:
        """First letters of the roles, the prompt included."""
        return roles(self.call.messages)

    @property
    def tools(self) -> int:
        """How many tools were sent along."""
        return len(self.call.tools)


@dataclass(frozen=True)
class WindowResult:
    """What a window request gave."""

    messages_before: int
    """Length of the buffer before the request."""
    messages: tuple[Message, ...]
    """The window's context messages."""
    system_messages: int
    statistic: ContextStats
    tokens: int
    """Tokens of the whole window as the processors count them."""
    capacity: int
    """Tokens that the model could take."""


_MAKING = Lock()
"""A step's records are looked at by the window and by who judges the run, each in its thread."""


@dataclass
class Step:
    """One window request, one add, or one action."""

    kind: str
    """`window`, `add`, or `action:` and the action's name."""
    added: int = 0
    """Messages added so far."""
    new: list[Message] = field(default_factory=list)
    """Those of this step, as the conversation has them."""
    number: int | None = None
    """1-based window request."""
    lines: Sequence[Callable[[], Line]] = ()
    """Makers of the records that the engine wrote, until somebody looks at these."""
    states: Sequence[ContextCompressionState] = ()
    calls: Sequence[SentCall] = ()
    files: Sequence[str] = ()
    dumps: Sequence[Callable[[], CompressionDump]] = ()
    """Makers of the compressions' dumps, in the order of the compressions."""
    window: WindowResult | None = None
    before: tuple[Message, ...] = ()
    """The buffer's messages before the request."""
    result: Result = None
    """What an action says of itself."""
    buffer_messages: int | None = None
    """Length of the buffer after an action."""

    _made: Sequence[Line] = field(default=(), init=False)

    @property
    def told(self) -> Sequence[Line]:
        """The records that the engine wrote, made when somebody looks at them."""
        with _MAKING:
            if self.lines:
                self._made = [build() for build in self.lines]
                self.lines = ()  # they hold all of it once more
            return self._made

    @property
    def offloads(self) -> Sequence[OffloadRecord]:
        """Those of the offloader's log."""
        return [line for line in self.told if isinstance(line, OffloadRecord)]

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """Those that only this engine writes."""
        return [line for line in self.told if isinstance(line, Outcome)]

    @property
    def records(self) -> Sequence[DebugRecord]:
        """The others."""
        others = (line for line in self.told if isinstance(line, DebugRecord))
        return [line for line in others if not isinstance(line, Outcome)]


@dataclass(frozen=True, repr=False)
class Run:
    """A finished or cancelled replay.

    It has no `repr` of its fields: asyncio prints the result of a task more often than one would
    think.
    """

    case: Case
    capacity: int
    capacity_source: str
    steps: list[Step]
    final_messages: list[Message]
    statistic: ContextStats
    seconds: float
    """Engine time; reading the case and writing the report are left out."""
    summarizer: SummarizerName
    cassette: Cassette | None = None
    """What each call was answered, after a baseline with recorded replies."""
    cancelled: bool = False


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Head:
    """The beginning of a run that another one takes over."""

    steps: Sequence[Step] = ()
    """What was done before; no actions."""
    buffer: Sequence[Message] = ()
    """The context's messages behind these steps."""


def roles(messages: Iterable[Message]) -> str:
    """Return the first letters of the messages' roles."""
    return "".join(message.role[0] for message in messages)
