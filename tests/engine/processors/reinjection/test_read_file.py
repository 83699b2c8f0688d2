"""Files that the agent read (`engine.md` G (viii), F.2 and F.3)."""

import json
from typing import Any

import pytest

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from tests.conversations import conversation, reading
from tests.recovered import keyed_wording, recovered


def files(messages: list[Message], kept: list[Message] | None = None) -> str:
    return recovered(messages, kept or [], builders=["read_file"]).get("read_file", "")


def paths(text: str) -> list[str]:
    head = "recently_read_file_file_path file_path="
    return [line.removeprefix(head) for line in text.split("\n") if line.startswith(head)]


def read(number: int, text: str = "x") -> list[Message]:
    return reading(f"c{number}", text, file_path=f"/f{number}")


def test_a_file_with_path_lines_and_text() -> None:
    assert files(reading("c", "a\nb\n", file_path="/a.py")) == (
        "recently_read_file_file_path file_path=/a.py\n"
        "lines_returned_line_count line_count=2\n\na\nb"
    )


def test_the_newest_five_oldest_of_them_first() -> None:
    messages = [message for number in range(8) for message in read(number)]
    assert paths(files(messages)) == ["/f3", "/f4", "/f5", "/f6", "/f7"]


def test_two_reads_of_one_round_come_in_reverse_order() -> None:
    calls = [
        ToolCall(id=name, name="read_file", arguments=f'{{"file_path": "/{name}"}}')
        for name in ("a", "b")
    ]
    results = [ToolMessage(content="x", tool_call_id=name) for name in ("a", "b")]
    messages: list[Message] = [*read(0), AssistantMessage(tool_calls=calls), *results]
    assert paths(files(messages)) == ["/f0", "/b", "/a"]


def test_of_a_path_read_twice_the_newer_text_counts() -> None:
    first, second = (reading(f"c{n}", f"text {n}", file_path="/f") for n in (1, 2))
    text = files([*first, *second])
    assert paths(text) == ["/f"]
    assert text.endswith("text 2")


def test_files_stop_when_fifty_thousand_characters_are_reached() -> None:
    messages = [m for number in range(5) for m in read(number, "x" * 20_000)]
    # 15,000 of each count, so four are taken; of these the section shows the oldest one's start.
    assert paths(files(messages)) == ["/f1"]


def test_an_unfinished_round_is_not_looked_at() -> None:
    call = ToolCall(id="open", name="read_file", arguments='{"file_path": "/open"}')
    other = ToolCall(id="never", name="t")
    messages: list[Message] = [
        *read(1),
        AssistantMessage(tool_calls=[call, other]),
        ToolMessage(content="x", tool_call_id="open"),
    ]
    assert paths(files(messages)) == ["/f1"]


def test_a_call_without_an_id_has_no_result() -> None:
    assert files(reading("", "x", file_path="/arg")) == ""


def test_a_result_whose_path_is_no_text_is_left_out() -> None:
    odd = reading("c", '{"content": "x", "file_path": 4}', file_path="/arg")
    assert paths(files([*read(1), *odd])) == ["/f1"]


def test_an_empty_result_is_none() -> None:
    assert files(reading("c", "", file_path="/arg")) == ""
    assert files(reading("c", " ", file_path="/arg")) != ""


@pytest.mark.parametrize("path", ["/p/.git/x", "/p/node_modules/x", "C:\\p\\__pycache__\\x"])
def test_paths_nobody_wants_back(path: str) -> None:
    assert files(reading("c", "x", file_path=path)) == ""


def test_a_path_that_a_kept_result_shows_as_data_is_left_out() -> None:
    shown = json.dumps({"file_path": "/f1", "content": "x"})
    messages = [*read(1), *read(2)]
    assert paths(files(messages, [ToolMessage(content=shown, tool_call_id="k")])) == ["/f2"]
    assert paths(files(messages, [ToolMessage(content="/f1", tool_call_id="k")])) == ["/f1", "/f2"]


