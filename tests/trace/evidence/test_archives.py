"""Archives of what compressions replaced: whose they are, what they prove, what is in them."""

from pathlib import Path

import pytest

from inspector.sources.document import whole_file
from inspector.sources.documents.archive import read_archive_head
from inspector.trace.evidence.archives import recall_view
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording
from tests.debug_files import START, DebugFolder, check, dump, hit, line, span
from tests.offload_files import write_archive

DIALOGUE = "DialogueCompressor"
MADE = "2026-11-29T21:24:14.500000+00:00"
MADE_AT = 1_795_987_454.5
"""The same time in epoch seconds: 1.5 s after START."""


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path)


def trace_of(folder: DebugFolder) -> Recording:
    [trace] = open_traces([folder.root]).traces
    return trace


def archived(folder: DebugFolder, created: str = MADE, processor: str = DIALOGUE) -> Path:
    home = folder.root / "context" / "sess-0123456789ab_context"
    return write_archive(home, "20261129T212414500000Z", created, processor)


def test_a_compression_shows_its_archive(folder: DebugFolder) -> None:
    assert START + 1.5 == MADE_AT
    folder.write([hit(DIALOGUE, 0), span(DIALOGUE, 1), check(DIALOGUE, 9, 5)])
    folder.write_dump(dump(DIALOGUE, 2, 9, 5, (0, 2, 1)))
    archive = archived(folder)
    recall = trace_of(folder).detail(0).recall
    assert recall is not None
    assert (recall.memory_id, recall.folder) == ("20261129T212414500000Z", str(archive))
    assert (recall.messages, recall.window_messages, recall.time) == (3, 7, MADE_AT)
    [turn] = recall.turns
    assert (turn.turn_id, turn.query, turn.answer) == ("turn_000", "why", "so")
    [chunk] = turn.chunks
    assert (chunk.path, chunk.missing) == ("chunks/a.md", False)
    assert "body" in chunk.text


@pytest.mark.parametrize(
    ("created", "processor", "outcome"),
    [
        (MADE, DIALOGUE, "compressed"),
        (MADE, "CurrentRoundCompressor", "undecided"),
        ("2026-11-29T21:24:59+00:00", DIALOGUE, "undecided"),
        ("2026-11-29T21:24:13.500000+00:00", DIALOGUE, "undecided"),
        ("", DIALOGUE, "undecided"),
    ],
)
def test_an_archive_that_is_still_there_proves_a_compression(
    folder: DebugFolder, created: str, processor: str, outcome: str
) -> None:
    folder.write([hit(DIALOGUE, 0), span(DIALOGUE, 1), check(DIALOGUE, 9, 5)])
    archived(folder, created, processor)
    log = folder.session / "context_debug" / f"{DIALOGUE}.jsonl"
    recall = folder.root / "context" / "sess-0123456789ab_context"
    [trace] = open_traces([log, recall]).traces  # the folder of dumps is not opened
    decision = trace.decision(0)
    assert (decision.outcome, decision.basis) == (outcome, "inferred")


def test_an_archive_whose_manifest_is_damaged_is_that_of_its_folder(
    shared: Path, tmp_path: Path
) -> None:
    source = shared / "dumps/g_recall/workspace"
    for path in source.rglob("*"):
        if path.is_file():
            target = tmp_path / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes()
            target.write_bytes(
                content.replace(b'"session_id"', b'"session"')
                if "manifest" in path.name
                else content
            )
    [trace] = open_traces([tmp_path]).traces
    recalls = [trace.detail(row).recall for row in range(len(trace.decisions))]
    assert sum(recall is not None for recall in recalls) == 2


@pytest.mark.parametrize("name", ["../../secret.md", "/etc/passwd", "chunks/gone.md", "a\0b", ""])
def test_nothing_outside_the_archive_is_read(folder: DebugFolder, name: str) -> None:
    archive = archived(folder)
    (archive.parent.parent / "secret.md").write_text("secret", encoding="utf-8")
    turn = {"turn_id": "t", "query": "q", "answer": "a", "chunk_paths": [name]}
    (archive / "turns.jsonl").write_bytes(line(turn) + b"no turn\n" + line({"turn_id": 7}))
    head, _problems = read_archive_head(whole_file(str(archive / "manifest.json")))
    [shown] = recall_view(head).turns
    assert [(chunk.text, chunk.missing) for chunk in shown.chunks] == [("", True)]


def test_a_link_that_leads_out_of_the_archive_is_not_followed(folder: DebugFolder) -> None:
    archive = archived(folder)
    secret = folder.root / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    (archive / "chunks" / "a.md").unlink()
    (archive / "chunks" / "a.md").symlink_to(secret)
    head, _problems = read_archive_head(whole_file(str(archive / "manifest.json")))
    [turn] = recall_view(head).turns
    assert turn.chunks[0].missing
