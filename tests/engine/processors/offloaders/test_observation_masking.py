"""The minimal loop's masking: which results go, and what is left of them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Message, ToolMessage
from tests.conversations import CONVERSATIONS, conversation
from tests.scripted import Bench, bench

NAME = "ObservationMasking"
STORY = conversation("u a{1} t{1}:200 a{2} t{2}:200 a{3} t{3}:200 a")


def masked(messages: list[Message], **settings: Any) -> Bench:
    chain = {"window": 50, "enable_context_debug": True, **settings}
    made = bench((NAME, chain), messages=messages)
    made.window()
    return made


def texts(made: Bench) -> list[str]:
    return [m.text for m in made.context.get_messages() if isinstance(m, ToolMessage)]


def line(call_id: str) -> str:
    return f"[tool result elided to save context; tool_call_id={call_id}]"


def test_old_results_are_masked_in_window_and_buffer() -> None:
    made = masked(STORY)
    assert texts(made) == [line("1"), "x" * 200, "x" * 200]
    assert made.context.get_messages()[2].message_id
    assert made.story == ["threshold_check reached_threshold"]
    assert made.states == [f"{NAME} started", f"{NAME} completed"]
    again = made.window()
    assert made.states[2:] == [], "a masked result is masked once"
    assert again.context_messages == made.context.get_messages()


def test_what_the_window_does_not_show_stays_in_the_buffer() -> None:
    chain = {"window": 50, "keep_recent": 1}
    made = bench((NAME, chain), messages=STORY)
    made.window(window_size=4)
    assert texts(made) == ["x" * 200, line("2"), line("3")]


def test_a_window_within_its_budget_stays_as_it_is() -> None:
    made = masked(STORY, window=1000)
    assert texts(made) == ["x" * 200] * 3
    assert made.story == ["threshold_check below_threshold"]
    assert made.states == []


@given(CONVERSATIONS, st.integers(0, 8))
def test_only_old_results_change_and_ids_stay(messages: list[Message], keep: int) -> None:
    made = bench((NAME, {"window": 1, "keep_recent": keep}), messages=messages)
    before = made.context.get_messages()
    made.window()
    after = made.context.get_messages()
    assert [m.message_id for m in after] == [m.message_id for m in before]
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        if isinstance(old, ToolMessage) and i < len(before) - keep:
            assert new.text == line(old.tool_call_id)
            assert isinstance(new, ToolMessage)
            assert new.tool_call_id == old.tool_call_id
        else:
            assert new is old
