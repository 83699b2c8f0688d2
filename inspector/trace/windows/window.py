"""The messages of a window before and after a compression, and whether they are the real ones.

A dump holds what was sent to the model and the context that resulted; the window before is the
kept messages of the request and the tail, which stands at the end of the result (`engine.md`
appendix D.10). It counts as verified when its tokens are the recorded ones. Tool calls of live
answers, told by a finish reason, were counted with their position as `index`, which dumps leave
out. Dumps of the project's own engine hold the window before as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from engine.debug.records import CompressionDump
from engine.messages import AssistantMessage, Message, ToolInfo, read_messages
from inspector.trace.detail import Evidence, TraceMessage
from inspector.trace.windows.formulas import CURRENT_FORMULAS, Formulas

NO_FINISH = "null"
"""Finish reason of a message that no model just wrote."""

Chat = Sequence[Mapping[str, Any]]
"""Messages in OpenAI's form, as a file holds them."""


@dataclass(frozen=True)
class Window:
    """What was in a window, as the files hold it."""

    system: Chat
    context: Chat
    tools: Chat
    evidence: Evidence
    formulas: Formulas = CURRENT_FORMULAS
    """How its tokens were counted."""


def window_before(dump: CompressionDump, formulas: Formulas = CURRENT_FORMULAS) -> Window:
    """Return the window that a dump's compression worked on, put together where it is not there."""
    request = dump.compression_request
    sent, count = request.messages_sent_to_model, request.system_messages_count
    if dump.context_before is not None:
        return Window(sent[:count], dump.context_before.messages, request.tools, "recorded")
    tail = request.exclude_recent_messages
    after = dump.context_after.messages
    context = [*sent[count:-1], *(after[len(after) - tail :] if tail else [])]
    evidence = evidence_of(context, dump.trigger.total_tokens_before, formulas)
    return Window(sent[:count], context, request.tools, evidence, formulas)


def evidence_of(
    chat: Chat, recorded: int | None, formulas: Formulas = CURRENT_FORMULAS
) -> Evidence:
    """Tell whether rebuilt messages have the tokens that were recorded for them."""
    counts = {tokens_of(chat, indexed, formulas) for indexed in (True, False)}
    return "verified" if recorded is not None and recorded in counts else "reconstructed"


def tokens_of(
    chat: Chat, indexed: bool = True, formulas: Formulas = CURRENT_FORMULAS
) -> int | None:
    """Return the tokens of messages as one list; None where one of them is no message.

    Args:
        chat: The messages.
        indexed: Count the tool calls of live answers with their position.
        formulas: How to count.
    """
    messages = readable(chat, indexed)
    return None if messages is None else formulas.counter.count_messages(messages)


def readable(chat: Chat, indexed: bool = True) -> list[Message] | None:
    """Return the messages as the engine had them; None where one of them is no message."""
    try:
        messages = read_messages(chat)
    except ValidationError:
        return None
    return [_with_index(message) for message in messages] if indexed else messages


def _with_index(message: Message) -> Message:
    if not isinstance(message, AssistantMessage) or message.finish_reason == NO_FINISH:
        return message
    calls = [
        call.model_copy(update={"index": at}) if call.index is None else call
        for at, call in enumerate(message.tool_calls or ())
    ]
    return message.revised(tool_calls=calls) if calls else message


def readable_tools(tools: Chat) -> list[ToolInfo]:
    """Return the tools that have the form of one."""
    found = []
    for tool in tools:
        try:
            found.append(ToolInfo.model_validate(tool))
        except ValidationError:
            continue
    return found


def trace_messages(
    chat: Chat,
    first: int | None = 0,
    estimated: bool = True,
    formulas: Formulas = CURRENT_FORMULAS,
) -> tuple[TraceMessage, ...]:
    """Return messages as they are shown.

    Args:
        chat: The messages.
        first: Position of the first one; None for system messages, which have none.
        estimated: Their tokens are not known to be those that the engine counted.
        formulas: How to count.
    """
    return tuple(
        _trace_message(message, -1 if first is None else first + at, estimated, formulas)
        for at, message in enumerate(chat)
    )


def _trace_message(
    message: Mapping[str, Any], position: int, estimated: bool, formulas: Formulas
) -> TraceMessage:
    parsed = readable([message])
    content = message.get("content")
    content = content if isinstance(content, str | list) else ""
    calls = message.get("tool_calls")
    return TraceMessage(
        position=position,
        role=str(message.get("role", "")),
        content=content,
        tokens=formulas.counter.count_message(parsed[0])
        if parsed
        else len(str(content)) // formulas.chars_per_token,
        estimated=estimated or not parsed,
        message_id=message_id(message),
        name=_text_or_none(message.get("name")),
        tool_calls=tuple(c for c in calls if isinstance(c, dict))
        if isinstance(calls, list)
        else (),
        tool_call_id=_text_or_none(message.get("tool_call_id")),
    )


def message_id(message: Mapping[str, Any]) -> str | None:
    """Return the id that the engine gave a message."""
    metadata = message.get("metadata")
    if not isinstance(metadata, Mapping):
        return None
    return _text_or_none(metadata.get("context_message_id"))


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
