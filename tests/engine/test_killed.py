"""What a process leaves behind that is killed in the middle of its writing."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.endless_recording import NOTES_END

MOMENTS = (0.0, 0.05, 0.13, 0.31)
"""Seconds that a process writes on before it is killed."""
KINDS = {
    "compression_logs", "compression_recall", "context_debug", "message_offloader_debug_logs",
    "offload", "rule_compression_logs", "session_memory",
}  # fmt: skip
"""Folders below a session's own."""


def written(workspace: Path) -> Iterator[Path]:
    """Yield all files but unfinished ones, which are hidden; folders may go meanwhile."""
    for folder, below, files in os.walk(workspace):
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (Path(folder, name) for name in files if not name.startswith("."))


def kinds(workspace: Path) -> set[str]:
    """Return the folders of sessions that have files."""
    return {path.relative_to(workspace).parts[2] for path in written(workspace)}


def kill_in_the_middle(workspace: Path, here: Path, moment: float) -> None:
    root = Path(__file__).parents[2]
    before = sum(1 for _ in written(workspace))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.endless_recording", str(workspace)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    while process.poll() is None and (
        sum(1 for _ in written(workspace)) <= before or kinds(workspace) != KINDS
    ):
        time.sleep(0.002)
    time.sleep(moment)
    assert process.poll() is None, "it ended by itself"
    process.kill()
    process.wait()


def torn_lines(path: Path) -> int:
    torn = 0
    for line in path.read_bytes().splitlines():
        try:
            json.loads(line)
        except ValueError:
            torn += 1
    return torn


def check(path: Path, kills: int) -> None:
    """See that a file is whole; a log may have broken off once a kill."""
    if path.suffix == ".jsonl" and "compression_recall" not in path.parts:
        assert torn_lines(path) <= kills, path
    elif path.suffix in (".json", ".jsonl"):
        for document in path.read_bytes().splitlines() if path.suffix == ".jsonl" else [b""]:
            json.loads(document or path.read_bytes())
    elif path.name == "session_context.md":
        text = path.read_text(encoding="utf-8")
        assert text.endswith(NOTES_END + "\n") or text.startswith("# "), path


def test_whatever_has_its_name_is_whole(tmp_path: Path) -> None:
    workspace, here = tmp_path / "workspace", tmp_path / "here"
    workspace.mkdir()
    here.mkdir()
    for kills, moment in enumerate(MOMENTS, 1):
        kill_in_the_middle(workspace, here, moment)
        for path in written(workspace):
            check(path, kills)
    for archive in workspace.glob("context/*/compression_recall/[!.]*"):
        manifest = json.loads((archive / "manifest.json").read_bytes())
        assert (archive / manifest["files"]["raw_messages"]).is_file()
    assert list(here.iterdir()) == []
