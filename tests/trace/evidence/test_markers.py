"""Markers in texts, and where the things are that they name."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.evidence.markers import Marker, Payload, Payloads, find_markers
from tests.debug_files import DebugFolder
from tests.offload_files import original, write_archive, write_json, write_offload

HANDLE = "0123456789abcdef" * 2
DECLARED = "/srv/agent/ws/context/sess_context/offload"


def brief(text: str) -> list[tuple[str, str, str | None, str | None]]:
    return [(m.kind, m.name, m.stored_as, m.path) for m in find_markers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a [[OFFLOAD: handle=h1, type=filesystem, path=/a, b/c=d.json]] b",
            ("offload", "h1", "filesystem", "/a, b/c=d.json"),
        ),
        ("[[OFFLOAD: handle=h1, type=in_memory]]", ("offload", "h1", "in_memory", None)),
        ("[[OFFLOAD:type=filesystem,handle=h1]]", ("offload", "h1", "filesystem", None)),
        ("[[COMPRESSION_RECALL: id=2026Z]]", ("recall", "2026Z", None, None)),
        (
            "[[OFFLOAD: handle=h, path=C:\\ws\\会话-é 1_context\\x.json]]",
            ("offload", "h", None, "C:\\ws\\会话-é 1_context\\x.json"),
        ),
    ],
)
def test_a_marker_is_read(text: str, expected: tuple[str, ...]) -> None:
    assert brief(text) == [expected]
    [marker] = find_markers(text)
    assert text[marker.start : marker.end].startswith("[[")
    assert text[marker.start : marker.end].endswith("]]")


@pytest.mark.parametrize(
    "text",
    [
        "[[OFFLOAD: type=filesystem]]",
        "[[OFFLOAD: handle=]]",
        "[[OFFLOAD: handle=h",
        "[[COMPRESSION_RECALL: handle=h]]",
        "[[OFFLOAD handle=h]]",
        "OFFLOAD: handle=h",
        "[[OFFLOAD: handle=h\n, type=x]]",
    ],
)
def test_what_is_no_marker(text: str) -> None:
    assert brief(text) == []


def test_markers_follow_each_other_even_after_a_broken_one() -> None:
    text = "[[OFFLOAD: handle=lost, [[OFFLOAD: handle=a]][[OFFLOAD: handle=b]]"
    assert [name for _kind, name, *_ in brief(text)] == ["a", "b"]


@given(st.text(alphabet="[]OFLAD: handle=,pt\n") | st.text())
def test_any_text_can_be_searched(text: str) -> None:
    for marker in find_markers(text):
        assert 0 <= marker.start < marker.end <= len(text)


def test_many_beginnings_do_not_slow_it_down() -> None:
    assert brief("[[OFFLOAD:" * 200_000) == []
    assert brief("[[OFFLOAD: handle=a, " + "x" * 1_000_000) == []


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path / "ws")


def located(folder: DebugFolder, path: str | None, name: str = HANDLE, **more: str) -> Payload:
    marker = Marker("offload", 0, 9, name, more.get("stored_as", "filesystem"), path)
    return Payloads(list(scan([folder.root], HeadPool()))).locate(marker)


def test_a_file_is_found_by_its_handle_wherever_it_was_written(folder: DebugFolder) -> None:
    path = write_offload(folder.root / "anywhere", HANDLE, "c")
    payload = located(folder, f"{DECLARED}/MessageSummaryOffloader_{HANDLE}.json")
    assert (payload.where, payload.path) == ("found", str(path))


def test_a_file_of_0_bytes_counts_only_where_there_is_no_other(folder: DebugFolder) -> None:
    empty = folder.session / "offload" / f"MessageSummaryOffloader_{HANDLE}.json"
    empty.parent.mkdir(parents=True)
    empty.touch()
    assert located(folder, None).where == "empty"
    path = write_offload(folder.root / "z", HANDLE, "c")
    assert located(folder, None).path == str(path)


def test_a_file_that_is_missing_in_an_opened_folder_is_gone(folder: DebugFolder) -> None:
    write_offload(folder.session / "offload", "a" * 32, "c")
    payload = located(folder, f"{DECLARED}/MessageSummaryOffloader_{HANDLE}.json")
    assert payload.where == "dangling"
    assert payload.path == str(
        folder.session / "offload" / f"MessageSummaryOffloader_{HANDLE}.json"
    )


def test_a_missing_folder_of_an_opened_session_is_gone_with_its_files(folder: DebugFolder) -> None:
    write_json(folder.session / "context_debug" / "a.json", {})
    payload = located(folder, f"{DECLARED}/x.json")
    assert (payload.where, payload.path) == (
        "dangling",
        str(folder.session / "offload" / "x.json"),
    )


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/srv/agent/elsewhere/another_context/offload/x.json",
        f"{DECLARED}/../../../../../etc/passwd",
        "x.json",
    ],
)
def test_what_lies_elsewhere_is_outside_and_not_looked_at(folder: DebugFolder, path: str) -> None:
    write_offload(folder.session / "offload", "a" * 32, "c")
    payload = located(folder, path)
    assert (payload.where, payload.path) == ("outside", path)


def test_what_was_kept_in_memory_may_be_in_a_saved_state(folder: DebugFolder) -> None:
    write_json(folder.root / "a.json", {})
    assert located(folder, None, stored_as="in_memory").where == "in_memory"
    state = {"messages": [], "offload_messages": {HANDLE: [original("c")]}}
    path = write_json(folder.root / "state.json", state)
    payload = located(folder, None, stored_as="in_memory")
    assert (payload.where, payload.path) == ("in_state", str(path))


def test_a_marker_without_a_path_whose_file_is_missing_is_gone(folder: DebugFolder) -> None:
    write_json(folder.root / "a.json", {})
    assert located(folder, None).where == "dangling"


def test_an_archive_is_found_by_its_id(folder: DebugFolder) -> None:
    archive = write_archive(folder.root / "s-0123456789ab_context", "20261129T212413366686Z", "")
    payloads = Payloads(list(scan([folder.root], HeadPool())))
    found, gone = (
        payloads.locate(marker)
        for marker in find_markers(
            "[[COMPRESSION_RECALL: id=20261129T212413366686Z]] [[COMPRESSION_RECALL: id=x]]"
        )
    )
    assert (found.where, found.path) == ("found", str(archive))
    assert (gone.where, gone.path) == ("dangling", None)
