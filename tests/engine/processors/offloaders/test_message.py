"""`MessageOffloader`: when it acts, on what, and what is left."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ContextError
from engine.messages import Message, ToolMessage, read_messages
from tests.conversations import contents, conversation, reading
from tests.scripted import Bench, bench

SMALL = {"tokens_threshold": 100, "large_message_threshold": 50, "trim_size": 5}
STORY = "u a{1} t{1}:600 a{2} t{2}:600 a"


def run(folder: Path, story: str | list[Message] = STORY, **settings: Any) -> Bench:
    messages = conversation(story) if isinstance(story, str) else story
    return bench(("MessageOffloader", {**SMALL, **settings}), messages=messages, folder=folder)


def offloaded(made: Bench) -> list[int]:
    return [i for i, m in enumerate(made.context.get_messages()) if m.is_offloaded]


def test_all_but_the_start_goes_into_a_file(tmp_path: Path) -> None:
    made = run(tmp_path)
    message = made.context.get_messages()[2]
    handle = message.offload_handle
    path = f"/w/context/s_context/offload/MessageOffloader_{handle}.json"

    assert isinstance(message, ToolMessage)
    assert message.content == (
        f"xxxxx...[[OFFLOAD: handle={handle}, type=filesystem, path={path}]]"
    )
    assert (message.tool_call_id, message.offload_type) == ("1", "filesystem")
    file = json.loads((tmp_path / path.removeprefix("/w/")).read_text())
    assert file["offload_handle"] == handle
    [original] = read_messages(file["messages"])
    assert contents([original]) == [("tool", "x" * 600)]
    assert original.message_id == message.message_id
    assert made.states == ["MessageOffloader started", "MessageOffloader completed"]
    assert not made.sink.records
    assert not made.sink.offloads


def test_dumps_name_the_original(tmp_path: Path) -> None:
    user, _, tool, *_ = run(
        tmp_path, "u:600 a{1} t{1}:600 a", offload_message_type=["tool", "user"]
    ).context.get_messages()

    for message in (user, tool):
        chat = message.to_chat()
        assert chat["offload_type"] == "filesystem"
        assert chat["offload_handle"] == message.offload_handle
        assert read_messages([chat])[0].is_offloaded


@pytest.mark.parametrize(
    ("settings", "story", "expected"),
    [
        ({}, STORY, [2, 4]),
        ({}, "u a{1} t{1}:600 a{2} t{2}:600", [2]),
        ({}, "t{1}:600 t{2}:600 u", [0, 1]),
        ({"keep_last_round": False}, "u a{1} t{1}:600 a{2} t{2}:600", [2, 4]),
        ({"keep_last_round": False, "messages_to_keep": 2}, STORY, [2]),
        ({"keep_last_round": False, "messages_to_keep": 6}, STORY, []),
        ({"messages_to_keep": 3}, STORY, [2]),
        ({"tokens_threshold": 10_000}, STORY, []),
        ({"tokens_threshold": 10_000, "messages_threshold": 6}, STORY, []),
        ({"tokens_threshold": 10_000, "messages_threshold": 5}, STORY, [2, 4]),
        ({"large_message_threshold": 600}, STORY, []),
        ({"large_message_threshold": 599}, STORY, [2, 4]),
        ({"offload_message_type": ["assistant"]}, "u a:600 a", [1]),
        ({"offload_message_type": ["user"]}, STORY, []),
        ({"protected_tool_names": ["t"]}, STORY, []),
    ],
)
def test_what_goes(
    tmp_path: Path, settings: dict[str, Any], story: str, expected: list[int]
) -> None:
    assert offloaded(run(tmp_path, story, **settings)) == expected


def test_protection_by_argument(tmp_path: Path) -> None:
    story = [*reading("1", "x" * 600, path="a.md"), *reading("2", "x" * 600, path="a.py")]
    story += conversation("a")

    made = run(tmp_path, story, protected_tool_names=["read_file:*.md"])

    assert offloaded(made) == [3]


def test_the_buffer_is_gone_through_once(tmp_path: Path) -> None:
    made = run(tmp_path, "u a{1} t{1}:290")
    made.add(*conversation("a{2} t{2}:290"))
    first = made.context.get_messages()[2]
    assert offloaded(made) == [2]

    made.add(*conversation("a:400"))

    assert offloaded(made) == [2, 4]
    assert made.context.get_messages()[2] is first


def test_whatever_goes_the_whole_buffer_counts_as_rewritten(tmp_path: Path) -> None:
    made = bench(("MessageOffloader", SMALL), history=conversation("u a"), folder=tmp_path)
    made.add(*conversation("u a{1} t{1}:600 a"))

    assert offloaded(made) == [4]
    assert len(made.context.get_messages(with_history=False)) == 6


def test_what_no_file_takes_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "context").write_text("in the way")
    made = run(tmp_path)
    message = made.context.get_messages()[2]

    assert message.offload_handle is not None
    assert (
        message.content == f"xxxxx...[[OFFLOAD: handle={message.offload_handle}, type=in_memory]]"
    )
    [original] = made.context.offloaded[message.offload_handle]
    assert original.content == "x" * 600


@pytest.mark.parametrize(
    "settings", [{"trim_size": 50}, {"messages_threshold": 4, "messages_to_keep": 4}]
)
def test_settings_that_contradict_each_other(tmp_path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ContextError, match="must be less than"):
        run(tmp_path, **settings)


@given(st.lists(st.sampled_from(["u", "a", "a{1}", "t{1}", "m", "s"]), max_size=12), st.data())
def test_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], data: Any
) -> None:
    sizes = data.draw(st.lists(st.sampled_from([1, 60, 600]), min_size=12, max_size=12))
    story = conversation(" ".join(f"{p}:{n}" for p, n in zip(parts, sizes, strict=False)))
    folder = tmp_path_factory.mktemp("w")
    made = run(folder, [], keep_last_round=data.draw(st.booleans()),
               offload_message_type=["tool", "user", "assistant"])  # fmt: skip
    for message in story:
        made.add(message)

    kept = made.context.get_messages()
    assert [m.role for m in kept] == [m.role for m in story]
    for message, before in zip(kept, story, strict=True):
        if message.is_offloaded:
            path = (
                folder / f"context/s_context/offload/MessageOffloader_{message.offload_handle}.json"
            )
            [original] = read_messages(json.loads(path.read_text())["messages"])
            assert original.content == before.content
        else:
            assert message.content == before.content
