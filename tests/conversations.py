"""Conversations for tests: short ones in the notation of `engine.md`, and arbitrary ones.

`u` is a user's message, `m` one that the engine wrote in the user's role, `a` an answer, `a{x,y}`
an assistant calling x and y, `t{x}` the result of x, `s` a system message. A number behind a colon
is the length of the content: `u:2400 a{x} t{x}:90`.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from engine.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    read_messages,
)

_TOKEN = re.compile(r"([umats])(?:\{([^}]*)\})?(?::(\d+))?$")


def conversation(notation: str) -> list[Message]:
    """Return the messages of a line in the notation above."""
    return [_message(token) for token in notation.split()]


def calling(*names: str, content: str = "", arguments: str = "{}") -> AssistantMessage:
    """Return an assistant message that calls tool `t` once for each id."""
    calls = [ToolCall(id=name, name="t", arguments=arguments) for name in names]
    return AssistantMessage(content=content, tool_calls=calls)


def reading(call_id: str, result: str, tool: str = "read_file", **arguments: Any) -> list[Message]:
    """Return a call of a tool with JSON arguments, and its result."""
    call = ToolCall(id=call_id, name=tool, arguments=json.dumps(arguments))
    return [AssistantMessage(tool_calls=[call]), ToolMessage(content=result, tool_call_id=call_id)]


def contents(messages: Sequence[Message]) -> list[tuple[str, Any]]:
    """Return role and content of each message."""
    return [(message.role, message.content) for message in messages]


def _message(token: str) -> Message:
    match = _TOKEN.match(token)
    assert match, f"no message: {token}"
    kind, ids, length = match.groups()
    text = "x" * int(length or 0) if length else kind
    if kind == "u":
        return UserMessage(content=text)
    if kind == "m":
        return UserMessage(content="<system-reminder>" + text)
    if kind == "s":
        return SystemMessage(content=text)
    if kind == "t":
        return ToolMessage(content=text, tool_call_id=ids)
    if ids is None:
        return AssistantMessage(content=text)
    return calling(*ids.split(","), content=text if length else "")


# Arbitrary conversations, as `chat` dictionaries: what a file may hold and the engine accepts.

_CALL_IDS = st.sampled_from(["", "a", "b", "c", "d", "call_1"])
_TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "   ",
            "<system-reminder>be brief",
            "  <memory_block_round>\nold",
            "<recovered_context>",
            "中文内容，长一点的句子。",
            "line\u2028separator",
            "data:image/png;base64,AAAA",
            '{"file_path": "/a.py", "content": "x", "line_count": 1}',
            "Plan file created at: /w/.plans/blue.md",
            "\ud800 a lone surrogate",
        ]
    ),
    st.text(max_size=30),
    st.integers(0, 600).map(lambda n: "word " * n),
    st.integers(0, 600).map(lambda n: "long " * n),
)
_PARTS: st.SearchStrategy[str | dict[str, Any]] = st.one_of(
    _TEXTS,
    _TEXTS.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
    st.just({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
    st.just({}),
)
_CONTENTS = st.one_of(_TEXTS, _TEXTS, st.lists(_PARTS, max_size=3), st.none())
_ARGUMENTS = st.sampled_from(
    ["{}", "", "not JSON", "[1]", '{"file_path": "/a.py"}', '{"path": "/s/SKILL.md", "limit": 3}']
)
_CALLS = st.builds(
    lambda id, name, arguments: {
        "id": id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    st.one_of(st.none(), _CALL_IDS),
    st.sampled_from(["t", "read_file", "skill_tool", "send_message", "enter_plan_mode"]),
    _ARGUMENTS,
)
_USAGE = st.builds(
    lambda read, written: {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
    },
    st.integers(-5, 3000),
    st.integers(0, 300),
)


def _chat(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


CHAT_MESSAGES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(_chat, st.just("user"), _CONTENTS),
    st.builds(_chat, st.just("assistant"), _CONTENTS, usage_metadata=st.none() | _USAGE),
    st.builds(
        _chat,
        st.just("assistant"),
        _CONTENTS,
        tool_calls=st.lists(_CALLS, max_size=3),
        usage_metadata=st.none() | _USAGE,
    ),
    st.builds(_chat, st.just("tool"), _CONTENTS, tool_call_id=_CALL_IDS),
    st.builds(_chat, st.just("system"), _CONTENTS),
)
CHATS: st.SearchStrategy[list[dict[str, Any]]] = st.one_of(
    st.lists(CHAT_MESSAGES, max_size=5), st.lists(CHAT_MESSAGES, min_size=6, max_size=16)
)
CONVERSATIONS: st.SearchStrategy[list[Message]] = CHATS.map(read_messages)

_RATIOS = st.sampled_from([0.01, 0.1, 0.3, 0.5, 0.8])
_SETTINGS = {
    "trigger_context_ratio": _RATIOS,
    "min_target_context_ratio": st.sampled_from([0.0, 0.01, 0.1, 0.3]),
}
_KEEP = {**_SETTINGS, "keep_recent_messages": st.integers(0, 6)}
PROCESSORS: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.tuples(st.just("DialogueCompressor"), st.fixed_dictionaries(_SETTINGS)),
    st.tuples(st.just("CurrentRoundCompressor"), st.fixed_dictionaries(_KEEP)),
    st.tuples(st.just("RoundLevelCompressor"), st.fixed_dictionaries(_KEEP)),
)
CHAINS: st.SearchStrategy[list[tuple[str, dict[str, Any]]]] = st.lists(PROCESSORS, max_size=3)
LIMITS: st.SearchStrategy[dict[str, int | None]] = st.fixed_dictionaries(
    {
        "max_context_message_num": st.none() | st.integers(1, 9),
        "default_window_message_num": st.none() | st.integers(1, 9),
        "default_window_round_num": st.none() | st.integers(1, 3),
    }
)

# The whole chain: every processor at most once, in any order, all of them easily provoked.

_SMALL = st.sampled_from([0.01, 0.05, 0.2])
_OTHERS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "MessageOffloader": {
        "tokens_threshold": st.integers(1, 800),
        "large_message_threshold": st.just(200),
        "keep_last_round": st.booleans(),
    },
    "MessageSummaryOffloader": {
        "add_message_threshold_ratio": _SMALL,
        "ttl_seconds": st.sampled_from([0, 60]),
        "ttl_context_occupancy_ratio": _SMALL,
        "ttl_message_threshold_ratio": _SMALL,
    },
    "SessionMemoryCompressor": {"enabled": st.booleans(), "trigger_context_ratio": _RATIOS},
    "ReasoningToolLoopCompactProcessor": {
        "consecutive_threshold": st.just(2),
        "tool_args_consecutive_threshold": st.just(2),
    },
    "ObservationMasking": {"soft_ratio": _RATIOS, "keep_recent": st.integers(0, 6)},
    "BudgetedSummary": {"soft_ratio": _RATIOS, "keep_recent": st.integers(0, 6)},
    "DialogueCompressor": _SETTINGS,
    "CurrentRoundCompressor": _KEEP,
    "RoundLevelCompressor": _KEEP,
}
WHOLE_CHAINS: st.SearchStrategy[list[tuple[str, dict[str, Any]]]] = st.lists(
    st.one_of(
        *(
            st.tuples(st.just(name), st.fixed_dictionaries(fields))
            for name, fields in _OTHERS.items()
        )
    ),
    max_size=5,
    unique_by=lambda entry: entry[0],
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """Draw a conversation as an agent has it: every call has an id of its own and its results."""
    messages: list[Message] = []
    for number in range(draw(st.integers(1, 5))):
        messages.append(UserMessage(content=draw(_TEXTS)))
        for turn in range(draw(st.integers(0, 3))):
            names = [f"{number}.{turn}.{i}" for i in range(draw(st.integers(1, 3)))]
            arguments = draw(_ARGUMENTS)
            reasoning = draw(st.sampled_from([None, "the same as before"]))
            call = calling(*names, arguments=arguments)
            messages.append(call.revised(reasoning_content=reasoning))
            messages += [ToolMessage(content=draw(_TEXTS), tool_call_id=n) for n in names]
        if draw(st.booleans()):
            messages.append(AssistantMessage(content=draw(_TEXTS)))
    return messages
