"""Searching archives: the original's own answers, limits, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.config import CompressionRecallConfig
from engine.messages import read_messages
from engine.recall.archive import Archive, ArchiveSource, CompressionRecallError, write_archive
from engine.recall.result import RecallResult
from engine.recall.retrieval import BUDGET_VARIABLE, recall
from engine.workspace import Workspace

NOW = 1_790_000_000.0


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace("/w", tmp_path)


def archive(
    workspace: Workspace,
    *turns: tuple[str, str],
    session: str = "s",
    later: float = 0,
    size: int = 3000,
) -> Archive:
    """Archive turns of request and answer."""
    chat = [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    config = CompressionRecallConfig(chunk_size_tokens=size, chunk_overlap_tokens=1)
    source = ArchiveSource("s", "c", "p", [], read_messages(chat), len(chat))
    return write_archive(workspace, source, config, NOW + later)


def ask(workspace: Workspace, query: str, memory_id: str | None = None, **env: str) -> RecallResult:
    return recall(workspace, "s", query, memory_id, env)


def approximately(value: Any) -> Any:
    if isinstance(value, float):
        return pytest.approx(value)
    if isinstance(value, dict):
        return {key: approximately(item) for key, item in value.items()}
    if isinstance(value, list):
        return [approximately(item) for item in value]
    return value


def test_the_answers_are_the_original_s(shared: Path) -> None:
    folder = shared / "dumps/g_recall"
    recorded = json.loads((folder / "result.json").read_bytes())["after"]["retriever"]
    declared = Workspace("/srv/agent/g_recall/workspace", folder / "workspace")
    assert len(recorded) > 3
    for asked in recorded:
        found = recall(declared, "sess-g-recall", asked["query"], environment={})
        assert found.model_dump() == approximately(asked["result"])


def test_one_archive_gives_raw_scores(workspace: Workspace) -> None:
    made = archive(workspace, ("where is the parser", "in src"), ("and the lexer", "in lib"))
    archive(workspace, ("the parser again", "yes"), later=1)
    one, both = ask(workspace, "parser", made.memory_id), ask(workspace, "parser")
    assert (one.memory_id, both.memory_id) == (made.memory_id, "")
    assert [turn.query for turn in one.matched_turns] == ["where is the parser"]
    assert one.matched_turn == one.matched_turns[0]
    assert one.chunks[0].raw_score is None
    assert one.archive_path == "/w/" + str(made.folder.relative_to(workspace.folder))
    assert [turn.score for turn in both.matched_turns] == [1.0, 1.0]
    assert [chunk.score for chunk in both.chunks] == [1.0, 1.0]
    assert all(chunk.raw_score for chunk in both.chunks)
    assert [entry.turn_count for entry in both.archives_in_session] == [2, 1]


def test_only_good_turns_and_the_best_pieces_come_back(workspace: Workspace) -> None:
    long = "needle hay hay hay hay " * 12
    archive(
        workspace,
        ("needle needle needle", long),
        ("needle", "needle"),
        ("hay needle", "hay " * 200),
        ("other", "words"),
        size=16,
    )
    found = ask(workspace, "needle")
    assert len(found.matched_turns) == 2
    assert len(found.chunks) <= 4
    assert all("needle" in chunk.content for chunk in found.chunks)
    assert not found.truncated


def test_nothing_found_is_an_empty_answer(workspace: Workspace) -> None:
    archive(workspace, ("a request", "an answer"))
    found = ask(workspace, "zebra")
    assert (found.matched_turn, found.chunks, found.archive_path) == (None, [], "")
    assert found.returned_tokens == 0
    assert len(found.archives_in_session) == 1


def test_pieces_that_do_not_fit_are_passed_over(workspace: Workspace) -> None:
    archive(workspace, ("needle one", "x" * 400), ("needle", "short"))
    everything = ask(workspace, "needle")
    costs = sorted(len(chunk.content.encode()) for chunk in everything.chunks)
    small = -(-costs[0] // 4)
    assert everything.returned_tokens == sum(-(-cost // 4) for cost in costs)
    found = ask(workspace, "needle", **{BUDGET_VARIABLE: str(small)})
    assert [len(chunk.content.encode()) for chunk in found.chunks] == costs[:1]
    assert found.truncated
    assert found.returned_tokens == small
    for no_number in ("0", "-5", "many", ""):
        assert not ask(workspace, "needle", **{BUDGET_VARIABLE: no_number}).truncated


def test_other_sessions_and_damaged_archives_are_passed_over(workspace: Workspace) -> None:
    good = archive(workspace, ("needle", "x"))
    root = good.folder.parent
    for name, manifest in (
        ("20260101T000000000000Z_x", "no JSON"),
        ("20260101T000000000001Z_x", json.dumps({"memory_id": "other", "session_id": "s"})),
        (
            "20260101T000000000002Z_x",
            json.dumps({"memory_id": "20260101T000000000002Z", "session_id": "t"}),
        ),
        (".hidden", (good.folder / "manifest.json").read_text()),
    ):
        (root / name).mkdir()
        (root / name / "manifest.json").write_text(manifest)
    (root / "file").write_text("x")
    (root / f"{good.memory_id}_link").symlink_to(good.folder)
    assert [e.memory_id for e in ask(workspace, "needle").archives_in_session] == [good.memory_id]
    with pytest.raises(CompressionRecallError, match="no archive"):
        ask(workspace, "needle", "20260101T000000000002Z")


def test_a_torn_line_of_turns_costs_only_itself(workspace: Workspace) -> None:
    made = archive(workspace, ("needle one", "x"), ("needle two", "y"))
    turns = made.folder / "turns.jsonl"
    turns.write_text('{"turn_id": "turn_0\n' + turns.read_text().split("\n", 1)[1])
    assert [turn.query for turn in ask(workspace, "needle").matched_turns] == ["needle two"]


def test_the_archive_is_the_one_that_was_asked_else_that_of_the_best_piece(
    workspace: Workspace,
) -> None:
    first = archive(workspace, ("needle", "needle in words and more words"))
    second = archive(workspace, ("needle", "needle"))
    assert ask(workspace, "nothing", first.memory_id).archive_path.endswith(first.folder.name)
    assert ask(workspace, "nothing").archive_path == ""
    found = ask(workspace, "needle")
    assert found.archive_path == found.chunks[0].archive_path
    assert {first.memory_id, second.memory_id} == {chunk.memory_id for chunk in found.chunks}


def test_a_folder_without_an_archive_is_said(workspace: Workspace) -> None:
    archive(workspace, ("needle", "x")).discard()
    with pytest.raises(CompressionRecallError, match="has no archive"):
        ask(workspace, "needle")


@pytest.mark.parametrize("path", ["../../outside.md", "/etc/hostname", "chunks/link.md"])
def test_nothing_outside_an_archive_is_read(workspace: Workspace, path: str) -> None:
    made = archive(workspace, ("needle", "x"))
    (workspace.folder / "outside.md").write_text("needle")
    (made.folder.parent / "outside.md").write_text("needle")
    (made.folder / "chunks" / "link.md").symlink_to(workspace.folder / "outside.md")
    turns = made.folder / "turns.jsonl"
    turn = json.loads(turns.read_text())
    turns.write_text(json.dumps({**turn, "chunk_paths": [path]}) + "\n")
    with pytest.raises(CompressionRecallError, match="no file of its archive"):
        ask(workspace, "needle")


@pytest.mark.parametrize(
    ("query", "memory_id", "session", "problem"),
    [
        (" ", None, "s", "a query"),
        ("x", "no/id", "s", "no id"),
        ("x", "unknown", "s", "no archive"),
        ("x", None, "t", "no archives"),
        ("x", None, "", "a session"),
    ],
)
def test_what_cannot_be_asked_is_named(
    workspace: Workspace, query: str, memory_id: str | None, session: str, problem: str
) -> None:
    archive(workspace, ("needle", "x"))
    with pytest.raises(CompressionRecallError, match=problem):
        recall(workspace, session, query, memory_id, {})


def test_without_a_workspace_nothing_can_be_asked() -> None:
    with pytest.raises(CompressionRecallError, match="a workspace"):
        recall(None, "s", "x", None, {})
