"""Notices that the model goes in circles, and folds the repetitions into one warning.

The second revision of `ReasoningToolLoopCompactProcessor` (`engine.md` §5.10). It acts as messages
are added: when the newest exchanges with tools repeat the same reasoning and tools, or the same
calls, one assistant message takes their place. No model is asked, and nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from engine.conversation import Conversation
from engine.debug.records import TestedGate
from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from engine.messages.json_text import read_json
from engine.messages.rounds import completed_api_rounds
from engine.processors.base import ContextEvent, ContextProcessor, RecordedConfig
from engine.processors.registry import register
from engine.tokens.text import content_text

LoopKind = Literal["reasoning_tools", "tool_args"]

_Fingerprint = Callable[[AssistantMessage], Hashable | None]

STATE_KEYS: dict[LoopKind, str] = {
    "reasoning_tools": "reasoning_tool_loop_compact_count",
    "tool_args": "tool_call_args_loop_compact_count",
}
"""Keys of the session's state that count how often each kind of loop was folded."""

LOOK_BACK = 200
"""Rounds that are looked at, so that the work for each new message does not grow."""


class ReasoningToolLoopCompactProcessorConfig(RecordedConfig):
    """What counts as going in circles."""

    enabled: bool = True
    consecutive_threshold: int = Field(default=3, ge=2)
    """Exchanges with the same reasoning and tools that make a loop."""
    tool_args_consecutive_threshold: int = Field(default=5, ge=2)
    """Exchanges with the same calls that make a loop."""
    arguments_max_chars: int = Field(default=2048, ge=64)
    """Characters of a call's arguments that are compared."""
    reasoning_min_chars: int = Field(default=4, ge=1)
    """Reasoning that is shorter says nothing."""
    reasoning_preview_max_chars: int = Field(default=512, ge=1)
    """Characters of the reasoning that the warning shows."""
    language: Literal["cn", "en"] = "cn"
    """Language of the warning."""
    bailout_threshold: int = Field(default=3, ge=0)
    """Loops of reasoning and tools after which the warning asks the model to stop; 0: never."""
    tool_args_bailout_threshold: int = Field(default=2, ge=0)
    """The same for loops of equal calls."""


@dataclass(frozen=True)
class _ToolRound:
    """An assistant message with calls, and the results of all of them right behind it."""

    start: int
    """Position of the assistant message."""
    call: AssistantMessage
    results: Sequence[ToolMessage]


@dataclass(frozen=True)
class _Loop:
    kind: LoopKind
    rounds: Sequence[_ToolRound]
    """The repetitions, oldest first."""
    runs: Mapping[LoopKind, Sequence[_ToolRound]]
    """The rounds that were alike in each way that was looked at, in order."""


