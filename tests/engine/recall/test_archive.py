"""Archives on disk: what they hold, where they lie, and that they are whole or absent."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import CompressionRecallConfig
from engine.messages import Message, read_messages
from engine.recall.archive import (
    Archive,
    ArchiveSource,
    CompressionRecallError,
    recall_root,
    write_archive,
)
from engine.workspace import Workspace
from tests.conversations import CONVERSATIONS, conversation

NOW = 1_790_000_000.25
CONFIG = CompressionRecallConfig(enabled=True)


def archive(
    folder: Path,
    target: list[Message],
    session: str = "s",
    config: CompressionRecallConfig = CONFIG,
) -> Archive:
    source = ArchiveSource(session, "c", "DialogueCompressor", [], target, len(target) + 1)
    return write_archive(Workspace("/w", folder), source, config, NOW)


def files(made: Archive) -> list[str]:
    return sorted(str(p.relative_to(made.folder)) for p in made.folder.rglob("*") if p.is_file())


def test_an_archive_is_one_that_the_original_wrote(shared: Path, tmp_path: Path) -> None:
    """Manifest, turns and pieces come out byte for byte from the recorded messages."""
    root = shared / "dumps/g_recall/workspace/context"
    for recorded in sorted(root.glob("*/compression_recall/*")):
        manifest = json.loads((recorded / "manifest.json").read_bytes())
        raw = json.loads((recorded / "raw_messages.json").read_bytes())
        moment = datetime.strptime(manifest["memory_id"], "%Y%m%dT%H%M%S%fZ")
        source = ArchiveSource(
            session_id=manifest["session_id"],
            context_id=manifest["context_id"],
            processor=manifest["processor_type"],
            before=[],
            target=read_messages(raw),
            window_messages=manifest["original_context_message_count"],
        )
        workspace = Workspace("/w", tmp_path)
        made = write_archive(workspace, source, CONFIG, moment.replace(tzinfo=UTC).timestamp())
        assert made.folder.relative_to(tmp_path) == recorded.relative_to(root.parent)
        for path in sorted(recorded.rglob("*")):
            ours = made.folder / path.relative_to(recorded)
            if path.name == "manifest.json":
                ours_manifest = json.loads(ours.read_bytes())
                del ours_manifest["created_at"], manifest["created_at"]
                assert ours_manifest == manifest
            elif path.name == "raw_messages.json":
                assert json.loads(ours.read_bytes()) == raw
            elif path.is_file():
                assert ours.read_bytes() == path.read_bytes(), path.name


def test_a_long_turn_is_archived_in_pieces(tmp_path: Path) -> None:
    config = CompressionRecallConfig(chunk_size_tokens=10, chunk_overlap_tokens=2)
    made = archive(tmp_path, conversation("u a:90"), config=config)
    turn = json.loads((made.folder / "turns.jsonl").read_text())
    assert len(turn["chunk_paths"]) > 2
    assert files(made) == sorted(
        ["manifest.json", "raw_messages.json", "turns.jsonl", *turn["chunk_paths"]]
    )
    second = (made.folder / turn["chunk_paths"][1]).read_text()
    assert second.startswith(
        "---\nturn_id: turn_000\nchunk_id: turn_000_chunk_001\nchunk_index: 1\n---\n\n"
    )


@pytest.mark.parametrize(
    ("session", "folder"),
    [
        ("plain", "plain"),
        ("a/b c", "a-b-c"),
        ("../..", "unknown"),
        ("会话", "unknown"),
        ("x" * 300, "x" * 120),
    ],
)
def test_a_session_has_a_folder_that_is_safe(session: str, folder: str, tmp_path: Path) -> None:
    workspace = Workspace("/w", tmp_path)
    root = recall_root(workspace, session)
    name = root.split("/")[3]
    assert root == f"/w/context/{name}/compression_recall"
    assert name.startswith(f"{folder}-")
    assert len(name) == len(folder) + len("-123456789012_context")
    assert recall_root(workspace, session + ".") != root


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("fix the tests now", "fix_the_te"),
        ("Why does 式 fail?", "Why_does_式"),
        ("a/b", "a-b"),
        ("<b>x</b>y", "b-x-b-y"),
        ("失写。再，来", "失写。再，来"),
        ("it's [x]", "it's_[x]"),
        ("====", "===="),
        ("[\n  a,\n  b,\n  c]", "[_a,_b,_c]"),
        ("...", "no-query"),
        ("", "no-query"),
        ("\t tabs", "tabs"),
    ],
)
def test_the_folder_tells_the_latest_request(query: str, slug: str, tmp_path: Path) -> None:
    made = archive(tmp_path, read_messages([{"role": "user", "content": query}]))
    assert made.folder.name == f"{made.memory_id}_{slug}"
    assert made.memory_id == "20260921T141320250000Z"


def test_two_archives_of_one_moment_have_ids_of_their_own(tmp_path: Path) -> None:
    first, second = (archive(tmp_path, conversation("u a")) for _ in range(2))
    assert first.memory_id != second.memory_id
    assert len(second.memory_id) == 32


@settings(max_examples=30)
@given(CONVERSATIONS, st.integers(20, 500), st.integers(1, 10))
def test_any_messages_can_be_archived(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Message], size: int, overlap: int
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    config = CompressionRecallConfig(chunk_size_tokens=size, chunk_overlap_tokens=overlap)
    made = archive(folder, messages, config=config)
    manifest = json.loads((made.folder / "manifest.json").read_bytes())
    lines = (made.folder / "turns.jsonl").read_text().split("\n")[:-1]
    assert manifest["turn_count"] == len(lines)
    assert manifest["source_message_count"] == len(messages)
    for line in lines:
        assert all((made.folder / path).is_file() for path in json.loads(line)["chunk_paths"])
    made.discard()
    assert not list((folder / "context").rglob("*.md"))


@pytest.mark.parametrize(("workspace", "session"), [(False, "s"), (True, "")])
def test_without_a_place_there_is_no_archive(workspace: bool, session: str, tmp_path: Path) -> None:
    place = Workspace("/w", tmp_path) if workspace else None
    with pytest.raises(CompressionRecallError, match="needs a workspace and a session"):
        write_archive(place, ArchiveSource(session, "c", "p", [], [], 0), CONFIG, NOW)


def test_no_link_is_followed(tmp_path: Path) -> None:
    workspace = Workspace("/w", tmp_path / "w")
    (tmp_path / "elsewhere").mkdir()
    link = workspace.physical(recall_root(workspace, "s")).parent
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CompressionRecallError, match="symbolic link"):
        archive(tmp_path / "w", conversation("u"))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "context").write_text("in the way")
    with pytest.raises(OSError, match="context"):
        archive(tmp_path, conversation("u"))
    assert [path.name for path in tmp_path.iterdir()] == ["context"]