@pytest.mark.parametrize(
    ("result", "path", "lines", "text"),
    [
        ("plain", "/arg", "1", "plain"),
        ('{"content": ""}', "/arg", "0", ""),
        ('{"content": "a", "line_count": 0}', "/arg", "0", "a"),
        ('{"content": "a\\nb"}', "/arg", "2", "a\nb"),
        ('{"content": "a", "file_path": "/own", "line_count": 9}', "/own", "9", "a"),
        ('{"content": "a", "file_path": " "}', " ", "1", "a"),
        ('{"content": "a", "file_path": ""}', "/arg", "1", "a"),
        ('{"content": "a", "line_count": "9"}', "/arg", "unknown", "a"),
        ('{"content": "a", "line_count": null}', "/arg", "1", "a"),
        ('{"content": 5}', "/arg", "1", '{"content": 5}'),
        ('["a"]', "/arg", "1", '["a"]'),
        ("ok data={'content': 'a', 'line_count': 3} more=1", "/arg", "3", "a"),
        ("data={'content': 'a'}\n", "/arg", "1", "a"),
        ("data={'content': 'a'}, more=1", "/arg", "1", "data={'content': 'a'}, more=1"),
        ("data= {'content': 'a'}", "/arg", "1", "data= {'content': 'a'}"),
        ("mydata={'content': 'a'}", "/arg", "1", "mydata={'content': 'a'}"),
        ("data={'content': true}", "/arg", "1", "data={'content': true}"),
        ("data={'content': '} y='}", "/arg", "1", "data={'content': '} y='}"),
        ("data={'a'}", "/arg", "1", "data={'a'}"),
    ],
)
def test_what_a_result_gives(result: str, path: str, lines: str, text: str) -> None:
    written = files(reading("c", result, file_path="/arg"))
    assert (
        written
        == (
            f"recently_read_file_file_path file_path={path}\n"
            f"lines_returned_line_count line_count={lines}\n\n{text}"
        ).strip()
    )


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ('{"file_path": " /a "}', "/a"),
        ('{"path": "/a"}', "/a"),
        ('{"file_path": "", "path": "/a"}', "/a"),
        ('{"file_path": 5, "path": "/a"}', "/a"),
        ('{"file_path": " /a", broken', "/a"),
        ('{"file_path": "", "path": "/a", broken', "/a"),
        ('{"path" : "/a"', "/a"),
        ("[]", ""),
        ("", ""),
    ],
)
def test_where_the_path_of_a_call_stands(arguments: str, path: str) -> None:
    call = ToolCall(id="c", name="read_file", arguments=arguments)
    messages: list[Message] = [
        AssistantMessage(tool_calls=[call]),
        ToolMessage(content="x", tool_call_id="c"),
    ]
    assert paths(files(messages)) == [path]


@pytest.mark.parametrize(
    ("arguments", "partial"),
    [({}, False), ({"offset": 0}, True), ({"limit": 5}, True), ({"offset": None}, False)],
)
def test_a_part_of_a_file_is_said_to_be_one(arguments: dict[str, Any], partial: bool) -> None:
    text = files(reading("c", "x", file_path="/a", **arguments))
    assert ("note_only_part_of_this_file_was" in text) == partial


def test_a_long_file_loses_its_middle_twice() -> None:
    text = files(reading("c", "a" * 10_000 + "b" * 10_000, file_path="/a"))
    mark = keyed_wording().truncation.section.mark
    assert len(text) == 12_000 + len(mark)
    assert keyed_wording().truncation.read_file.mark not in text


def test_a_result_full_of_beginnings_takes_no_time() -> None:
    assert "data={data={" in files(reading("c", "data={" * 100_000, file_path="/a"))


def test_without_reads_there_is_no_section() -> None:
    assert files(conversation("u a{x} t{x} a")) == ""
