"""JSON that somebody else wrote."""

import json
from typing import Any

import pytest

from engine.messages import ToolCall
from engine.messages.json_text import read_json

TOO_DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("text", "value"), [("null", None), ('{"a": 1}', {"a": 1}), ("7", 7), ("NaN x", "otherwise")]
)
def test_json_is_read_and_anything_else_told_apart(text: str, value: Any) -> None:
    assert read_json(text, "otherwise") == value


@pytest.mark.parametrize("value", [None, True, False, -1, 2.5, "a", [1], {"b": 2}, float("inf")])
def test_every_kind_of_value_is_read_behind_white_space(value: Any) -> None:
    assert read_json(f" \n{json.dumps(value)} ", "otherwise") == value


@pytest.mark.parametrize("text", ["", "{", TOO_DEEP, "1" * 5_000])
def test_what_cannot_be_read_is_none(text: str) -> None:
    assert read_json(text) is None


@pytest.mark.parametrize(
    ("text", "named"), [('{"a": 1}', {"a": 1}), ("[1]", {}), ("null", {}), ("", {}), ("{", {})]
)
def test_arguments_have_names_where_they_are_an_object(text: str, named: dict[str, Any]) -> None:
    assert ToolCall(arguments=text).named_arguments == named
