"""The offloader's files: as the original writes them, read by the same models."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.debug.directories import OFFLOADER_VARIABLE, RULE_DUMPS_VARIABLE
from engine.debug.offload_records import (
    OFFLOAD_RECORDS,
    MessageOffloaded,
    OffloadFile,
    OffloadRecord,
    RuleDump,
)
from engine.debug.sinks import FileSink
from engine.messages import read_messages
from engine.session import Session
from tests import tool_results
from tests.conversations import reading
from tests.scripted import START, Bench, bench

HEAD = ["event", "session_id", "context_id", "role", "tool_call_id", "message_metadata"]


def run(folder: Path, *texts: str, setting: str | None = None, **options: Any) -> Bench:
    made = bench(
        ("MessageSummaryOffloader", {"enable_debug_dump": True, "debug_dump_dir": setting}),
        folder=folder,
        sink=FileSink(),
        **options,
    )
    for text in texts:
        made.add(*reading("1", text, "bash"))
    return made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def document(folder: Path) -> Any:
    [path] = folder.iterdir()
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_log_has_neither_time_nor_processor(tmp_path: Path) -> None:
    run(tmp_path, "small", tool_results.log(200))
    log = tmp_path / "context/s_context/message_offloader_debug_logs/message_offloader_debug.jsonl"
    check, triggered, tried, completed, stored = lines(log)

    figures = ["threshold_tokens", "content_tokens"]
    assert list(check) == [*HEAD, "pass_name", "message_index", *figures, "hit", "reason"]
    assert list(triggered) == [
        *HEAD, "pass_name", "message_index", *figures, "content_chars", "original_content"
    ]  # fmt: skip
    rule = ["pass_name", "threshold_tokens", "max_chars", "original_content"]
    assert list(tried) == [*HEAD, *rule]
    assert list(completed) == [*HEAD, *rule, "compressed_content", "compressed_metadata"]
    assert list(stored) == [
        *HEAD, "original_message", "offload_handle", "offload_type", "offload_path",
        "offloaded_content",
    ]  # fmt: skip
    for record in (check, triggered, tried, completed, stored):
        assert OFFLOAD_RECORDS[record["event"]].model_validate(record).to_json() == record


def test_a_rules_dump(tmp_path: Path) -> None:
    run(tmp_path, tool_results.log(200))
    folder = tmp_path / "context/s_context/rule_compression_logs"
    [path] = folder.iterdir()
    dump = document(folder)

    assert path.name == f"{int(dump['timestamp'] * 1000)}_add_LOG_1.json"
    assert list(dump) == [
        "timestamp", "session_id", "context_id", "tool_call_id", "rule_compression_type",
        "rule_compression_pass", "original_chars", "compressed_chars", "details",
        "original_content", "compressed_content",
    ]  # fmt: skip
    assert RuleDump.model_validate(dump).original_content == tool_results.log(200)
    assert dump["details"]["total_lines"] == 200
    assert (dump["original_chars"], dump["compressed_chars"]) == (
        len(dump["original_content"]), len(dump["compressed_content"])
    )  # fmt: skip


def test_a_dump_never_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run(tmp_path)
    monkeypatch.setattr(made.clock, "now", lambda: START)
    made.add(*reading("1", tool_results.log(200), "bash"))
    made.add(*reading("1", tool_results.log(300), "bash"))

    folder = tmp_path / "context/s_context/rule_compression_logs"
    totals = [json.loads(p.read_text())["details"]["total_lines"] for p in sorted(folder.iterdir())]
    assert totals == [200, 300]


def test_a_dump_that_cannot_be_written_is_named_nowhere(tmp_path: Path) -> None:
    (tmp_path / "context/s_context").mkdir(parents=True)
    (tmp_path / "context/s_context/rule_compression_logs").write_text("in the way")
    made = run(tmp_path, tool_results.log(200))
    message = made.context.get_messages()[-1]

    assert message.is_offloaded
    assert "rule_compression_dump_path" not in message.metadata


def test_one_directory_for_both(tmp_path: Path) -> None:
    setting = f"{tmp_path}/{{session_id}}/{{context_id}}"
    made = run(
        tmp_path, tool_results.log(200), setting=setting, session=Session("ä b"),
        environment={OFFLOADER_VARIABLE: "/nowhere", RULE_DUMPS_VARIABLE: "/nowhere"},
    )  # fmt: skip

    assert len(lines(tmp_path / "ä-b/c/message_offloader_debug.jsonl")) == 4
    path = made.context.get_messages()[-1].metadata["rule_compression_dump_path"]
    assert path.startswith(f"{tmp_path}/b/c/")
    assert RuleDump.model_validate_json(Path(path).read_bytes()).session_id == "ä b"


def test_directories_by_environment(tmp_path: Path) -> None:
    logs, dumps = tmp_path / "l", tmp_path / "d"
    run(
        tmp_path, tool_results.log(200),
        environment={OFFLOADER_VARIABLE: str(logs), RULE_DUMPS_VARIABLE: str(dumps)},
    )  # fmt: skip

    assert len(lines(logs / "message_offloader_debug.jsonl")) == 4
    assert document(dumps)["tool_call_id"] == "1"


def test_an_original_file(tmp_path: Path) -> None:
    text = tool_results.prose(40) + "\udc9f"
    made = run(tmp_path, text)
    file = document(tmp_path / "context/s_context/offload")

    assert list(file) == ["offload_handle", "messages"]
    assert file["offload_handle"] == made.context.get_messages()[-1].offload_handle
    [message] = read_messages(OffloadFile.model_validate(file).messages)
    assert message.content == text


@pytest.mark.parametrize("tree", ["e_offloader_rules", "e_offloader_ttl", "d_full_chain"])
def test_files_of_the_original(shared: Path, tree: str) -> None:
    [context] = (shared / "dumps" / tree / "workspace/context").iterdir()
    records = lines(context / "message_offloader_debug_logs/message_offloader_debug.jsonl")
    stored = []
    for data in records:
        record = OFFLOAD_RECORDS[data["event"]].model_validate(data)
        assert type(record) is not OffloadRecord
        assert not record.model_extra
        assert record.to_json() == data
        if isinstance(record, MessageOffloaded):
            stored.append(record.offload_handle)
    handles = []
    for path in (context / "offload").iterdir():
        file = OffloadFile.model_validate_json(path.read_bytes())
        handles.append(file.offload_handle)
        assert not file.model_extra
        assert [m.role for m in read_messages(file.messages)] == ["tool"]
    assert sorted(stored) == sorted(handles)
    for path in (context / "rule_compression_logs").iterdir():
        assert not RuleDump.model_validate_json(path.read_bytes()).model_extra
