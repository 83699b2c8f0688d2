"""The replay report: a run as one JSON document, in the form that `conformance/README.md` fixes.

Windows share most of their messages, so a step lists digests: how many messages are those of the
window before, and the digests of the rest. Each message stands once, in full, under `texts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress, count
from operator import is_not
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from engine.conversation.states import Metric
from engine.debug.offload_records import OffloadRecord
from engine.messages import BaseMessage, Message
from engine.processors.offloaders import MessageSummaryOffloader
from engine.tokens.selection import CounterName
from engine.window import ContextStats
from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import load_json
from inspector.replay.cases.digest import message_digest
from inspector.replay.cases.turn import Turn
from inspector.replay.reports.given import GivenTokens
from inspector.replay.runs.run import Run, Step, WindowResult, roles
from inspector.sources.fault import first_fault


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class WindowMessages(_Part):
    """A window's context messages relative to those of the window before."""

    same_as_previous: int
    then: list[str]
    """Digests; the messages stand in the report's `texts`."""


class WindowReport(_Part):
    """One window."""

    context_messages_before: int
    """Length of the buffer before the request."""
    context_messages: int
    system_messages: int
    roles: str
    total_tokens: int
    """The statistic's total."""
    window_tokens: int | None = None
    """Tokens of the whole window after the chain, as the processors count them."""
    given_tokens: int | None = None
    """The same before the chain, where the checks in `decisions` only estimate it."""
    stats: dict[str, int] = Field(default_factory=dict)
    messages: WindowMessages | None = None


class StateReport(_Part):
    """One state event."""

    processor: str
    status: str
    phase: str
    before: dict[str, int]
    after: dict[str, int] | None = None


class CallReport(_Part):
    """One model call."""

    messages: int
    roles: str
    tools: int = 0


def _with_time(record: dict[str, Any]) -> dict[str, Any]:
    """Refuse a record whose time, where it has one, is no number."""
    if not isinstance(record.get("timestamp", 0.0), int | float):
        raise ValueError("timestamp is no number")
    return record


_Timed = Annotated[dict[str, Any], AfterValidator(_with_time)]


class StepReport(_Part):
    """One window request, one add, or one action."""

    kind: str
    added: int
    extra: list[_Timed] = Field(default_factory=list)
    """Records of this engine's own kinds: `outcome`."""
    decisions: list[_Timed] = Field(default_factory=list)
    """Debug records as the original writes them."""
    states: list[StateReport] = Field(default_factory=list)
    llm: list[CallReport] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list)
    window: WindowReport | None = None
    result: str | int | None = None
    """What an action says of itself: how a compression ended, how many messages were removed."""
    buffer_messages: int | None = None
    """Length of the buffer after an action."""


