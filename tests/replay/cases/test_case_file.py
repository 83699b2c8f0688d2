"""Reading a case from its file, and saying what is wrong with that."""

import json
import os
from pathlib import Path

import pytest

from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import load_case
from inspector.replay.detect import is_case
from inspector.replay.reports.report import load_report


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
        (b"[]", "holds no message"),
        (b'{"messages": []}', "holds no message"),
        (b"[1]", "is not a replay case: top level: should be"),
        (b"{}", "is not a replay case: case: is missing"),
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
