"""The minimal loop's summary: what goes, what stays, and when nothing happens."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Message, SystemMessage, ToolMessage
from engine.processors.budget import estimated_tokens
from tests.conversations import CONVERSATIONS, contents, conversation
from tests.scripted import Bench, Script, bench

NAME = "BudgetedSummary"
STORY = conversation("s u:40 a:40 u:40 a:40 u a u a")


def summarised(messages: list[Message], model: Any = None, **settings: Any) -> Bench:
    chain = {"window": 50, "enable_context_debug": True, **settings}
    made = bench((NAME, chain), messages=messages, model=model or Script("brief"))
    made.window()
    return made


def roles(made: Bench) -> str:
    return "".join(message.role[0] for message in made.context.get_messages())


def test_the_middle_becomes_one_system_message() -> None:
    made = summarised(STORY, model := Script("brief"))
    assert roles(made) == "ssuaua"
    head, summary, *recent = made.context.get_messages()
    assert contents([head, *recent]) == contents([STORY[0], *STORY[-4:]])
    assert summary.text == "[历史摘要]\nbrief"
    [call] = model.calls
    [prompt] = call.messages
    assert "[user] " + "x" * 40 in prompt.text
    assert contents(call.target) == contents(STORY[1:5])
    assert made.story == ["threshold_check reached_threshold"]
    assert made.outcomes[0].outcome == "compressed"
    assert made.states == [f"{NAME} started", f"{NAME} completed"]


@pytest.mark.parametrize(("length", "compacted"), [(28, False), (32, True)])
def test_it_acts_above_the_soft_limit_and_not_at_it(length: int, compacted: bool) -> None:
    """35 tokens of 50: four characters make one, and no message is less than one."""
    messages = conversation(f"u:{length} a:104 u a")
    assert estimated_tokens(messages) == length // 4 + 26 + 2
    made = summarised(messages, keep_recent=1)
    assert ("completed" in str(made.states)) == compacted


def test_a_call_stays_with_its_results() -> None:
    made = summarised(conversation("u:90 a:90 a{x,y} t{x} t{y}"), keep_recent=1)
    assert roles(made) == "satt"


def test_a_call_waits_for_its_result() -> None:
    made = summarised(conversation("u:90 a:90 u a{x,y} t{x}"), keep_recent=0)
    assert roles(made) == "sat"
    made.add(*conversation("t{y}:200"))
    made.window()
    assert roles(made) == "s"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty_answer"),
        (None, "empty_answer"),
        ("long " * 200, "no_benefit"),
        (RuntimeError("rate limit"), "rate_limit"),
        (RuntimeError("odd"), "unknown"),
    ],
)
def test_an_answer_that_brings_nothing_changes_nothing(answer: Any, reason: str) -> None:
    made = summarised(STORY, Script(answer))
    assert contents(made.context.get_messages()) == contents(STORY)
    assert (made.outcomes[0].outcome, made.outcomes[0].reason) == ("gave_up", reason)
    assert made.states[-1] == f"{NAME} noop"


def test_without_a_middle_or_a_model_nothing_happens() -> None:
    made = summarised(conversation("s u:400 a:400"))
    assert made.states == []
    inert = bench((NAME, {"window": 50, "model": None}), messages=STORY, model=Script())
    inert.window()
    assert (inert.story, inert.states) == ([], [])


def test_an_earlier_summary_is_no_head() -> None:
    made = summarised(STORY[1:])
    assert roles(made) == "suaua"
    made.add(*conversation("u:200 a:200 u a u a"))
    made.window()
    assert roles(made) == "suaua"
    assert isinstance(made.context.get_messages()[0], SystemMessage)


@given(CONVERSATIONS, st.integers(0, 6))
def test_the_newest_messages_stay_and_no_result_loses_its_call(
    messages: list[Message], keep: int
) -> None:
    made = summarised(messages, keep_recent=keep, window=10)
    left = made.context.get_messages()
    assert (
        contents(left)[len(left) - min(keep, len(messages)) :]
        == (contents(messages)[len(messages) - min(keep, len(messages)) :])
    )
    if keep and f"{NAME} completed" in made.states:
        calls = {call.id for m in left for call in getattr(m, "tool_calls", None) or ()}
        gone = {
            call.id
            for m in messages
            for call in getattr(m, "tool_calls", None) or ()
            if call.id and call.id not in calls  # an empty id names no call
        }
        assert not [m for m in left if isinstance(m, ToolMessage) and m.tool_call_id in gone]