class Report(_Part):
    """A replay, as it is written to a file."""

    context_max: int
    steps: list[StepReport]
    final_messages: list[dict[str, Any]] = Field(default_factory=list)
    context_statistic: dict[str, int] = Field(default_factory=dict)
    error: str | None = None
    seconds: float | None = None
    """Engine time."""
    session_id: str = ""
    context_id: str = ""
    token_counter: CounterName = "string"
    """What counted tokens where the provider's numbers were missing."""
    capacity_source: str | None = None
    """Who says what the capacity is: `setting`, `model table`, `default`, …"""
    processors: list[tuple[str, dict[str, Any]]] = Field(default_factory=list)
    """The chain with its settings at the start, in order."""
    turns: list[Turn] = Field(default_factory=list)
    """What was changed on the way."""
    summaries: dict[str, int] = Field(default_factory=dict)
    """How many model calls each summarizer answered."""
    insights: dict[str, int | float] = Field(default_factory=dict)
    """Cost and retention of the whole run, where they were asked for."""
    assumed: dict[str, Any] = Field(default_factory=dict)
    gaps: list[dict[str, Any]] = Field(default_factory=list)
    texts: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Messages by digest."""


def make_report(run: Run, insights: Mapping[str, int | float] | None = None) -> Report:
    """Return the report of a run, with its cost and retention where they are given."""
    writer = _WindowWriter()
    given = GivenTokens(run)
    case = run.case
    return Report(
        context_max=run.capacity,
        steps=[_step(step, writer, given) for step in run.steps if not _silent(step)],
        final_messages=[_chat(message) for message in run.final_messages],
        context_statistic=_figures(run.statistic),
        seconds=run.seconds,
        session_id=case.session_id,
        context_id=case.context_id,
        token_counter=case.token_counter,
        capacity_source=run.capacity_source,
        processors=case.processors,
        turns=case.turns,
        summaries=summaries(run),
        insights=dict(insights or {}),
        assumed=case.assumed,
        gaps=[gap.model_dump() for gap in case.gaps],
        texts=writer.texts,
    )


def load_report(path: Path) -> Report | None:
    """Read a report from a file; None where the path is something else.

    Raises:
        CaseError: it is a report, and damaged.
    """
    try:
        data = load_json(path)
    except CaseError:
        return None
    if not isinstance(data, dict) or not {"context_max", "steps"} <= data.keys():
        return None
    try:
        return Report.model_validate(data)
    except ValidationError as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: ValidationError) -> CaseError:
    """Return what to say of a report with something in it that does not fit."""
    return CaseError(f"{path}: is a damaged report: {first_fault(error)}; replay its case again")


def summaries(run: Run) -> dict[str, int]:
    """Return how many model calls each summarizer answered."""
    named = (name for step in run.steps for o in step.outcomes for name in o.summarizers)
    return dict(Counter(named))


class _WindowWriter:
    """Writes each window relative to the one before; a message object is digested once."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, Any]] = {}
        self._digests: dict[int, tuple[Message, str]] = {}
        self._previous: tuple[Message, ...] = ()

    def write(self, messages: tuple[Message, ...]) -> WindowMessages:
        same = _shared_front(self._previous, messages)
        self._previous = messages
        return WindowMessages(
            same_as_previous=same, then=[self._digest(message) for message in messages[same:]]
        )

    def _digest(self, message: Message) -> str:
        known = self._digests.get(id(message))
        if known is None:
            known = self._digests[id(message)] = (message, message_digest(message))
            self.texts.setdefault(known[1], _chat(message))
        return known[1]


def _shared_front(before: Sequence[BaseMessage], after: Sequence[BaseMessage]) -> int:
    differing = compress(count(), map(is_not, before, after))
    return next(differing, min(len(before), len(after)))


def _silent(step: Step) -> bool:
    return step.kind == "add" and not (step.offloads or step.records or step.states or step.calls)


def _step(step: Step, writer: _WindowWriter, given: GivenTokens) -> StepReport:
    return StepReport(
        kind=step.kind,
        added=step.added,
        extra=[outcome.to_json() for outcome in step.outcomes],
        decisions=[
            *map(_offload, step.offloads),
            *(record.to_json() for record in step.records),
        ],
        states=[
            StateReport(
                processor=state.processor,
                status=state.status,
                phase=state.phase,
                before=_size(state.before),
                after=_size(state.after) if state.after else None,
            )
            for state in step.states
        ],
        llm=[
            CallReport(messages=len(call.roles), roles=call.roles, tools=call.tools)
            for call in step.calls
        ],
        files=list(step.files),
        window=_window(step.window, writer, given.of(step)) if step.window else None,
        result=step.result,
        buffer_messages=step.buffer_messages,
    )


def _offload(record: OffloadRecord) -> dict[str, Any]:
    """Return a record of the offloader with its name, which its file does not hold."""
    return {"processor": MessageSummaryOffloader.processor_type(), **record.to_json()}


def _window(window: WindowResult, writer: _WindowWriter, given: int | None) -> WindowReport:
    return WindowReport(
        context_messages_before=window.messages_before,
        context_messages=len(window.messages),
        system_messages=window.system_messages,
        roles=roles(window.messages),
        total_tokens=window.statistic.total_tokens,
        window_tokens=window.tokens,
        given_tokens=given,
        stats=_figures(window.statistic),
        messages=writer.write(window.messages),
    )


def _size(metric: Metric) -> dict[str, int]:
    return {"messages": metric.messages, "tokens": metric.tokens}


def _figures(statistic: ContextStats) -> dict[str, int]:
    return {name: n for name, n in vars(statistic).items() if n}


def _chat(message: Message) -> dict[str, Any]:
    chat: Mapping[str, Any] = message.to_chat()
    return {key: value for key, value in chat.items() if key not in ("metadata", "finish_reason")}
