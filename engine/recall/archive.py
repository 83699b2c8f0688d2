"""The archive of one compression: a folder with what was replaced (`engine.md` §5.9, §6.7).

It holds a manifest, the messages, a line for each turn, and the turns' text in pieces. The folder
appears in one step, or not at all; an archive whose compression came to nothing is removed again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from engine.config import CompressionRecallConfig
from engine.errors import ContextError
from engine.messages import Message
from engine.recall.turns import Turn, piece_title, pieces, split_turns
from engine.workspace import Workspace

BYTES_PER_TOKEN = 4
"""Bytes that a token of the chunk settings stands for."""

QUERY_CHARS = 10
TITLE_CHARS = 40

_SESSION_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\ud800-\udfff]+')
"""What some file system refuses in a name."""


class CompressionRecallError(ContextError):
    """An archive cannot be written or found; the text says why."""


class ArchiveFiles(BaseModel):
    """Names of an archive's parts."""

    model_config = ConfigDict(frozen=True)

    turns: str = "turns.jsonl"
    raw_messages: str = "raw_messages.json"
    chunks: str = "chunks"


class ArchiveManifest(BaseModel):
    """What an archive holds: `manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    schema_version: int = 1
    memory_id: str
    session_id: str
    context_id: str = ""
    processor_type: str = ""
    created_at: str = ""
    """ISO 8601, in UTC."""
    source_message_count: int = 0
    """Messages that were replaced."""
    original_context_message_count: int = 0
    """Messages that the window had."""
    turn_count: int = 0
    files: ArchiveFiles = ArchiveFiles()


class ArchivedTurn(BaseModel):
    """A line of `turns.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    turn_id: str
    query: str = ""
    answer: str = ""
    chunk_paths: list[str] = Field(default_factory=list)
    """Paths of the turn's pieces, relative to the archive."""


@dataclass(frozen=True)
class ArchiveSource:
    """What a compression replaces, and whose it is."""

    session_id: str
    context_id: str
    processor: str
    before: Sequence[Message]
    """The messages in front of the target, which stay."""
    target: Sequence[Message]
    """The messages to be replaced."""
    window_messages: int
    """Messages of the whole window."""


@dataclass(frozen=True)
class Archive:
    """An archive on disk."""

    memory_id: str
    folder: Path

    def discard(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def recall_root(workspace: Workspace, session_id: str) -> str:
    """Return the declared path of the folder that holds a session's archives."""
    safe = _SESSION_UNSAFE.sub("-", session_id).strip("-.")[:120] or "unknown"
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return workspace.declared("context", f"{safe}-{digest}_context", "compression_recall")


def write_archive(
    workspace: Workspace | None, source: ArchiveSource, config: CompressionRecallConfig, now: float
) -> Archive:
    """Archive what a compression replaces.

    Args:
        workspace: where archives go.
        source: the messages.
        config: length of the pieces.
        now: epoch seconds; the archive's id is made of it.

    Raises:
        CompressionRecallError: there is no workspace or no session, or its folder is a link.
        OSError: it cannot be written; nothing is left behind.
    """
    if workspace is None or not source.session_id:
        raise CompressionRecallError("an archive needs a workspace and a session id")
    root = recall_root(workspace, source.session_id)
    refuse_links(workspace, root)
    memory_id = _memory_id(workspace.physical(root), now)
    turns = split_turns(source.target, source.before)
    files = {"manifest.json": _json(_manifest(source, memory_id, now, len(turns)).model_dump())}
    lines = []
    for turn in turns:
        chunks = _chunks(turn, config)
        files.update(chunks)
        line = ArchivedTurn(
            turn_id=turn.turn_id, query=turn.query, answer=turn.answer, chunk_paths=list(chunks)
        )
        lines.append(json.dumps(line.model_dump(), ensure_ascii=False) + "\n")
    files["turns.jsonl"] = "".join(lines)
    files["raw_messages.json"] = _json([message.to_chat() for message in source.target])
    query = next((turn.query for turn in reversed(turns) if turn.query.strip()), "")
    start = " ".join(query.split())[:QUERY_CHARS]
    name = f"{memory_id}_{slug(start) or 'no-query'}"
    workspace.write_new_folder(f"{root}/{name}", files)
    return Archive(memory_id, workspace.physical(f"{root}/{name}"))


def refuse_links(workspace: Workspace, declared: str) -> None:
    """Make sure that a path inside the workspace leads where it says.

    Raises:
        CompressionRecallError: one of its folders is a symbolic link.
    """
    path = workspace.physical(declared)
    while path != workspace.folder and path != path.parent:
        if path.is_symlink():
            raise CompressionRecallError(f"{path} is a symbolic link; archives are not kept there")
        path = path.parent


def slug(text: str) -> str:
    """Return a text as a part of a file name; empty when nothing of it can stand there."""
    return _UNSAFE.sub("-", re.sub(r"\s+", "_", text)).strip("-._")


def _memory_id(root: Path, now: float) -> str:
    memory_id = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return uuid4().hex if any(root.glob(f"{memory_id}_*")) else memory_id


def _manifest(source: ArchiveSource, memory_id: str, now: float, turns: int) -> ArchiveManifest:
    return ArchiveManifest(
        memory_id=memory_id,
        session_id=source.session_id,
        context_id=source.context_id,
        processor_type=source.processor,
        created_at=datetime.fromtimestamp(now, UTC).isoformat(),
        source_message_count=len(source.target),
        original_context_message_count=source.window_messages,
        turn_count=turns,
    )


def _chunks(turn: Turn, config: CompressionRecallConfig) -> dict[str, str]:
    """Return the turn's pieces by relative path, each with its front matter."""
    cut = pieces(
        turn.text,
        config.chunk_size_tokens * BYTES_PER_TOKEN,
        config.chunk_overlap_tokens * BYTES_PER_TOKEN,
    )
    chunks = {}
    for index, piece in enumerate(cut):
        chunk_id = f"{turn.turn_id}_chunk_{index:03d}"
        title = slug(piece_title(piece))[:TITLE_CHARS].strip("-._") or "empty"
        head = f"turn_id: {turn.turn_id}\nchunk_id: {chunk_id}\nchunk_index: {index}"
        chunks[f"chunks/{chunk_id}_{title}.md"] = f"---\n{head}\n---\n\n{piece}\n"
    return chunks


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
