"""Trees that are meant to do harm: every intact record is kept, and nothing outside is read."""

import builtins
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.trace.opened import Opened, open_traces
from tests.debug_files import DebugFolder, Record, check, dump, hit, line, record, span
from tests.offload_files import large, original, ruled, stored, tried, write_log, write_offload

HANDLE = "0123456789abcdef" * 2
IDS = ["../../x", "..", "/etc/passwd", "a/b", "<script>alert(1)</script>", "\x1b[31m\x07", "会话-é"]
NASTY = "<b onclick=x>&amp;</b>\x1b[2J\u202e\u2028\x00 [[OFFLOAD: handle=z, path=/etc/passwd]]"
CURRENT = "CurrentRoundCompressor"


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path / "opened")


@pytest.fixture
def read_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths of all files that are opened from now on."""
    found: list[str] = []
    real = builtins.open

    def noted(file: Any, *args: Any, **named: Any) -> Any:
        found.append(os.path.realpath(file))
        return real(file, *args, **named)

    monkeypatch.setattr(builtins, "open", noted)
    monkeypatch.setattr(io, "open", noted)
    return found


def everything(opened: Opened) -> Iterator[str]:
    """Tell and show all that there is, as JSON."""
    for trace in opened.traces:
        for row in range(len(trace.decisions)):
            yield json.dumps(trace.decision(row).to_json(), allow_nan=False)
            yield repr(trace.detail(row))


def test_nothing_outside_is_read_by_following_a_marker(
    folder: DebugFolder, read_paths: list[str]
) -> None:
    outside = folder.root.parent / "outside.json"
    outside.write_text('{"offload_handle": "h", "messages": []}', encoding="utf-8")
    marker = f"[[OFFLOAD: handle=h, type=filesystem, path={outside}]]"
    path = {"offload_path": str(outside), "offloaded_content": marker}
    write_log(folder, [large("c"), tried("c"), stored("c", "h") | path])
    document = dump(CURRENT, 2, 9, 5, (1, 2, 0))
    document["context_after"]["messages"].append({"role": "user", "content": marker})
    folder.write_dump(document)
    read_paths.clear()
    opened = open_traces([folder.root])
    text = "".join(everything(opened))
    assert f"where='outside', path='{outside}'" in text
    assert read_paths
    assert all(Path(p).is_relative_to(folder.root) for p in read_paths)


@pytest.mark.parametrize("session", IDS)
def test_any_id_is_only_a_name(folder: DebugFolder, session: str, read_paths: list[str]) -> None:
    ids = {"session_id": session}
    records = [hit(CURRENT, 0) | ids, span(CURRENT, 1) | ids, check(CURRENT, 9, 5) | ids]
    folder.write(records)
    folder.write_dump(dump(CURRENT, 2, 9, 5, (1, 2, 0)) | ids)
    write_log(folder, [large("c") | ids, tried("c") | ids, stored("c", HANDLE) | ids])
    write_offload(folder.session / "offload", HANDLE, "c")
    opened = open_traces([folder.root])
    [trace] = opened.traces
    outcomes = [trace.decision(row).outcome for row in range(len(trace.decisions))]
    assert sorted(outcomes[:3]) == ["compressed", "declined", "offloaded"]
    assert trace.session_id == session
    assert all(everything(opened))
    assert all(Path(p).is_relative_to(folder.root) for p in read_paths)


def test_texts_are_shown_as_they_are(folder: DebugFolder) -> None:
    folder.write(
        [hit(CURRENT, 0), span(CURRENT, 1, [{"role": NASTY, "tokens": 1, "preview": NASTY}])]
    )
    log = [large("c", text=NASTY * 9), tried("c", text=NASTY * 9), ruled("c"), stored("c", HANDLE)]
    write_log(folder, [entry | {"tool_call_id": NASTY} for entry in log])
    [trace] = open_traces([folder.root]).traces
    found = [trace.decision(row) for row in range(len(trace.decisions))]
    assert NASTY in {d.tool_call_id for d in found}
    row = next(r for r, d in enumerate(found) if d.outcome == "offloaded")
    windows = trace.detail(row).windows
    assert windows is not None
    assert windows.rows[0].before is not None
    assert windows.rows[0].before.content == NASTY * 9


ODD: list[Record] = [
    {**check(CURRENT, 1, 5), "total_tokens": float("nan")},
    {**check(CURRENT, 2, 5), "timestamp": float("inf")},
    {**check(CURRENT, 3, 5), "context_max": "many", "hit": "no", "reason": 7},
    {**check(CURRENT, 4, 5), "session_id": ["sess"], "extra": {"a": [None] * 3}},
    {**check(CURRENT, 5, 5), "total_tokens": 10**400, "threshold": -(10**400)},
    {**span(CURRENT, 6), "messages_to_compress": {"0": 1}, "protected_tail": [1, None, "x"]},
    {**record("pre_call", "llm_request", 7), "messages": [7, None, {"metadata": []}], "tools": 1},
    {**check(CURRENT, 8, 5), "event": "of_tomorrow"},
]


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_a_value_of_another_form_costs_no_record(folder: DebugFolder, odd: int) -> None:
    processor = ODD[odd]["processor"]
    folder.write([check(processor, 0, 5), ODD[odd], check(processor, 9, 6)])
    opened = open_traces([folder.root])
    [source] = opened.sources
    assert source.records == 3
    assert sum(trace.steps.total.tolist().count(5) for trace in opened.traces) >= 1
    assert all(everything(opened))


@pytest.mark.parametrize(
    "damage",
    [
        b"\x00" * 999,
        b"\xff\xfe\xfd",
        b'{"a":' * 100_000,
        b"[" * 100_000,
        b'"\\ud800"',
        b"NaN",
        b"<html><body>no</body></html>",
        b"\x1f\x8b\x08\x00",
    ],
)
def test_a_line_of_damage_is_one_problem(folder: DebugFolder, damage: bytes) -> None:
    folder.write([check(CURRENT, 0, 5)])
    path = folder.session / "context_debug" / f"{CURRENT}.jsonl"
    before = path.read_bytes()
    path.write_bytes(before + damage + b"\n" + line(check(CURRENT, 1, 6)))
    opened = open_traces([folder.root])
    [source] = opened.sources
    assert source.records == 2
    [problem] = source.problems
    assert (problem.offset, problem.line) == (len(before), 2)
    assert all(everything(opened))


def test_files_that_cannot_be_read_are_one_problem_each(folder: DebugFolder) -> None:
    folder.write([check(CURRENT, 0, 5)])
    (folder.root / "loop").symlink_to(folder.root)
    (folder.root / "dead").symlink_to(folder.root / "nowhere")
    os.mkfifo(folder.root / "pipe")
    (folder.root / "empty.json").touch()
    (folder.root / "noise").write_bytes(bytes(range(256)) * 40)
    opened = open_traces([folder.root])
    assert {Path(p.path).name for p in opened.problems} == {"dead", "pipe", "empty.json"}
    assert len(opened.problems) == 3
    assert len(opened.traces) == 1


def test_a_file_that_goes_away_is_said_to_be_gone(folder: DebugFolder) -> None:
    write_log(folder, [large("c"), tried("c"), stored("c", HANDLE)])
    path = write_offload(folder.session / "offload", HANDLE, "c")
    [trace] = open_traces([folder.root]).traces
    path.unlink()
    assert any("cannot be read any more" in note for note in trace.detail(0).notes)
    assert trace.decision(0).outcome == "offloaded"


def test_a_dump_of_messages_that_are_none(folder: DebugFolder) -> None:
    document = dump(CURRENT, 2, 9, 5, (1, 2, 0))
    document["compression_request"]["messages_sent_to_model"] = [{}, {"role": 7}, {"content": {}}]
    document["context_after"]["messages"] = [{"tool_calls": "no"}, original("c")]
    folder.write_dump(document)
    opened = open_traces([folder.root])
    assert all(everything(opened))
    [trace] = opened.traces
    assert trace.decision(0).outcome == "compressed"


def test_a_dump_with_odd_keys_and_something_behind_it(folder: DebugFolder) -> None:
    path = folder.write_dump(dump(CURRENT, 2, 9, 5, (1, 2, 0)))
    odd = b'"messages_sent_to_model": [{"\\ud800": 1, "tool_call_id": 5}, '
    content = path.read_bytes().replace(b'"messages_sent_to_model": [', odd)
    assert odd in content
    path.write_bytes(content + b" \xff")
    [trace] = open_traces([folder.root]).traces
    assert (trace.decision(0).outcome, trace.decision(0).dump) == ("compressed", str(path))


def test_records_without_any_time(folder: DebugFolder) -> None:
    folder.write([{**check(CURRENT, 0, 5), "timestamp": "soon"}])
    opened = open_traces([folder.root])
    assert all(everything(opened))
    [trace] = opened.traces
    decisions = map(trace.decision, range(len(trace.decisions)))
    [declined] = [d for d in decisions if d.outcome == "declined"]
    assert (declined.time, declined.after, declined.before) == (None, None, None)


def test_a_file_that_becomes_a_pipe_is_not_waited_for(folder: DebugFolder) -> None:
    folder.write([hit(CURRENT, 0), span(CURRENT, 1), check(CURRENT, 9, 5)])
    path = folder.write_dump(dump(CURRENT, 2, 9, 5, (1, 2, 0)))
    opened = open_traces([folder.root])
    path.unlink()
    os.mkfifo(path)
    assert all(everything(opened))
    assert opened.traces[0].decision(0).outcome == "compressed"
