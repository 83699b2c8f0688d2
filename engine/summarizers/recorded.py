"""Recorded answers: in order for a baseline, by what was asked with other settings.

A baseline (`RecordedSummarizer`) plays the replies of a case one after the other and notes on a
cassette what each call got. A run with edited settings (`CassetteSummarizer`) gives the same call
(processor and content of the target span) the same answer or fault. Calls that nobody recorded go
to another summarizer; running out of replies is no error.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from engine.clock import Clock
from engine.errors.model_calls import ModelCallError
from engine.messages import UsageMetadata
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall

NAME = "recorded"

Call = tuple[str, str]
"""Processor and digest of the target."""

DEFAULT_TIMEOUT = 60.0
"""Seconds that pass on the clock for a recorded time-out when the case names no limit."""


class ReplyError(BaseModel):
    """An HTTP error of the model's API."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    status: int | None = None
    message: str | None = None
    type: str | None = None
    code: str | None = None

    @classmethod
    def of(cls, error: ModelCallError) -> Self:
        """Return an error as it is recorded."""
        status = error.status_code
        message = str(error).removeprefix(f"Error code: {status}").removeprefix(" - ")
        return cls(status=status, message=message, type=error.type, code=error.code)


class Reply(BaseModel):
    """One answer of the summary model, or the fault it came to."""

    model_config = ConfigDict(frozen=True)

    content: str | None = None
    usage: UsageMetadata | None = None
    tool_calls: list[dict[str, Any]] | None = None
    error: ReplyError | None = None
    drop: bool = False
    """The connection was closed without an answer."""
    timeout: bool = False

    async def play(self, clock: Clock, time_limit: float) -> SummaryAnswer:
        """Return the answer.

        Raises:
            ModelCallError: the reply is a fault.
        """
        if self.timeout:
            await clock.sleep(time_limit)
            raise _fault("Request timed out.")
        if self.drop:
            raise _fault("Connection error.")
        if self.error is not None:
            error = self.error
            raise _fault(error.message or "", status=error.status, code=error.code, type=error.type)
        return SummaryAnswer(self.content, NAME, self.usage)


def _fault(message: str, **details: Any) -> ModelCallError:
    error = ModelCallError(message, **details)
    error.summarizer = NAME
    return error


class Cassette:
    """What each call was answered, in the order of asking.

    A call is known by a digest of its target, which is only made once somebody asks for an answer.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._noted: list[tuple[SummaryCall, Reply]] = []
        self._replies: defaultdict[Call, list[Reply]] = defaultdict(list)

    def note(self, call: SummaryCall, reply: Reply) -> None:
        """Add what a call got."""
        self._noted.append((call, reply))

    def answer(self, call: SummaryCall, asked: int) -> Reply | None:
        """Return what the call got when it was asked so often before; then what it got last."""
        for noted, reply in self._noted:
            self._replies[_key(noted)].append(reply)
        self._noted.clear()
        replies = self._replies.get(_key(call))
        return replies[min(asked, len(replies) - 1)] if replies else None


class RecordedSummarizer:
    """Plays replies in order, whatever is asked."""

    def __init__(
        self,
        replies: Sequence[Reply],
        otherwise: Summarizer,
        clock: Clock,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Take the replies and who answers after the last one; `timeout` is in seconds."""
        self.cassette = Cassette()
        self._replies = deque(replies)
        self._otherwise = otherwise
        self._clock = clock
        self._timeout = timeout

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the next recorded answer."""
        if not self._replies:
            return await self._otherwise.summarize(call)
        reply = self._replies.popleft()
        self.cassette.note(call, reply)
        return await reply.play(self._clock, self._timeout)


class CassetteSummarizer:
    """Gives a call what the same call got when the cassette was made."""

    def __init__(
        self,
        cassette: Cassette,
        otherwise: Summarizer,
        clock: Clock,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Take the cassette and who answers calls that are not on it; `timeout` is in seconds."""
        self._cassette = cassette
        self._asked: defaultdict[Call, int] = defaultdict(int)
        self._otherwise = otherwise
        self._clock = clock
        self._timeout = timeout

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the recorded answer to this very call, or another summarizer's."""
        reply = self._cassette.answer(call, self._asked[_key(call)])
        if reply is None:
            return await self._otherwise.summarize(call)
        self.pass_over(call)
        return await reply.play(self._clock, self._timeout)

    def pass_over(self, call: SummaryCall) -> None:
        """Count a call as asked without asking it."""
        self._asked[_key(call)] += 1


def _key(call: SummaryCall) -> Call:
    return call.processor, call.target_digest
