"""When the agent's model asked for what had been taken out, and what came of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording
from tests.debug_files import START, DebugFolder, check, dump, record
from tests.offload_files import large, original, stored, tried, write_log, write_offload

FIRST, AGAIN = "0123456789abcdef" * 2, "fedcba9876543210" * 2
RELOAD = "reload_original_context_messages"


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path / "ws")


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def write_requests(folder: DebugFolder, *windows: list[dict[str, Any]]) -> None:
    """Write a request per window, each after a check of its own."""
    for at, messages in enumerate(windows):
        asked = record("pre_call", "llm_request", at + 0.5, messages=messages)
        folder.write([check("DialogueCompressor", at, 5), asked])


def trace_of(folder: DebugFolder) -> Recording:
    [trace] = open_traces([folder.root]).traces
    return trace


def test_a_recall_belongs_to_the_first_window_that_shows_it(folder: DebugFolder) -> None:
    asks = [call("r1", RELOAD, offload_handle=FIRST), original("r1")]
    more = [*asks, call("r2", "recall_compressed_context", query="ledger")]
    write_requests(folder, [], asks, more)
    write_offload(folder.session / "offload", FIRST, "c1")
    recalls = trace_of(folder).recalls
    assert [(r.call.handle, r.call.query, r.step, r.resolved) for r in recalls] == [
        (FIRST, None, 2, True),
        (None, "ledger", 3, None),
    ]
    assert recalls[0].time == START + 1.5


def test_what_is_gone_is_not_resolved(folder: DebugFolder) -> None:
    missing = call("r1", RELOAD, offload_handle=FIRST)
    held = call("r2", RELOAD, offload_handle=AGAIN, offload_type="in_memory")
    archive = call("r3", "recall_compressed_context", query="x", memory_id="20260101T000000Z")
    write_requests(folder, [missing, held, archive])
    assert [recall.resolved for recall in trace_of(folder).recalls] == [False, None, False]


def test_a_recall_that_only_a_dump_shows(folder: DebugFolder) -> None:
    written = dump("DialogueCompressor", 2, 9, 5, (0, 2, 1))
    written["context_after"]["messages"].append(call("r1", RELOAD, offload_handle=FIRST))
    folder.write([check("DialogueCompressor", 0, 5), check("DialogueCompressor", 1.9, 5)])
    folder.write_dump(written)
    assert [(recall.call.call_id, recall.step) for recall in trace_of(folder).recalls] == [
        ("r1", 2)
    ]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (RELOAD, {"offload_handle": FIRST, "offload_type": "filesystem"}),
        ("read_file", {"file_path": f"/srv/offload/MessageSummaryOffloader_{FIRST}.json"}),
    ],
)
def test_what_was_reloaded_only_to_be_taken_out_again(
    folder: DebugFolder, tool: str, arguments: dict[str, str]
) -> None:
    write_requests(folder, [original("c1")], [call("r1", tool, **arguments), original("r1")])
    out = [large("c1"), tried("c1"), stored("c1", FIRST)]
    again = [large("r1"), tried("r1"), stored("r1", AGAIN)]
    write_log(folder, [*out, *again])
    for handle, call_id in ((FIRST, "c1"), (AGAIN, "r1")):
        write_offload(folder.session / "offload", handle, call_id)
    trace = trace_of(folder)
    rows = range(len(trace.decisions))
    offloads = {d.tool_call_id: d for row in rows if (d := trace.decision(row)).tool_call_id}
    assert offloads["c1"].reload_of is None
    assert offloads["r1"].reload_of == FIRST
    assert offloads["r1"].to_json()["reload_of"] == FIRST
    row = next(row for row in rows if trace.decision(row).tool_call_id == "c1")
    views = {view.payload.marker.name: view for view in trace.detail(row).handles}
    assert (views[FIRST].again, [r.step for r in views[FIRST].recalls]) == (AGAIN, [2])
    assert (views[AGAIN].again, views[AGAIN].recalls) == (None, ())
