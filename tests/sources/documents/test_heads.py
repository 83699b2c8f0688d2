"""What is known of each kind of document, sound or damaged."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from inspector.sources.documents.archive import ArchiveHead, epoch_seconds, in_archive
from inspector.sources.documents.notes import NotesHead, is_unwritten
from inspector.sources.documents.offload_file import OffloadFileHead, read_offload
from inspector.sources.documents.rule_dump import RuleDumpHead, read_rule_dump
from inspector.sources.documents.session_state import SessionStateHead
from inspector.sources.documents.update_log import UpdateLogHead
from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import Source, scan, settle
from tests.debug_files import START, DebugFolder, check, dump, line
from tests.offload_files import (
    original,
    write_archive,
    write_json,
    write_offload,
    write_rule_dump,
)

HANDLE = "0123456789abcdef" * 2


def sources(*paths: Path) -> dict[str, Source]:
    found = list(scan(paths, HeadPool()))
    settle(found)
    return {Path(source.path).name: source for source in found}


def head_of(path: Path) -> Any:
    [source] = sources(path).values()
    return source.head


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path)


def cut_before(path: Path, key: str) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: content.index(key.encode())])


def test_a_rule_dump(folder: DebugFolder) -> None:
    path = write_rule_dump(folder, "call_1", 2.5, "JSON_ARRAY", "ttl")
    head = head_of(path)
    assert head == RuleDumpHead(
        str(path), START + 2.5, "sess", "main", "call_1", "ttl", "JSON_ARRAY", 900, 90
    )
    whole = read_rule_dump(str(path))
    assert whole is not None
    assert (whole.details, whole.compressed_content) == ({"total_lines": 9}, "y" * 90)


def test_a_damaged_rule_dump_is_known_by_its_name(folder: DebugFolder) -> None:
    path = write_rule_dump(folder, "call_1", 2.5, "SEARCH_RESULTS")
    content = path.read_bytes()
    start = content.index(b"1795")
    path.write_bytes(content[:start] + b"?" + content[start:])
    cut_before(path, '"original_content"')
    source = sources(path)[path.name]
    assert source.kind == "unknown"  # its first value is damaged, so nothing tells what it is
    path.write_bytes(content)
    cut_before(path, '"details"')
    head = head_of(path)
    assert (head.torn, head.rule, head.pass_name) == (True, "SEARCH_RESULTS", "add")
    assert head.time == START + 2.5
    assert read_rule_dump(str(path)) is None


@pytest.mark.parametrize(
    ("processor", "expected"),
    [
        ("MessageOffloader", "MessageOffloader"),
        ("my_own", "my_own"),
        ("", "MessageSummaryOffloader"),
    ],
)
def test_an_offload_file(tmp_path: Path, processor: str, expected: str) -> None:
    path = write_offload(tmp_path, HANDLE, "call_1", processor)
    head = head_of(path)
    assert (head.handle, head.processor, head.roles) == (HANDLE, expected, ("tool",))
    assert (head.call_id, head.message_id) == ("call_1", "id-of-call_1")
    assert not head.empty
    whole = read_offload(str(path))
    assert whole is not None
    assert whole.messages == [original("call_1")]


def test_a_handle_of_any_form_is_taken_from_the_name(tmp_path: Path) -> None:
    head = head_of(write_offload(tmp_path, "h-1", "call_1", "MyOffloader"))
    assert (head.handle, head.processor) == ("h-1", "MyOffloader")


def test_an_offload_file_of_0_bytes_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / f"MessageSummaryOffloader_{HANDLE}.json"
    path.touch()
    source = sources(path)[path.name]
    head = source.head
    assert isinstance(head, OffloadFileHead)
    assert (source.kind, head.handle, head.empty) == ("offload", HANDLE, True)
    assert "the original is lost" in source.problems[0].reason


def test_an_archive(tmp_path: Path) -> None:
    archive = write_archive(
        tmp_path / "sess-0123456789ab_context", "20261129T212413366686Z", "2026-11-29T21:24:13Z"
    )
    found = sources(tmp_path)
    head = found["manifest.json"].head
    assert isinstance(head, ArchiveHead)
    assert (head.folder, head.memory_id) == (str(archive), "20261129T212413366686Z")
    assert (head.session_id, head.context_id, head.processor) == (
        "sess",
        "main",
        "DialogueCompressor",
    )
    assert (head.messages, head.window_messages, head.turns) == (3, 7, 1)
    assert head.time == epoch_seconds("2026-11-29T21:24:13+00:00")
    assert {source.kind for source in found.values()} == {"recall"}


def test_an_archive_without_its_manifest_is_known_by_its_place(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "s-0123456789ab_context", "m", "")
    (archive / "manifest.json").unlink()
    assert {source.kind for source in sources(tmp_path).values()} == {"recall"}
    assert in_archive(str(archive / "chunks" / "a.md"))
    assert not in_archive("/srv/compression_recall/x/chunks/a.md")


@pytest.mark.parametrize("text", ["", "yesterday", "9999999-01-01T00:00:00", None])
def test_a_text_that_is_no_time(text: str | None) -> None:
    assert math.isnan(epoch_seconds(text))


TEMPLATE = "# Session Title\n_A title._\n\n# Current State\n_What is going on._\n"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("session_context.md", "notes"),
        ("session_context.pending.md", "pending"),
        ("session_memory.md", "template"),
        ("my notes.md", "notes"),
    ],
)
def test_notes_and_what_looks_like_them(tmp_path: Path, name: str, role: str) -> None:
    path = tmp_path / name
    path.write_text(f"\n{TEMPLATE}- done\n", encoding="utf-8")
    assert head_of(path) == NotesHead(str(path), role, len(TEMPLATE) + 6, False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "unwritten"),
    [
        (TEMPLATE, True),
        (TEMPLATE.replace("_", "*"), True),
        (TEMPLATE + "x", False),
        ("", True),
        ("# Title\n**bold**\n", False),
    ],
)
def test_notes_that_are_no_more_than_their_template(text: str, unwritten: bool) -> None:
    assert is_unwritten(text) == unwritten


def test_the_log_of_a_notes_update(tmp_path: Path) -> None:
    document = {
        "timestamp": "2026-11-29T21:24:13+00:00",
        "request": {"prompt": "p", "system_messages": [], "context_messages": ["x" * 300_000]},
        "result": "done",
        "error": "no edit",
        "agent": {},
        "ability": {"rejected_tool_calls": [], "allowed_notes_path": "/ws/n.md"},
    }
    path = write_json(tmp_path / "20261129T212413_ab.json", document)
    head = head_of(path)
    assert isinstance(head, UpdateLogHead)
    assert (head.error, head.notes_path) == ("no edit", "/ws/n.md")
    assert head.time == epoch_seconds("2026-11-29T21:24:13+00:00")


@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: {"m": c}, lambda c: {"state": {"c": c}}])
def test_a_session_state_is_known_at_any_depth(tmp_path: Path, wrap: Any) -> None:
    context = {
        "messages": [original("a"), original("b")],
        "offload_messages": {"h1": [original("a")]},
        "last_context_window_access_at": START,
    }
    head = head_of(write_json(tmp_path / "checkpoint.json", wrap(context)))
    assert isinstance(head, SessionStateHead)
    [saved] = head.contexts
    assert (saved.messages, saved.handles, saved.accessed_at) == (2, ("h1",), START)


def test_a_session_state_tells_about_the_notes(tmp_path: Path) -> None:
    memory = {"session_id": "s", "notes_upto_message_id": "m9", "novelty": 1}
    head = head_of(write_json(tmp_path / "state.json", {"a": {"__session_memory__": memory}}))
    assert head.memory.notes_upto_message_id == "m9"


def test_a_cut_session_state_still_tells(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "state.json", {"c": {"messages": [1, 2], "offload_messages": {"h": [3]}}}
    )
    path.write_bytes(path.read_bytes()[:-8])
    source = sources(path)["state.json"]
    assert isinstance(source.head, SessionStateHead)
    assert source.head.contexts[0].handles == ("h",)
    assert source.head.torn
    assert len(source.problems) == 1


RECORDS = [check("D", n, 5) for n in range(3)]


def test_records_behind_a_dump_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "1795987453000_D_sess.json"
    document = json.dumps(dump("D", 0, 9, 5, (0, 2, 1)), indent=2).encode()
    path.write_bytes(document + b"".join(map(line, RECORDS)))
    source = sources(path)[path.name]
    assert source.dump is not None
    assert (source.dump.after, source.dump.torn) == (5, False)
    assert source.index is not None
    assert len(source.index.columns) == 3
    assert source.records == 4
    assert [problem.offset for problem in source.problems] == [len(document)]


@pytest.mark.parametrize("between", [b"", b"\n"])
def test_a_dump_behind_records_is_kept(tmp_path: Path, between: bytes) -> None:
    path = tmp_path / "D.jsonl"
    records = b"".join(map(line, RECORDS)).rstrip() + between
    documents = [json.dumps(dump("D", at, 9, 5, (0, 2, 1)), indent=2).encode() for at in (4, 5)]
    path.write_bytes(records + b"\n".join(documents) + b"\n")
    source = sources(path)["D.jsonl"]
    assert source.index is not None
    assert len(source.index.columns) == 3
    first, second = source.heads
    assert isinstance(first, type(second))
    assert [head.time - START for head in source.heads] == [4, 5]  # type: ignore[union-attr]
    assert [head.offset for head in source.heads] == [  # type: ignore[union-attr]
        len(records),
        len(records) + len(documents[0]) + 1,
    ]


def test_documents_behind_each_other_are_kept(folder: DebugFolder) -> None:
    first = write_offload(folder.root, HANDLE, "a")
    second = write_rule_dump(folder, "b", 2)
    third = write_offload(folder.root, HANDLE[::-1], "c", "Other")
    first.write_bytes(first.read_bytes() + second.read_bytes() + third.read_bytes())
    source = sources(first)[first.name]
    assert [type(head) for head in source.heads] == [OffloadFileHead, RuleDumpHead, OffloadFileHead]
    last = source.heads[2]
    assert isinstance(last, OffloadFileHead)
    assert (last.handle, last.call_id) == (HANDLE[::-1], "c")
    whole = read_offload(last.path, last.offset)
    assert whole is not None
    assert whole.messages == [original("c")]


def test_a_torn_document_ends_where_the_next_one_begins(folder: DebugFolder) -> None:
    first, second = (write_offload(folder.root, h, c) for h, c in ((HANDLE, "a"), ("b" * 32, "b")))
    torn = first.read_bytes()[:200]
    first.write_bytes(torn + second.read_bytes())
    source = sources(first)[first.name]
    one, two = source.heads
    assert isinstance(one, OffloadFileHead)
    assert isinstance(two, OffloadFileHead)
    assert (one.torn, one.handle) == (True, HANDLE)
    assert (two.torn, two.handle, two.offset) == (False, "b" * 32, len(torn))
