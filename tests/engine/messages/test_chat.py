"""Chats of older and newer versions of OpenAI's protocol."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    read_messages,
)
from engine.messages.chat import current_chat
from engine.processors.spans import protected_tail
from tests.conversations import CHATS


def asks(name: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "function_call": call}


def answers(name: str, content: str = "done") -> dict[str, Any]:
    return {"role": "function", "name": name, "content": content}


@given(CHATS)
def test_a_chat_of_today_stays_as_it_is(chat: list[dict[str, Any]]) -> None:
    assert current_chat(chat) == chat
    assert all(before is after for before, after in zip(chat, current_chat(chat), strict=True))


def test_a_developer_s_message_is_a_system_message() -> None:
    [message] = read_messages([{"role": "developer", "content": "Be brief.", "name": "d"}])
    assert message == SystemMessage(content="Be brief.", name="d")


def test_a_function_s_result_answers_its_call() -> None:
    question = {"role": "user", "content": "Rain?"}
    chat = [question, asks("weather", '{"at": "here"}'), answers("weather")]
    _, call, result = read_messages(chat)
    assert isinstance(call, AssistantMessage)
    [called] = call.calls
    assert (called.name, called.arguments) == ("weather", '{"at": "here"}')
    assert result == ToolMessage(content="done", name="weather", tool_call_id=called.id or "")
    assert "function_call" not in call.to_chat()


def test_calls_of_one_function_are_told_apart() -> None:
    chat = [asks("look"), answers("look"), asks("look"), answers("look")]
    messages = read_messages(chat)
    ids = [call.id for message in messages for call in message.calls]
    assert len(set(ids)) == 2
    assert [m.tool_call_id for m in messages if isinstance(m, ToolMessage)] == ids
    assert protected_tail(messages, 1).start == 2


def test_the_same_chat_gets_the_same_ids() -> None:
    chat = [asks("look", "\ud800"), answers("look")]
    assert current_chat(chat) == current_chat(chat)


def test_a_result_without_a_call_keeps_the_function_s_name() -> None:
    chat = [answers("look"), asks("look"), answers("look"), answers("look")]
    ids = [m.tool_call_id for m in read_messages(chat) if isinstance(m, ToolMessage)]
    assert (ids[0], ids[2]) == ("look", "look")
    assert ids[1] != "look"


def test_a_custom_call_is_read_with_its_text() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    function = {"id": "2", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    [message] = read_messages([{"role": "assistant", "tool_calls": [custom, function]}])
    assert message.calls == [
        ToolCall(id="1", name="sql", arguments="select 1"),
        ToolCall(id="2", name="f", arguments="{}"),
    ]


def test_messages_that_were_read_pass_through() -> None:
    messages = [UserMessage(content="x")]
    assert current_chat(messages) == messages


VALUES = (
    st.sampled_from(["developer", "function", "assistant"])
    | st.none()
    | st.lists(st.none() | st.dictionaries(st.text(), st.text()))
    | st.dictionaries(st.sampled_from(["name", "arguments", "x"]), st.none() | st.text())
)


@given(
    st.lists(
        st.none()
        | st.text()
        | st.dictionaries(st.sampled_from(["role", "name", "function_call", "tool_calls"]), VALUES)
    )
)
def test_nothing_is_too_odd_to_look_at(chat: list[Any]) -> None:
    assert len(current_chat(chat)) == len(chat)
