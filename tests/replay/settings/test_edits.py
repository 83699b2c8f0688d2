"""Edits of a case's settings."""

from typing import Any

import pytest

from inspector.replay.cases.case import Case, CaseError
from inspector.replay.settings.edits import Edit, edited, effective, parse_edit

CASE = Case.model_validate(
    {
        "processors": [["RoundLevelCompressor", {"keep_recent_messages": 2}]],
        "context_window_tokens": 8000,
        "engine": {"default_window_message_num": 5, "model_name": "gpt-4o"},
    }
)
BY_MODEL = CASE.model_copy(update={"context_window_tokens": None})


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("A.b=0.5", Edit("A", "b", 0.5)),
        ("A.b=null", Edit("A", "b", None)),
        ("A.b=x=y", Edit("A", "b", "x=y")),
        ("engine.model_name=gpt-4o", Edit("engine", "model_name", "gpt-4o")),
        (' A.b="4"', Edit("A", "b", "4")),
        ("A.b=" + "[" * 50_000, Edit("A", "b", "[" * 50_000)),
    ],
)
def test_an_edit_is_a_setting_with_a_json_value_or_a_word(text: str, edit: Edit) -> None:
    assert parse_edit(text) == edit


@pytest.mark.parametrize("text", ["", "A=1", "A.b", ".b=1", "A.=1", "="])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(CaseError, match=r"expected Processor\.field=value"):
        parse_edit(text)


@pytest.mark.parametrize(
    ("case", "edits", "capacity"),
    [
        (CASE, [], None),
        (CASE, ["RoundLevelCompressor.keep_recent_messages=2"], None),
        (CASE, ['RoundLevelCompressor.keep_recent_messages="2"'], None),
        (CASE, ["RoundLevelCompressor.trigger_context_ratio=0.8"], None),  # the default
        (CASE, ["engine.default_window_message_num=5"], None),
        (CASE, ["engine.context_window_tokens=8000"], None),
        (CASE, [], 8000),
        (BY_MODEL, [], 128_000),  # what the model's table says anyway
        (
            CASE,
            [
                "RoundLevelCompressor.keep_recent_messages=4",
                "RoundLevelCompressor.keep_recent_messages=2",
            ],
            None,
        ),
    ],
)
def test_an_edit_equal_to_the_effective_value_changes_nothing(
    case: Case, edits: list[str], capacity: int | None
) -> None:
    if len(edits) < 2:
        assert edited(case, [parse_edit(text) for text in edits], capacity) == case
    else:
        after = edited(case, [parse_edit(text) for text in edits], capacity)
        assert after.processors == case.processors


@pytest.mark.parametrize(
    ("edits", "capacity", "expected"),
    [
        (["engine.context_window_tokens=500"], None, 500),
        ([], 500, 500),
        (["engine.context_window_tokens=500"], 600, 600),
        (["engine.context_window_tokens=null"], None, None),
    ],
)
def test_the_capacity_can_be_set_both_ways(
    edits: list[str], capacity: int | None, expected: int | None
) -> None:
    after = edited(CASE, [parse_edit(text) for text in edits], capacity)
    assert after.engine_config().context_window_tokens == expected
    assert CASE.engine_config().context_window_tokens == 8000


def test_an_edit_reaches_every_processor_of_the_name_and_leaves_the_case_alone() -> None:
    twice = CASE.model_copy(update={"processors": [*CASE.processors, ("RoundLevelCompressor", {})]})
    after = edited(twice, [Edit("RoundLevelCompressor", "keep_recent_messages", 1)])
    assert [settings["keep_recent_messages"] for _, settings in after.processors] == [1, 1]
    assert twice.processors[1] == ("RoundLevelCompressor", {})


@pytest.mark.parametrize(
    ("edits", "capacity", "message"),
    [
        (["RoundLevelCompressor.keep_recent_messages=-1"], None, "keep_recent_messages"),
        (["RoundLevelCompressor.trigger_context_ratio=1"], None, "trigger_context_ratio"),
        (["RoundLevelCompressor.trigger_context_ratio=high"], None, "got 'high'"),
        (["RoundLevelCompressor.nonsense=1"], None, "has no setting nonsense; it has"),
        (["DialogueCompressor.trigger_context_ratio=0.5"], None, "is not in the chain"),
        (["engine.nonsense=1"], None, "engine has no setting nonsense"),
        (["engine.context_window_tokens=0"], None, "engine.context_window_tokens"),
        (["engine.context_window_tokens=-5"], None, "engine.context_window_tokens"),
        (["engine.context_window_tokens=many"], None, "engine.context_window_tokens"),
        (["engine.default_window_message_num=0"], None, "default_window_message_num"),
        ([], 0, "must be positive"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(
    edits: list[str], capacity: int | None, message: str
) -> None:
    with pytest.raises(CaseError, match=message):
        edited(CASE, [parse_edit(text) for text in edits], capacity)


def test_effective_settings_hold_the_defaults() -> None:
    settings: dict[str, Any] = effective("RoundLevelCompressor", {"keep_recent_messages": 2})
    assert settings["keep_recent_messages"] == 2
    assert settings["trigger_context_ratio"] == 0.8
    with pytest.raises(CaseError, match="cannot find processor type 'Nobody'"):
        effective("Nobody", {})
