"""Tools whose results stay."""

import json

import pytest

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from engine.processors.offloaders.protection import calls_by_id, is_protected


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(id="1", name=name, arguments=json.dumps(arguments))


@pytest.mark.parametrize(
    ("entries", "protected"),
    [
        (["read_file"], True),
        (["read_*"], False),
        (["other", "read_file"], True),
        (["read_file:*.md"], True),
        (["read_file:docs/?.md"], True),
        (["read_file:*.py"], False),
        (["read_*:*.md"], False),
        (["read_file:7"], False),
        (["read_file:deep"], False),
        (["read_file:"], True),
        ([], False),
    ],
)
def test_names_are_literal_and_globs_match_arguments(entries: list[str], protected: bool) -> None:
    reading = call("read_file", path="docs/a.md", limit=7, inner={"k": "deep"}, empty="")

    assert is_protected(reading, entries) is protected


@pytest.mark.parametrize("arguments", ["", "{no json", "[1]", '"a.md"', "null"])
def test_odd_arguments_match_no_glob(arguments: str) -> None:
    odd = ToolCall(id="1", name="t", arguments=arguments)

    assert not is_protected(odd, ["t:*"])
    assert is_protected(odd, ["t"])


def test_a_result_without_its_call_is_not_protected() -> None:
    assert not is_protected(None, ["read_file"])


def test_the_latest_call_of_an_id_counts() -> None:
    messages: list[Message] = [
        AssistantMessage(tool_calls=[call("old"), ToolCall(id="2", name="two")]),
        ToolMessage(content="", tool_call_id="1"),
        AssistantMessage(tool_calls=[call("first"), call("second"), ToolCall(name="no id")]),
    ]

    assert {key: found.name for key, found in calls_by_id(messages, "12x").items()} == {
        "1": "first",
        "2": "two",
    }


def test_an_empty_id_belongs_to_no_call() -> None:
    calling = AssistantMessage(tool_calls=[ToolCall(id="", name="t")])
    assert calls_by_id([calling], [""]) == {}
