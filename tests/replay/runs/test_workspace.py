"""A replay names the files of offloaded messages and writes none of them."""

import asyncio
from pathlib import Path

from inspector.replay.cases.case import Case
from inspector.replay.reports.report import make_report
from inspector.replay.runs.runner import replay
from inspector.replay.runs.workspace import ReplayWorkspace
from tests import tool_results


def test_a_new_file_is_named_but_not_written(tmp_path: Path) -> None:
    created: list[str] = []
    workspace = ReplayWorkspace("/w", tmp_path, created.append)

    workspace.write_new("/w/a/b.json", "text")

    assert created == ["/w/a/b.json"]
    assert workspace.holds("/w/a/b.json")
    assert not workspace.holds("/w/a/c.json")
    assert list(tmp_path.iterdir()) == []


def test_the_step_that_offloads_lists_the_original_and_the_rules_dump() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    case = Case.model_validate(
        {
            "id": "offload",
            "workspace": "/srv/agent/ws",
            "session_id": "s",
            "context_window_tokens": 1000,
            "processors": [["MessageSummaryOffloader", {}]],
            "messages": [
                {"role": "user", "content": "why does it fail?"},
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "1", "content": tool_results.log(200)},
            ],
        }
    )
    report = make_report(asyncio.run(replay(case)))

    [step] = [step for step in report.steps if step.files]
    assert (step.kind, step.added) == ("add", 3)
    dump, original = step.files
    assert dump.startswith("context/s_context/rule_compression_logs/")
    assert dump.endswith("_add_LOG_1.json")
    handle = next(r["offload_handle"] for r in step.decisions if "offload_handle" in r)
    assert original == f"context/s_context/offload/MessageSummaryOffloader_{handle}.json"
    assert {record["processor"] for record in step.decisions} == {"MessageSummaryOffloader"}
    assert f"path=/srv/agent/ws/{original}]]" in report.final_messages[-1]["content"]
    assert report.final_messages[-1]["offload_type"] == "filesystem"