@register
class ReasoningToolLoopCompactProcessor(ContextProcessor[ReasoningToolLoopCompactProcessorConfig]):
    """Folds the repetitions of a loop into one warning."""

    config_model = ReasoningToolLoopCompactProcessorConfig

    async def trigger_add_messages(self, context: Conversation, messages: list[Message]) -> bool:
        """Return whether the conversation, as it would be, ends in a loop."""
        return self._loop([*context.get_messages(), *messages]) is not None

    async def on_add_messages(
        self, context: Conversation, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        """Put the warning in the loop's place; nothing is appended."""
        everything = [*context.get_messages(), *messages]
        loop = self._loop(everything)
        if loop is None:
            return None, messages
        start = loop.rounds[0].start
        count = context.session.state.get(STATE_KEYS[loop.kind])
        count = (count if isinstance(count, int) else 0) + 1
        context.session.state[STATE_KEYS[loop.kind]] = count
        warning = AssistantMessage(content=self._warning(context, loop, count))
        folded = context.set_messages([*everything[:start], warning])
        self.end(
            context,
            "folded",
            gates=self._gates(loop),
            before=everything,
            after=folded,
            replaced=everything[start:],
            replacement=folded[start:],
        )
        event = ContextEvent(
            self.processor_type(),
            range(start, len(everything)),
            f"reasoning_tool_loop_compacted:{loop.kind}",
        )
        return event, []

    def _loop(self, messages: Sequence[Message]) -> _Loop | None:
        """Return the loop at the end of the messages, if there is one."""
        if not self.config.enabled:
            return None
        runs: dict[LoopKind, Sequence[_ToolRound]] = {}
        for kind, (fingerprint, least) in self._tests().items():
            rounds = runs[kind] = _repeated(messages, fingerprint)
            if len(rounds) >= least:
                break
        else:
            return None
        completed = completed_api_rounds(messages)
        ends_there = bool(completed) and completed[-1].stop == len(messages)
        return _Loop(kind, rounds, runs) if ends_there else None

    def _tests(self) -> dict[LoopKind, tuple[_Fingerprint, int]]:
        """Return what is compared, and how many equal rounds in a row make a loop."""
        config = self.config
        return {
            "reasoning_tools": (self._reasoning_and_tools, config.consecutive_threshold),
            "tool_args": (self._calls, config.tool_args_consecutive_threshold),
        }

    def _gates(self, loop: _Loop) -> list[TestedGate]:
        tests = self._tests()
        return [
            TestedGate.of(kind, kind == loop.kind, len(rounds), tests[kind][1], "rounds")
            for kind, rounds in loop.runs.items()
        ]

    def _reasoning_and_tools(self, message: AssistantMessage) -> Hashable | None:
        reasoning = (message.reasoning_content or "").strip()
        if len(reasoning) < self.config.reasoning_min_chars:
            return None
        return reasoning, tuple(sorted(call.name for call in message.calls))

    def _calls(self, message: AssistantMessage) -> Hashable:
        limit = self.config.arguments_max_chars
        return tuple(sorted((call.name, _canonical(call)[:limit]) for call in message.calls))

    def _warning(self, context: Conversation, loop: _Loop, count: int) -> str:
        latest = loop.rounds[-1]
        shown: dict[str, Any] = {
            "tool_calls": [
                {"id": call.id, "name": call.name, "arguments": _arguments(call)}
                for call in latest.call.calls
            ],
            "tool_results": [
                {"tool_call_id": result.tool_call_id, "content": content_text(result)}
                for result in latest.results
            ],
        }
        if loop.kind == "reasoning_tools":
            reasoning = (latest.call.reasoning_content or "").strip()
            shown["reasoning_preview"] = reasoning[: self.config.reasoning_preview_max_chars]
        limits = {
            "reasoning_tools": self.config.bailout_threshold,
            "tool_args": self.config.tool_args_bailout_threshold,
        }
        stop = 0 < limits[loop.kind] <= count
        return context.wording.tool_loop.warning(
            self.config.language,
            loop.kind,
            stop=stop,
            rounds=len(loop.rounds),
            details=json.dumps(shown, ensure_ascii=False, indent=2),
        )


def _repeated(messages: Sequence[Message], fingerprint: _Fingerprint) -> list[_ToolRound]:
    """Return the last rounds that have a fingerprint, as far back as it stays the same."""
    run: list[_ToolRound] = []
    latest: Hashable | None = None
    for tool_round in islice(_rounds_from_the_end(messages), LOOK_BACK):
        mark = fingerprint(tool_round.call)
        if mark is None and not run:
            continue
        if run and mark != latest:
            break
        latest = mark
        run.append(tool_round)
    return run[::-1]


def _rounds_from_the_end(messages: Sequence[Message]) -> Iterator[_ToolRound]:
    """Yield the rounds that follow one another without a gap, newest first."""
    end = len(messages)
    while end > 0:
        start = end
        while start > 0 and isinstance(messages[start - 1], ToolMessage):
            start -= 1
        call = messages[start - 1] if start > 0 else None
        results = [m for m in messages[start:end] if isinstance(m, ToolMessage)]
        if not isinstance(call, AssistantMessage) or not _answers(call, results):
            return
        yield _ToolRound(start - 1, call, results)
        end = start - 1


def _answers(message: AssistantMessage, results: Sequence[ToolMessage]) -> bool:
    named = all(call.id and call.name for call in message.calls)
    called = {call.id for call in message.calls}
    return bool(called) and named and called == {result.tool_call_id for result in results}


def _arguments(call: ToolCall) -> Any:
    """Return what a call's arguments say, or their text where it is no JSON."""
    return read_json(call.arguments, otherwise=call.arguments)


def _canonical(call: ToolCall) -> str:
    """Return a call's arguments in a form in which order and white space do not count."""
    arguments = _arguments(call)
    if isinstance(arguments, str):
        return arguments.strip()
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
