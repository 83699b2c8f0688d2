"""What the builders look at: messages before, messages kept, session state, workspace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from engine.messages import Message, ToolCall, ToolMessage
from engine.messages.json_text import read_json
from engine.messages.rounds import completed_api_rounds
from engine.tokens.text import content_text
from engine.wording import Wording
from engine.workspace import Workspace

_DATA = re.compile(r"\bdata=(?=\{)")
_DATA_END = re.compile(r"\}(?=\s+\w+=|$)")

_NO_JSON = object()

Signature = tuple[str, str, str]


class AnsweredCall(NamedTuple):
    """A tool call and the text of its result."""

    call: ToolCall
    result: str


@dataclass(frozen=True)
class Source:
    """The material of all builders."""

    messages: Sequence[Message]
    """The window's context messages before the compression."""
    kept: Sequence[Message]
    """Prefix, memory block and tail."""
    state: Mapping[str, Any]
    session_id: str
    workspace: Workspace | None
    wording: Wording

    @cached_property
    def kept_signatures(self) -> frozenset[Signature]:
        """What the kept messages say."""
        return frozenset(map(signature, self.kept))

    @cached_property
    def rounds(self) -> list[Sequence[Message]]:
        """The completed API rounds, newest first."""
        rounds = completed_api_rounds(self.messages)
        return [self.messages[r.start : r.stop] for r in reversed(rounds)]

    @cached_property
    def results(self) -> Mapping[str, str]:
        """The last result of each call id."""
        return _results(self.messages)

    @cached_property
    def plan_mode(self) -> Mapping[str, Any]:
        """The session's plan mode: in its state, or in what the agent nests below it."""
        return _plan_mode(self.state) or {}

    def answered(self, messages: Sequence[Message], *names: str) -> Iterator[AnsweredCall]:
        """Yield the calls of the named tools that have a result among the same messages."""
        calls = chain.from_iterable(message.calls for message in messages)
        called = [call for call in calls if call.name in names]
        results = _results(messages) if called else {}
        for call in called:
            result = results.get(call.id or "")
            if result is not None:
                yield AnsweredCall(call, result)

    def read_workspace(self, relative: str) -> str | None:
        """Return the text of a file below the workspace, if it is there."""
        if self.workspace is None:
            return None
        return self.workspace.read_text(self.workspace.declared(relative))


def _results(messages: Sequence[Message]) -> Mapping[str, str]:
    """Return the text of the last result of each call id; one without an id belongs to no call."""
    return {
        m.tool_call_id: content_text(m)
        for m in messages
        if isinstance(m, ToolMessage) and m.tool_call_id
    }


def signature(message: Message) -> Signature:
    """Return what makes two messages the same to a builder: role, text and call ids."""
    ids = [call.id or "" for call in message.calls]
    if isinstance(message, ToolMessage):
        ids = [message.tool_call_id]
    return message.role, content_text(message), "|".join(ids)


def parsed_result(text: str) -> Any:
    """Return a tool result as data: JSON, else a `data={…}` fragment, else an empty dictionary."""
    value = read_json(text, otherwise=_NO_JSON) if text else {}
    return _data_fragment(text) if value is _NO_JSON else value


def read_path(call: ToolCall) -> str:
    """Return the path that a `read_file` call names; empty when it names none."""
    given = call.named_arguments
    for key in ("file_path", "path"):
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    for key in ("file_path", "path"):
        written = re.search(rf'"{key}"\s*:\s*"([^"]+)"', call.arguments)
        if written:
            return written.group(1).strip()
    return ""


def with_slashes(path: str) -> str:
    """Return a path lower-cased, backslashes as slashes."""
    return path.replace("\\", "/").lower()


def dictionaries(value: Any) -> list[dict[str, Any]]:
    """Return the dictionaries of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def clipped(text: str, limit: int) -> str:
    """Return the first `limit` characters, with `...` when there were more."""
    return text if len(text) <= limit else text[:limit] + "..."


def _data_fragment(text: str) -> dict[str, Any]:
    start = _DATA.search(text) if "data={" in text else None
    end = start and _DATA_END.search(text, start.end())
    if not (start and end):
        return {}
    try:
        value = ast.literal_eval(text[start.end() : end.end()])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _plan_mode(state: Any) -> Mapping[str, Any] | None:
    """Return the plan mode of a state: its own, its agent's or task's, else an inner state's."""
    if not isinstance(state, Mapping):
        return None
    for holder in (state, state.get("deepagent"), state.get("task_state")):
        mode = holder.get("plan_mode") if isinstance(holder, Mapping) else None
        if isinstance(mode, Mapping):
            return mode
    inner = (state.get(key) for key in ("global_state", "agent_state", "trace_state"))
    return next((mode for each in inner if (mode := _plan_mode(each)) is not None), None)
