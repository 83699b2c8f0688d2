"""Loops of the model: what counts as one, and what takes its place."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from engine.processors.compressors.reasoning_tool_loop import LOOK_BACK
from tests.conversations import CONVERSATIONS, contents, conversation
from tests.scripted import Bench, bench

NAME = "ReasoningToolLoopCompactProcessor"


def turn(
    number: int,
    reasoning: str | None = None,
    arguments: str | None = None,
    tools: Sequence[str] = ("grep",),
    result: str = "nothing",
) -> list[Message]:
    """Return an exchange: one call of each tool, and its result."""
    given = json.dumps({"n": number}) if arguments is None else arguments
    calls = [ToolCall(id=f"{number}{name}", name=name, arguments=given) for name in tools]
    return [
        AssistantMessage(reasoning_content=reasoning, tool_calls=calls),
        *(ToolMessage(content=result, tool_call_id=call.id or "") for call in calls),
    ]


def looping(*turns: list[Message], **settings: Any) -> Bench:
    """Return a bench to which each exchange was added, call and results one by one."""
    made = bench((NAME, settings), messages=conversation("u"))
    for exchange in turns:
        for message in exchange:
            made.add(message)
    return made


def folded(made: Bench) -> bool:
    return f"{NAME} completed" in made.states


def thinking(*reasons: str | None) -> list[list[Message]]:
    return [turn(i, reason) for i, reason in enumerate(reasons)]


def test_the_same_thought_and_tools_three_times_are_folded() -> None:
    made = looping(*thinking("let me look", "let me look", " let me look "))
    [asked, warning] = made.context.get_messages()
    assert asked.role == "user"
    assert isinstance(warning, AssistantMessage)
    assert warning.tool_calls is None
    details = warning.text[warning.text.index("{") : warning.text.rindex("}") + 1]
    shown = json.loads(details)
    assert shown["tool_calls"] == [{"id": "2grep", "name": "grep", "arguments": {"n": 2}}]
    assert shown["tool_results"] == [{"tool_call_id": "2grep", "content": "nothing"}]
    assert shown["reasoning_preview"] == "let me look"
    assert made.context.session.state == {"reasoning_tool_loop_compact_count": 1}
    state = made.context.states[-1]
    assert state.compact_summary == "reasoning_tool_loop_compacted:reasoning_tools"
    assert state.phase == "add_messages"


def test_the_same_calls_five_times_are_folded_whatever_was_thought() -> None:
    turns = [turn(i, f"thought number {i}", '{"q": 1}') for i in range(5)]
    made = looping(*turns)
    assert folded(made)
    assert len(made.context) == 2
    assert "reasoning_preview" not in made.context.get_messages()[1].text
    assert made.context.session.state == {"tool_call_args_loop_compact_count": 1}
    assert made.context.states[-1].compact_summary == "reasoning_tool_loop_compacted:tool_args"


@pytest.mark.parametrize(
    "turns",
    [
        thinking("let me look", "let me look"),
        thinking("let me look", "something else", "let me look"),
        thinking("hm", "hm", "hm"),
        thinking(None, None, None),
        [turn(i, "let me look", tools=("grep",) if i else ("ls",)) for i in range(3)],
        [turn(i, arguments='{"q": 1}') for i in range(4)],
        [turn(i, arguments=f'{{"q": {i % 2}}}') for i in range(6)],
    ],
)
def test_what_differs_is_no_loop(turns: list[list[Message]]) -> None:
    made = looping(*turns)
    assert made.states == []
    assert len(made.context) == 1 + 2 * len(turns)


def test_the_order_of_tools_and_arguments_does_not_count() -> None:
    assert folded(
        looping(*[turn(i, "let me look", tools=("a", "b") if i else ("b", "a")) for i in range(3)])
    )
    arguments = ['{"a": 1, "b": 2}', '{"b":2,"a":1}'] * 3
    assert folded(looping(*[turn(i, arguments=a) for i, a in enumerate(arguments[:5])]))


def test_arguments_are_compared_up_to_a_length() -> None:
    turns = [turn(i, arguments=json.dumps({"q": "x" * 70 + str(i)})) for i in range(5)]
    assert folded(looping(*turns, arguments_max_chars=64))
    assert not folded(looping(*turns))


def test_a_last_round_without_a_thought_is_passed_over_and_goes_too() -> None:
    made = looping(
        turn(0, "let me look"),
        turn(1, "let me look"),
        turn(2, None),
        consecutive_threshold=2,
    )
    assert folded(made)
    assert len(made.context) == 4, "the loop was seen before the last round came"
    both = bench((NAME, {"consecutive_threshold": 2}), messages=conversation("u"))
    both.add(*turn(0, "let me look"), *turn(1, "let me look"), *turn(2, None))
    assert len(both.context) == 2


def test_a_message_in_between_ends_a_loop() -> None:
    two = [*turn(0, "let me look"), *turn(1, "let me look")]
    made = bench((NAME, {}), messages=[*two, *conversation("u"), *turn(2, "let me look")])
    assert made.states == []


def test_only_a_completed_exchange_is_looked_at() -> None:
    made = looping(*thinking("let me look", "let me look"))
    [call, result] = turn(2, "let me look")
    made.add(call)
    assert made.states == []
    made.add(result)
    assert folded(made)


def test_what_stands_before_the_loop_stays() -> None:
    before = [*conversation("u a u"), *turn(9, "another thought")]
    made = bench((NAME, {}), messages=before)
    loop = [message for exchange in thinking("let me look") * 3 for message in exchange]
    made.add(*loop)
    assert contents(made.context.get_messages())[:-1] == contents(before)
    assert len(made.context) == len(before) + 1


def test_after_some_loops_the_model_is_asked_to_stop() -> None:
    made = looping(bailout_threshold=2)
    stop = made.context.wording.tool_loop.cn.stop
    for number in (1, 2, 3):
        for exchange in thinking("let me look") * 3:
            made.add(*exchange)
        warning = made.context.get_messages()[-1].text
        assert warning.endswith(stop) == (number >= 2)
    assert made.context.session.state["reasoning_tool_loop_compact_count"] == 3


def test_it_never_asks_to_stop_where_the_limit_is_off() -> None:
    made = looping(*[turn(i, arguments="{}") for i in range(5)], tool_args_bailout_threshold=0)
    made.context.session.state["tool_call_args_loop_compact_count"] = 50
    for i in range(5):
        made.add(*turn(i, arguments="{}"))
    assert not made.context.get_messages()[-1].text.endswith(made.context.wording.tool_loop.cn.stop)


def test_the_warning_speaks_two_languages() -> None:
    english = looping(*thinking("let me look") * 3, language="en")
    assert english.context.get_messages()[-1].text.startswith("Note: the last 3 rounds")


def test_it_can_be_switched_off() -> None:
    assert not folded(looping(*thinking("let me look") * 3, enabled=False))


def test_on_demand_the_end_of_the_buffer_is_looked_at() -> None:
    made = bench(messages=[m for exchange in thinking("let me look") * 3 for m in exchange])
    looked = bench((NAME, {}))
    made.context.processors = looked.context.processors
    assert asyncio.run(made.context.compress_context()).result == "compressed"
    assert len(made.context) == 1
    assert asyncio.run(made.context.compress_context()).result == "noop"


def test_a_long_history_without_thoughts_is_not_searched_to_its_start() -> None:
    turns = [turn(i) for i in range(LOOK_BACK + 10)]
    history = [message for exchange in turns for message in exchange]
    made = bench((NAME, {}), messages=[*turn(-1, "let me look"), *history])
    assert made.states == []


@given(CONVERSATIONS, st.integers(0, 10))
def test_any_conversation_keeps_what_is_no_loop(messages: list[Message], cut: int) -> None:
    made = bench((NAME, {}))
    made.add(*messages[:cut])
    made.add(*messages[cut:])
    left = contents(made.context.get_messages())
    if folded(made):
        assert len(left) < len(messages)
    else:
        assert left == contents(messages)
