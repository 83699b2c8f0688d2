"""Words of the request and of the call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, UserMessage
from engine.processors.rules.query_terms import hits, query_terms

NOBODY: list[Message] = []


def terms(arguments: object, name: str = "t") -> set[str]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return set(query_terms(NOBODY, ToolCall(name=name, arguments=text)))


def test_words_of_the_latest_request_with_plain_text() -> None:
    messages: list[Message] = [
        UserMessage(content="Fix the OLD one"),
        UserMessage(content="Fix load_config in src/app and C:\\Users at 10"),
        AssistantMessage(content="not mine"),
        UserMessage(content=[{"type": "text", "text": "not this"}]),
    ]

    assert query_terms(messages, None) == {"fix", "load_config", "src", "and"}


def test_names_keys_and_values_but_not_where_and_how() -> None:
    arguments = {
        "pattern": "retry budget",
        "File_Path": "secret/place",
        "limit": "hundred",
        "nested": [{"deep": "value", "path": "unseen"}],
        "flag": None,
    }

    assert terms(arguments, "grep_files") == {
        *("grep_files", "pattern", "retry", "budget", "file_path", "limit"),
        *("nested", "deep", "value", "path", "flag"),
    }


@pytest.mark.parametrize("arguments", ["", "{not json", "null", "[" * 100_000])
def test_odd_arguments_are_no_words(arguments: str) -> None:
    assert terms(arguments, "tool") == {"tool"}


def test_a_term_counts_once_and_inside_words() -> None:
    assert hits({"cache", "err"}, "cached errors in the cache") == 2


@given(st.text())
def test_terms_are_lower_case_and_long_enough(text: str) -> None:
    for term in query_terms([UserMessage(content=text)], None):
        assert len(term) >= 3
        assert term == term.lower()
        assert term in text.lower()
