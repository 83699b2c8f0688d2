"""Whose a file is that names no session: told by the records beside it, else by its folder."""

from pathlib import Path

import pytest

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.evidence.folders import Folders, archives_folder
from inspector.trace.opened import open_traces
from tests.debug_files import check, line
from tests.offload_files import write_archive, write_offload

HANDLE = "0123456789abcdef" * 2
ODD = ["a/b", "team/alpha:agent 1", "会话-é 1", "x.y.z", " spaced ", "-", "a_context", "context"]


def folders(root: Path) -> Folders:
    return Folders(list(scan([root], HeadPool())))


def write_records(folder: Path, session: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    records = line(check("DialogueCompressor", 0, 5) | {"session_id": session})
    (folder / "DialogueCompressor.jsonl").write_bytes(records)


@pytest.mark.parametrize("session", [*ODD, "..", "../../x", ""])
def test_the_records_beside_a_file_tell(tmp_path: Path, session: str) -> None:
    home = tmp_path / "ws" / "context" / "whatever_context"
    write_records(home / "context_debug", session or "other")
    path = write_offload(home / "offload", HANDLE, "c")
    assert folders(tmp_path).session_of(str(path)) == (session or "other")


@pytest.mark.parametrize("session", ODD)
def test_without_records_the_folder_is_as_the_engine_names_it(tmp_path: Path, session: str) -> None:
    path = write_offload(
        tmp_path / "ws" / "context" / f"{session}_context" / "offload", HANDLE, "c"
    )
    expected = session.removeprefix("/")
    if session == "context":  # context/context_context
        expected = "context"
    assert folders(tmp_path).session_of(str(path)) == expected


@pytest.mark.parametrize("session", ["a/b", "会话-é 1"])
def test_without_a_workspace_originals_lie_below_their_session(
    tmp_path: Path, session: str
) -> None:
    path = write_offload(tmp_path / "memory" / "offloads" / session, HANDLE, "c", "")
    assert folders(tmp_path).session_of(str(path)) == session


def test_everything_in_one_folder(tmp_path: Path) -> None:
    write_records(tmp_path, "s/1")
    path = write_offload(tmp_path, HANDLE, "c")
    assert folders(tmp_path).session_of(str(path)) == "s/1"
    [trace] = open_traces([tmp_path]).traces
    assert (trace.session_id, trace.context_id) == ("s/1", "main")
    assert "offloaded" in {trace.decision(row).outcome for row in range(len(trace.decisions))}


def test_a_folder_of_several_sessions_tells_none_unless_by_its_name(tmp_path: Path) -> None:
    for session in ("one", "two"):
        write_records(tmp_path / session / "context_debug", session)
    shared = tmp_path / "two_context"
    for session in ("one", "two"):
        write_records(shared / session, session)
    (shared / "context_debug").mkdir()
    both = line(check("D", 0, 5) | {"session_id": "one"}) + line(
        check("D", 0, 5) | {"session_id": "two"}
    )
    (shared / "context_debug" / "D.jsonl").write_bytes(both)
    path = write_offload(shared / "offload", HANDLE, "c")
    assert folders(tmp_path).session_of(str(path)) == "two"
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "D.jsonl").write_bytes(both)
    other = write_offload(flat, "a" * 32, "c")
    assert folders(tmp_path).session_of(str(other)) is None


def test_an_unnamed_folder_tells_nothing(tmp_path: Path) -> None:
    path = write_offload(tmp_path / "somewhere", HANDLE, "c")
    assert folders(tmp_path).session_of(str(path)) is None
    [trace] = open_traces([tmp_path]).traces
    assert (trace.session_id, trace.context_id) == ("unknown_session", "unknown_context")


def test_an_archive_lies_where_the_engines_rule_says(shared: Path, tmp_path: Path) -> None:
    [real] = (shared / "dumps/g_recall/workspace/context").glob("sess-g-recall-*_context")
    assert archives_folder("sess-g-recall") == real.name
    for session in ("../../x", "会话-é 1"):
        folder = tmp_path / archives_folder(session)
        archive = write_archive(folder, "20261129T212413366686Z", "")
        write_records(tmp_path / session.replace("/", "_"), session)
        assert folders(tmp_path).session_of_archive(str(archive)) == session
    assert folders(tmp_path).session_of_archive(str(tmp_path / "x-0_context/a/b")) is None
