"""Cases to replay in a window, made up or written as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import CaseFile

CURRENT, ROUND = "CurrentRoundCompressor", "RoundLevelCompressor"
TRIGGER = "trigger_context_ratio"
CAPACITY = 4_000


def tool_round(number: int) -> list[dict[str, Any]]:
    """Return a call and its result, with some Chinese."""
    call_id = f"call_{number:04}"
    function = {"name": "read_file", "arguments": json.dumps({"path": f"src/窗口_{number}.py"})}
    line = f"line {number}: 边界差一 the boundary is off by one in src/window_{number}.py\n"
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "content": line * 8, "tool_call_id": call_id},
    ]


def made_up_case(rounds: int = 40, **more: Any) -> CaseFile:
    """Return a case of one user's request and many calls, with a chain of two."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "修复失败的测试 Fix the tests"}]
    for number in range(rounds):
        messages += tool_round(number)
    case = Case.model_validate(
        {
            "id": "made-up",
            "session_id": "会话",
            "context_window_tokens": CAPACITY,
            "processors": [(CURRENT, {TRIGGER: 0.8}), (ROUND, {})],
            "messages": messages,
            **more,
        }
    )
    return CaseFile(case=case)


def write_case(case_file: CaseFile, path: Path) -> Path:
    """Write a case as a file."""
    data = case_file.model_dump(mode="json", exclude_none=True)
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path
