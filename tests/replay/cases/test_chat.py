"""A chat that nobody recorded is replayed with the default chain."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import load_case
from inspector.replay.cases.chat import chat_case
from inspector.replay.runs.runner import replay

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "修复测试 fix the tests"},
    {"role": "assistant", "content": "Done."},
]


def written(folder: Path, data: Any) -> Path:
    path = folder / "对话.json"
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path


def test_the_body_of_a_request_is_a_case(tmp_path: Path) -> None:
    function = {"name": "t", "description": "", "parameters": {}}
    body = {
        "model": "gpt-4o",
        "messages": CHAT,
        "tools": [{"type": "function", "function": function}],
    }
    case = load_case(written(tmp_path, body)).case
    assert case.id == "对话"
    assert case.engine_config().model_name == "gpt-4o"
    assert [tool.name for tool in case.tool_list()] == ["t"]
    assert [message.role for message in case.conversation()] == ["user", "assistant"]
    assert "CurrentRoundCompressor" in dict(case.processors)
    run = asyncio.run(replay(case))
    assert [step.number for step in run.steps if step.window] == [1, 2]
    assert run.capacity_source == "model table"


def test_a_list_of_messages_is_a_case(tmp_path: Path) -> None:
    assert len(load_case(written(tmp_path, CHAT)).case.messages) == 3


@pytest.mark.parametrize("data", [[], {}, [1], {"messages": []}, {"messages": [{"content": "x"}]}])
def test_what_is_no_chat_is_no_case(tmp_path: Path, data: Any) -> None:
    assert chat_case(data, "x") is None
    with pytest.raises(CaseError):
        load_case(written(tmp_path, data))
