"""What a case says of itself, and what is wrong in one."""

from typing import Any

import pytest

from engine.messages import SystemMessage, UserMessage
from inspector.replay.cases.case import Case, CaseError


def case(**fields: Any) -> Case:
    return Case.model_validate({"id": "c1", **fields})


def test_leading_system_messages_go_with_every_request() -> None:
    system, user = {"role": "system", "content": "s"}, {"role": "user", "content": "u"}
    read = case(system_messages=[system], messages=[system, user, system])
    assert read.system() == [SystemMessage(content="s")] * 2
    assert read.conversation() == [UserMessage(content="u"), SystemMessage(content="s")]
    assert case(messages=[system]).conversation() == []
    assert case().system() == []


def test_a_developer_s_message_in_front_goes_with_every_request() -> None:
    developer, user = {"role": "developer", "content": "d"}, {"role": "user", "content": "u"}
    read = case(system_messages=[developer], messages=[developer, user, developer])
    assert read.system() == [SystemMessage(content="d")] * 2
    assert read.conversation() == [UserMessage(content="u"), SystemMessage(content="d")]


def test_what_is_null_counts_as_absent() -> None:
    fields = dict.fromkeys(Case.model_fields)
    del fields["id"]
    assert case(**fields) == case()


def test_the_capacity_of_the_case_wins_over_the_engine_s() -> None:
    read = case(context_window_tokens=5, engine={"context_window_tokens": 7})
    assert read.engine_config().context_window_tokens == 5
    assert case(engine={"context_window_tokens": 7}).engine_config().context_window_tokens == 7


def test_unknown_keys_are_kept_and_unknown_engine_settings_ignored() -> None:
    read = case(area="x", engine={"enable_reload": True})
    assert read.model_dump()["area"] == "x"


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"role": "nobody", "content": "x"}, "messages.1: "),
        ({"content": "x"}, "messages.1: "),
        ({"role": "user", "content": 7}, "messages.1.user.content"),
        ({"role": "user", "content": ["a", 7]}, "messages.1.user.content"),
        ({"role": "user", "content": [None]}, "messages.1.user.content"),
        ({"role": "tool", "content": "x"}, "messages.1.tool.tool_call_id: is missing"),
        ({"content": "x"}, "messages.1: has no role"),
        ({"role": "wizard"}, "messages.1: role 'wizard' is none of 'system', 'user', 'assistant'"),
        ({"role": "assistant", "tool_calls": ["x"]}, "messages.1.assistant.tool_calls.0"),
        (
            {"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]},
            "messages.1.assistant.tool_calls.0.arguments",
        ),
        (
            {"role": "assistant", "usage_metadata": {"total_tokens": "many"}},
            "messages.1.assistant.usage_metadata.total_tokens",
        ),
    ],
)
def test_what_is_no_message_is_named_by_its_place_in_the_file(
    message: dict[str, Any], where: str
) -> None:
    leading = {"role": "system", "content": "s"}
    with pytest.raises(CaseError, match=f"case c1: {where}"):
        case(messages=[leading, message]).conversation()
    with pytest.raises(CaseError, match=r"case c1: system_messages\.0"):
        case(system_messages=[message]).system()


def test_what_is_no_tool_is_named() -> None:
    with pytest.raises(CaseError, match=r"case c1: tools.1.parameters"):
        case(tools=[{"name": "t"}, {"function": {"name": "t", "parameters": []}}]).tool_list()
