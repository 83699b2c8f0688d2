"""The default counter (`engine.md` §3.2) and what it measures (§3.5)."""

import json
from typing import Any

import pytest
from hypothesis import given

from engine.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolInfo,
    ToolMessage,
    UserMessage,
)
from engine.tokens.counters import LIST_FRAME, StringLengthCounter
from tests.conversations import CONVERSATIONS, conversation

COUNTER = StringLengthCounter()
HELLO = UserMessage(content="hello")


def test_the_checked_examples() -> None:
    assert COUNTER.count_messages([HELLO]) == 11
    assert COUNTER.count_messages([HELLO, HELLO]) == 19
    call = ToolCall(id="1", type="function", name="t", arguments="{}")
    assert COUNTER.count_messages([AssistantMessage(content="", tool_calls=[call])]) == 46
    assert COUNTER.count_tools([ToolInfo(name="a", description="b")]) == 28
    assert COUNTER.count("x" * 8) == 2


def test_an_empty_list_is_nothing() -> None:
    assert COUNTER.count_messages([]) == COUNTER.count_tools([]) == 0


@pytest.mark.parametrize("length", [0, 1, 2, 3, 100])
def test_roles_differ_by_the_length_of_their_names(length: int) -> None:
    text = "x" * length
    for message, frame in (
        (UserMessage(content=text), 21),
        (ToolMessage(content=text, tool_call_id="1"), 21),
        (AssistantMessage(content=text), 26),
        (SystemMessage(content=text), 23),
    ):
        assert COUNTER.count_message(message) == (frame + length) // 3


def test_calls_are_measured_flat_with_every_key() -> None:
    call = {"id": "a", "type": "function", "name": "读", "arguments": '{"文": 1}', "index": 3}
    message = AssistantMessage.model_validate({"role": "assistant", "tool_calls": [call, call]})
    flat = {**call, "response_item_id": None}
    calls = len(json.dumps([flat, flat], ensure_ascii=False)) // 3
    assert COUNTER.count_message(message) == 26 // 3 + calls
    assert COUNTER.count_message(AssistantMessage(tool_calls=[])) == 26 // 3


def test_nested_calls_count_as_flat_ones() -> None:
    nested = {"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    flat = {"id": "a", "type": "function", "name": "t", "arguments": "{}"}
    read = [AssistantMessage.model_validate({"tool_calls": [call]}) for call in (nested, flat)]
    assert COUNTER.count_message(read[0]) == COUNTER.count_message(read[1])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (["one", "two"], "one\ntwo"),
        ([{"type": "text", "text": "one"}, "two"], "one\ntwo"),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}], "image_url"),
        ([{"type": "text", "text": ""}, {}], "text\n"),
        ([{"text": None}], ""),
        ([], ""),
        ("data:image/png;base64,AAAA", "[image:data-url-omitted]"),
        ("see data:image/gif;base64,AAAA here", "see [image:data-url-omitted] here"),
        ("data:text/plain;base64,AAAA", "data:text/plain;base64,AAAA"),
    ],
)
def test_what_of_a_content_is_counted(content: Any, text: str) -> None:
    assert COUNTER.count_message(UserMessage(content=content)) == (21 + len(text)) // 3


def test_tools_count_with_name_position_and_compact_parameters() -> None:
    tool = ToolInfo(name="grep", description="找", parameters={"type": "object", "b": [1, 2]})
    body = '{"name":"grep","description":"找","parameters":{"type":"object","b":[1,2]}}'
    first = len("<|start|>functions.grep:0\n" + body + "<|end|>") // 3
    assert COUNTER.count_tools([tool]) == 3 + first
    eleven = COUNTER.count_tools([tool] * 11)
    assert eleven == 3 + 10 * first + (len("<|start|>functions.grep:10\n" + body + "<|end|>") // 3)


@given(CONVERSATIONS)
def test_counting_one_by_one_adds_the_list_s_frame_for_each(messages: list[Message]) -> None:
    alone = [COUNTER.count_messages([message]) for message in messages]
    frame = LIST_FRAME if messages else 0
    assert COUNTER.count_messages(messages) == frame + sum(alone) - LIST_FRAME * len(messages)


def test_a_changed_message_is_counted_anew() -> None:
    message = conversation("u:30")[0]
    before = COUNTER.count_message(message)
    assert COUNTER.count_message(message.revised(content="x" * 60)) == before + 10
    assert COUNTER.count_message(message) == before
