"""The message union and its forms (`engine.md` §1.1)."""

import json
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from engine.messages import (
    AssistantMessage,
    ToolCall,
    ToolInfo,
    UsageMetadata,
    UserMessage,
    read_messages,
)
from engine.tokens.counters import StringLengthCounter
from tests.conversations import CHATS

NESTED = {"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}


@given(CHATS)
def test_what_is_written_reads_as_the_same(chat: list[dict[str, Any]]) -> None:
    written = [message.to_chat() for message in read_messages(chat)]
    assert [message.to_chat() for message in read_messages(written)] == written
    json.dumps(written)


def test_an_assistant_message_is_written_with_nested_calls() -> None:
    message = AssistantMessage.model_validate({"role": "assistant", "tool_calls": [NESTED]})
    assert message.to_chat() == {
        "role": "assistant",
        "content": "",
        "tool_calls": [NESTED],
        "finish_reason": "null",
    }


@pytest.mark.parametrize(
    "chat",
    [
        {"role": "user", "content": None},
        {"role": "assistant", "content": None, "metadata": None, "finish_reason": None},
        {"role": "assistant", "tool_calls": None, "usage_metadata": None, "refusal": "x"},
        {"role": "tool", "content": None, "tool_call_id": ""},
    ],
)
def test_null_is_absent_and_unknown_keys_are_dropped(chat: dict[str, Any]) -> None:
    [message] = read_messages([chat])
    assert message.content == ""
    assert message.metadata == {}


def test_null_fields_of_calls_tools_and_usage_are_absent_too() -> None:
    nothing = {"id": None, "type": None, "function": {"name": None, "arguments": None}}
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": None,
        "total_tokens": None,
        "model_name": None,
    }
    message = AssistantMessage.model_validate({"tool_calls": [nothing], "usage_metadata": usage})
    assert message.tool_calls == [ToolCall()]
    assert message.usage_metadata is not None
    assert (message.usage_metadata.input_tokens, message.usage_metadata.total_tokens) == (5, 0)
    tool = {"type": None, "function": {"name": "t", "description": None, "parameters": None}}
    assert ToolInfo.model_validate(tool) == ToolInfo(name="t")


def test_the_engine_s_own_names_of_usage_win() -> None:
    both = {"prompt_tokens": 5, "input_tokens": 7, "output_tokens": 1}
    usage = UsageMetadata.model_validate(both)
    assert (usage.input_tokens, usage.output_tokens) == (7, 1)


@pytest.mark.parametrize(
    "chat", [{"role": "nobody"}, {}, {"role": "user", "content": [1]}, {"role": "tool"}]
)
def test_what_is_no_message_is_refused(chat: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read_messages([chat])


def test_the_text_of_list_content() -> None:
    parts = ["a", {"type": "text", "text": "b"}, {"type": "image_url"}, {}]
    assert UserMessage.model_validate({"content": parts}).text == "a\nb\nimage_url\n"


def test_tools_are_read_flat_and_nested() -> None:
    nested = {"type": "function", "function": {"name": "t", "description": "d", "strict": True}}
    assert ToolInfo.model_validate(nested) == ToolInfo(name="t", description="d")
    assert ToolInfo.model_validate({"name": "t", "description": "d"}) == ToolInfo(
        name="t", description="d"
    )


def test_messages_are_equal_whether_they_were_counted_or_not() -> None:
    counted, fresh = UserMessage(content="x"), UserMessage(content="x")
    StringLengthCounter().count_message(counted)
    assert counted == fresh
