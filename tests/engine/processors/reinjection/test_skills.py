"""Skills that the agent loaded (`engine.md` G (ii) to (iv))."""

import json
from typing import Any

import pytest

from engine.messages import Message
from tests.conversations import conversation, reading
from tests.recovered import recovered

HEADER = "[STATE_REINJECTION]\n[SKILLS]\n"


def skills(messages: list[Message], kept: list[Message] | None = None) -> str | None:
    return recovered(messages, kept or [], builders=["skills"]).get("skills")


def loaded(number: int, **result: Any) -> list[Message]:
    """Return a round in which a skill is loaded with `skill_tool`."""
    data = {"skill_content": f"text {number}", "skill_directory": f"/skills/s{number}", **result}
    return [*conversation("u"), *reading(f"c{number}", json.dumps(data), tool="skill_tool")]


def told(number: int) -> str:
    return (
        f"skill_skill_name_path_directory_skill_md skill_name=s{number} "
        f"directory=/skills/s{number} content=text {number}"
    )


def test_the_newest_three_oldest_of_them_first() -> None:
    messages = [message for number in range(5) for message in loaded(number)]
    assert skills(messages) == f"{told(2)}\n\n{HEADER}{told(3)}\n\n{HEADER}{told(4)}"


def test_a_round_with_a_kept_message_is_skipped() -> None:
    messages = [*loaded(1), *loaded(2)]
    assert skills(messages, [messages[-1]]) == told(1)
    assert skills(messages, [messages[0]]) is None  # the user's words are the same in both rounds


def test_equal_rounds_count_once() -> None:
    assert skills([*loaded(1), *loaded(1)]) == told(1)


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ({}, True),
        ({"relative_file_path": ""}, True),
        ({"relative_file_path": False}, True),
        ({"relative_file_path": "SKILL.md"}, True),
        ({"relative_file_path": "skill.md"}, False),
        ({"relative_file_path": "docs/more.md"}, False),
    ],
)
def test_which_files_of_a_skill_count(arguments: dict[str, Any], counts: bool) -> None:
    result = json.dumps({"skill_content": "text", "skill_directory": "/skills/x"})
    assert (skills(reading("c", result, tool="skill_tool", **arguments)) is not None) == counts


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"skill_content": " x "}, "skill_name= directory=None content=x"),
        (
            {"skill_content": "x", "skill_directory": "/a/b"},
            "skill_name=b directory=/a/b content=x",
        ),
        ({"skill_content": "  ", "skill_directory": "/a/b"}, None),
        ({"skill_content": 5}, None),
        (["skill_content"], None),
    ],
)
def test_what_a_skill_result_must_hold(result: Any, told: str | None) -> None:
    text = skills(reading("c", json.dumps(result), tool="skill_tool"))
    assert text == (told and f"skill_skill_name_path_directory_skill_md {told}")


def test_a_named_skill_keeps_its_name() -> None:
    result = '{"skill_content": "x", "skill_directory": "/a/b"}'
    text = skills(reading("c", result, tool="skill_tool", skill_name="named"))
    assert "skill_name=named" in str(text)


@pytest.mark.parametrize(
    ("path", "result", "name", "content"),
    [
        ("/s/web/SKILL.md", '{"content": " x "}', "web", "x"),
        ("/s/myskill.md", "data={'content': 'x'} ok=1", "s", "x"),
        ("C:\\s\\Skill.MD", '{"content": "x"}', "", "x"),
        ("/s/SKILL.md", '"x"', "s", '"x"'),
        ("/s/SKILL.md", "plain text", "s", None),
        ("/s/SKILL.md", '{"text": "x"}', "s", None),
        ("/s/other.md", '{"content": "x"}', "s", None),
    ],
)
def test_a_skill_that_was_read_as_a_file(
    path: str, result: str, name: str, content: str | None
) -> None:
    text = skills(reading("c", result, file_path=path))
    named = f"parent_directory_name={name} file_path={path} content={content}"
    expected = f"skill_parent_directory_name_path_file_path {named}"
    assert text == (None if content is None else expected)
