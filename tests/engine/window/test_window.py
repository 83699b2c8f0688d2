"""Windows and statistics (`engine.md` §1.2, §1.6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ContextError
from engine.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolInfo,
    UsageMetadata,
)
from engine.tokens.counters import StringLengthCounter
from engine.tokens.tally import Tally
from engine.window import ContextStats, statistic
from tests.conversations import CONVERSATIONS, conversation
from tests.scripted import Bench, bench

SYSTEM = [SystemMessage(content="s")]


def shape(made: Bench, **limits: int) -> str:
    """Return the roles of a window, system messages first, as letters."""
    return "".join(message.role[0] for message in made.window(**limits).messages)


@pytest.mark.parametrize(
    ("notation", "system", "limits", "roles"),
    [
        ("u a{x} t{x} a u", 1, {}, "suatau"),
        ("u a{x} t{x} a u", 1, {"window_size": 4}, "sau"),  # the result at the cut is dropped
        ("u a{x} t{x} a u", 1, {"window_size": 5}, "satau"),
        ("u a{x} t{x} a u", 2, {"window_size": 2}, "ss"),
        ("u a{x} t{x} a u", 3, {"window_size": 2}, "ss"),
        ("u a{x} t{x} a u", 0, {"window_size": 99}, "uatau"),
        ("u a u a{x} t{x} a u", 0, {"dialogue_round": 1}, "u"),
        ("u a u a{x} t{x} a u", 0, {"dialogue_round": 2}, "uatau"),
        ("u a u a{x} t{x} a u", 0, {"dialogue_round": 9}, "uauatau"),
        ("u a u a{x} t{x} a u", 0, {"dialogue_round": 2, "window_size": 2}, "au"),
        ("u a u a{x} t{x} a u", 1, {"dialogue_round": 1, "window_size": 4}, "su"),
        ("a t{x}", 0, {"dialogue_round": 1}, "at"),
        ("t{x} t{y}", 1, {}, "s"),
        ("t{x} u t{y}", 0, {}, "ut"),
        ("", 1, {}, "s"),
        ("u s a", 1, {}, "susa"),  # one in the middle stays where it is
    ],
)
def test_a_window_is_cut_by_rounds_and_then_by_count(
    notation: str, system: int, limits: dict[str, int], roles: str
) -> None:
    made = bench(messages=conversation(notation))
    made.system = SYSTEM * system
    assert shape(made, **limits) == roles


def test_defaults_come_from_the_settings_and_the_request_wins() -> None:
    made = bench(
        messages=conversation("u a u a u"), default_window_message_num=2, default_window_round_num=2
    )
    assert shape(made) == "au"
    assert shape(made, window_size=9) == "uau"
    assert shape(made, window_size=9, dialogue_round=1) == "u"


@pytest.mark.parametrize("limits", [{"window_size": 0}, {"dialogue_round": -1}])
def test_a_limit_must_be_positive(limits: dict[str, int]) -> None:
    with pytest.raises(ContextError) as caught:
        bench().window(**limits)
    assert caught.value.code == 153001


def test_a_window_s_list_is_no_part_of_the_buffer() -> None:
    made = bench(messages=conversation("u a"))
    made.window().context_messages.clear()
    made.context.get_messages().clear()
    assert len(made.context) == 2


def test_each_message_and_tool_is_counted_as_a_list_of_its_own() -> None:
    made = bench(messages=conversation("u:30 a:30 t{x}:30 s:30"))
    made.system, made.tools = [SystemMessage(content="x" * 60)], [ToolInfo(name="a"), ToolInfo()]
    assert made.window().statistic == ContextStats(
        total_messages=5,
        total_tokens=50 + 20 + 21 + 20 + 55,
        total_dialogues=1,
        system_messages=2,
        user_messages=1,
        assistant_messages=1,
        tool_messages=1,
        tools=2,
        system_message_tokens=27 + 17 + 2 * 3,
        user_message_tokens=17 + 3,
        assistant_message_tokens=18 + 3,
        tool_message_tokens=17 + 3,
        tool_tokens=28 + 27,
    )


def test_valid_usage_is_the_total_and_leaves_the_roles_at_none() -> None:
    usage = UsageMetadata(input_tokens=700, output_tokens=70, total_tokens=770)
    only_output = UsageMetadata(output_tokens=5, total_tokens=5)
    messages: list[Message] = [
        *conversation("u"),
        AssistantMessage(content="a", usage_metadata=usage),
        AssistantMessage(content="a", usage_metadata=only_output),
    ]
    counted = statistic(Tally(StringLengthCounter()).of(messages), (), [ToolInfo(name="a")])
    assert (counted.total_tokens, counted.user_message_tokens) == (700, 0)
    assert (counted.tools, counted.tool_tokens) == (1, 28)
    assert counted.user_messages == 1


@given(CONVERSATIONS, st.lists(st.just(ToolInfo(name="t")), max_size=2))
def test_totals_equal_their_parts(messages: list[Message], tools: list[ToolInfo]) -> None:
    counter = StringLengthCounter()
    counted = statistic(Tally(counter).of(messages), (), tools)
    assert (
        counted.total_messages
        == len(messages)
        == sum(
            (
                counted.system_messages,
                counted.user_messages,
                counted.assistant_messages,
                counted.tool_messages,
            )
        )
    )
    by_role = (
        counted.system_message_tokens
        + counted.user_message_tokens
        + counted.assistant_message_tokens
        + counted.tool_message_tokens
    )
    if by_role:
        assert counted.total_tokens == by_role + counted.tool_tokens
        assert by_role == sum(counter.count_messages([message]) for message in messages)
    assert counted.tool_tokens == sum(counter.count_tools([tool]) for tool in tools)
