"""The two tools that hand back what the window lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.messages import ToolMessage
from engine.recall.reload import RELOAD_TOOL, reload_original_context_messages
from engine.recall.tool import RECALL_TOOL, ToolOutput, recall_compressed_context
from tests.conversations import conversation
from tests.scripted import Bench, Script, bench

ROUND = ("RoundLevelCompressor", {"keep_recent_messages": 1, "trigger_context_ratio": 0.5})
OFFLOADER = ("MessageSummaryOffloader", {"add_message_threshold_ratio": 0.1})
MESSAGE_OFFLOADER = (
    "MessageOffloader",
    {"tokens_threshold": 10, "large_message_threshold": 200, "keep_last_round": False},
)


def compressed(folder: Path, **limits: Any) -> Bench:
    recall = {"enabled": True}
    made = bench(ROUND, model=Script(), folder=folder, compression_recall_config=recall, **limits)
    made.add(*conversation("u a{x} t{x}:2000 a"))
    made.window()
    return made


def ask(made: Bench, **call: Any) -> ToolOutput:
    return asyncio.run(recall_compressed_context(made.context, **call))


def reload(made: Bench, handle: str, kind: str) -> ToolOutput:
    return asyncio.run(reload_original_context_messages(made.context, handle, kind))


def handle_in(text: str) -> str:
    return text.partition("handle=")[2].partition(",")[0]


def test_a_memory_block_names_the_archive_that_the_tool_searches(tmp_path: Path) -> None:
    made = compressed(tmp_path)
    [block, _] = made.context.get_messages()
    memory_id = block.text.partition("[[COMPRESSION_RECALL: id=")[2].partition("]]")[0]
    found = ask(made, query="u", memory_id=memory_id)
    assert found.success
    assert found.data["memory_id"] == memory_id
    assert "## Tool Result: x\n" + "x" * 2000 in found.data["content"]
    assert RECALL_TOOL.parameters["required"] == ["query"]


def test_a_miss_tells_which_archives_there_are(tmp_path: Path) -> None:
    made = compressed(tmp_path)
    missed = ask(made, query="zebra")
    assert missed.success
    assert missed.data["hint"] == missed.data["content"]
    assert missed.data["archives_in_session"][0]["memory_id"] in missed.data["hint"]


def test_what_cannot_be_searched_is_no_success(tmp_path: Path) -> None:
    made = bench(folder=tmp_path)
    answer = ask(made, query="x")
    assert not answer.success
    assert "no archives" in str(answer.error)


def test_a_compression_without_benefit_leaves_no_archive(tmp_path: Path) -> None:
    made = bench(
        ROUND,
        messages=conversation("u:1200 a:400 u"),
        model=Script("S" * 4000),
        folder=tmp_path,
        compression_recall_config={"enabled": True},
    )
    made.window()
    assert made.outcomes[0].reason == "no_benefit"
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_an_archive_that_fails_does_not_stop_the_compression(tmp_path: Path) -> None:
    (tmp_path / "context").write_text("in the way")
    made = compressed(tmp_path)
    assert made.outcomes[0].outcome == "compressed"
    assert "COMPRESSION_RECALL" not in made.context.get_messages()[0].text


def test_an_offloaded_result_comes_back_by_its_handle(tmp_path: Path) -> None:
    made = bench(OFFLOADER, messages=conversation("u a{x} t{x}:5000"), folder=tmp_path)
    shown = made.context.get_messages()[-1].text
    path = shown.partition("path=")[2].removesuffix("]]")
    for name in (handle_in(shown), path):
        answer = reload(made, name, "filesystem")
        assert answer.success, name
        assert answer.data["content"] == "x" * 5000
    assert RELOAD_TOOL.name == "reload_original_context_messages"


def test_an_original_kept_in_memory_comes_back(tmp_path: Path) -> None:
    made = bench()
    [original] = [ToolMessage(content="whole", tool_call_id="x")]
    made.context.offload_messages("h", [original])
    answer = reload(made, "h", "in_memory")
    assert answer.data["content"] == "whole"
    assert not reload(made, "h", "filesystem").success


@pytest.mark.parametrize("handle", ["../secret", "/etc/hostname", "", "nobody", "*", "secret.json"])
def test_nothing_but_originals_is_handed_out(handle: str, tmp_path: Path) -> None:
    made = bench(OFFLOADER, messages=conversation("u a{x} t{x}:5000"), folder=tmp_path)
    (tmp_path / "secret.json").write_text('{"offload_handle": "x", "messages": []}')
    assert not reload(made, handle, "filesystem").success
