"""Reading a case, and saying what is wrong with one."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.messages import SystemMessage, UserMessage
from inspector.replay.case import Case, CaseError, load_case
from inspector.replay.detect import is_case
from inspector.replay.report import load_report


def case(**fields: Any) -> Case:
    return Case.model_validate({"id": "c1", **fields})


def test_leading_system_messages_go_with_every_request() -> None:
    system, user = {"role": "system", "content": "s"}, {"role": "user", "content": "u"}
    read = case(system_messages=[system], messages=[system, user, system])
    assert read.system() == [SystemMessage(content="s")] * 2
    assert read.conversation() == [UserMessage(content="u"), SystemMessage(content="s")]
    assert case(messages=[system]).conversation() == []
    assert case().system() == []


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
        ({"role": "developer", "content": "x"}, "messages.1: "),
        ({"content": "x"}, "messages.1: "),
        ({"role": "user", "content": 7}, "messages.1.user.content"),
        ({"role": "user", "content": ["a", 7]}, "messages.1.user.content"),
        ({"role": "user", "content": [None]}, "messages.1.user.content"),
        ({"role": "tool", "content": "x"}, "messages.1.tool.tool_call_id"),
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON at byte 0"),
        (b"{", "is not JSON at byte 1"),
        (b"\xef\xbb\xbf{", "is not JSON at byte 4"),
        ("[\U0001f600".encode("utf-16"), "is not JSON at byte 4"),
        (b'{"id": "\xc3\xa9\xe9"}', "is not JSON at byte 10: .* utf-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5000, "a number is too long"),
        (b"[]", "is not a replay case: top level"),
        (b"{}", "is not a replay case: case"),
        (b'{"case": []}', "is not a replay case: case"),
        (b'{"case": {"mode": "backwards"}}', "case.mode"),
        (b'{"case": {"groups": [[-1, true]]}}', "case.groups.0.0"),
        (b'{"case": {"window_kwargs": {"window_size": 0}}}', "case.window_kwargs.window_size"),
        (b'{"case": {"window_kwargs": {"dialogue_round": -2}}}', "dialogue_round"),
        (b'{"case": {"context_window_tokens": 0}}', "case.context_window_tokens"),
        (b'{"case": {"engine": {"max_context_message_num": -1}}}', "max_context_message_num"),
        (b'{"case": {"timeout": 1e308}}', "case.timeout"),
        (b'{"case": {"processors": ["DialogueCompressor"]}}', "case.processors.0"),
        (b'{"case": {"replies": [{"error": "x"}]}}', "case.replies.0.error"),
    ],
)
def test_a_file_that_is_no_case_says_why(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(content)
    with pytest.raises(CaseError, match=f"case.json: .*{message}"):
        load_case(path)


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read: Is a directory"):
        load_case(tmp_path)
    with pytest.raises(CaseError, match="cannot be read: No such file"):
        load_case(tmp_path / "missing")


def test_a_pipe_is_not_waited_for_nor_a_device_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(CaseError, match="cannot be read: it is no regular file"):
            load_case(path)
        assert load_report(path) is None
        assert not is_case(path)


def test_a_case_is_read_with_its_expectation(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"case": {"id": "x"}, "expected": {"steps": []}}), encoding="utf-8")
    read = load_case(path)
    assert read.case.id == "x"
    assert read.case.replies is None
    assert read.expected == {"steps": []}
