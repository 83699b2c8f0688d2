"""Finds passages in the archives of a session (`engine.md` §5.9).

First the turns are ranked by their request and answer, then the pieces of the best turns by their
text. Several archives are ranked each by itself, since their figures do not compare; a score is
then a share of its archive's best.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from engine.recall.archive import (
    BYTES_PER_TOKEN,
    ArchivedTurn,
    ArchiveManifest,
    CompressionRecallError,
    recall_root,
    refuse_links,
)
from engine.recall.plain_text import plain_text
from engine.recall.ranking import scores
from engine.recall.result import ArchiveEntry, FoundChunk, MatchedTurn, RecallResult
from engine.workspace import Workspace

BUDGET_VARIABLE = "OPENJIUWEN_RECALL_MAX_CONTENT_TOKENS"
"""Environment variable with the tokens that an answer may hold."""

DEFAULT_BUDGET = 8_000
TURNS = 2
"""Turns of an archive that are looked into."""

LEAST_SHARE = 0.3
"""Share of the best turn's score that another turn needs."""

CHUNKS = 2
"""Pieces of a turn that are handed back."""

_MEMORY_ID = re.compile(r"[A-Za-z0-9_.:-]+")


@dataclass(frozen=True)
class _StoredArchive:
    manifest: ArchiveManifest
    folder: Path
    declared: str

    @property
    def entry(self) -> ArchiveEntry:
        manifest = self.manifest
        return ArchiveEntry(
            memory_id=manifest.memory_id,
            created_at=manifest.created_at,
            turn_count=manifest.turn_count,
        )


@dataclass
class _Hits:
    """What archives have to say."""

    turns: list[MatchedTurn] = field(default_factory=list)
    chunks: list[FoundChunk] = field(default_factory=list)


def recall(
    workspace: Workspace | None,
    session_id: str,
    query: str,
    memory_id: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> RecallResult:
    """Search one archive of a session, or all of them.

    Args:
        workspace: where the archives are.
        session_id: whose archives.
        query: what is looked for.
        memory_id: the archive; all when None.
        environment: may set the length of the answer.

    Raises:
        CompressionRecallError: something needed is missing, or an archive is not what it should be.
    """
    if workspace is None or not session_id or not query.strip():
        raise CompressionRecallError("recall needs a workspace, a session and a query")
    if memory_id is not None and not _MEMORY_ID.fullmatch(memory_id):
        raise CompressionRecallError(f"'{memory_id}' is no id of an archive")
    root = recall_root(workspace, session_id)
    archives = _archives_in(workspace, root, session_id)
    if memory_id is None:
        hits = _merged([_relative(_search(archive, query)) for archive in archives])
        path = hits.chunks[0].archive_path if hits.chunks else ""
    else:
        asked = _named(archives, memory_id, session_id)
        hits, path = _merged([_search(asked, query)]), asked.declared
    kept, tokens = _within_budget(hits.chunks, _budget(environment))
    return RecallResult(
        memory_id=memory_id or "",
        archive_path=path,
        matched_turn=next(iter(hits.turns), None),
        matched_turns=hits.turns,
        chunks=kept,
        truncated=len(kept) < len(hits.chunks),
        returned_tokens=tokens,
        recall_root=root,
        archives_in_session=[archive.entry for archive in archives],
    )


def _archives_in(workspace: Workspace, root: str, session_id: str) -> list[_StoredArchive]:
    """Return a session's archives, oldest first.

    Raises:
        CompressionRecallError: there are none, or a link leads there.
    """
    refuse_links(workspace, root)
    if not workspace.holds(root):
        raise CompressionRecallError(f"session '{session_id}' has no archives in {root}")
    archives = list(_archives(workspace, root, session_id))
    if not archives:
        raise CompressionRecallError(f"session '{session_id}' has no archive in {root}")
    return archives


def _archives(workspace: Workspace, root: str, session_id: str) -> Iterator[_StoredArchive]:
    """Yield the session's archives, oldest first; what is damaged or another's is passed over."""
    for folder in sorted(workspace.physical(root).iterdir()):
        if folder.name.startswith(".") or folder.is_symlink() or not folder.is_dir():
            continue
        try:
            text = (folder / "manifest.json").read_text(encoding="utf-8")
            manifest = ArchiveManifest.model_validate_json(text)
        except (OSError, ValueError):
            continue
        if manifest.session_id == session_id and folder.name.startswith(f"{manifest.memory_id}_"):
            yield _StoredArchive(manifest, folder, f"{root}/{folder.name}")


def _named(archives: Sequence[_StoredArchive], memory_id: str, session_id: str) -> _StoredArchive:
    for archive in archives:
        if archive.manifest.memory_id == memory_id:
            return archive
    raise CompressionRecallError(f"session '{session_id}' has no archive '{memory_id}'")


def _search(archive: _StoredArchive, query: str) -> _Hits:
    turns = list(_turns(archive))
    ranked = zip(scores(query, [f"{t.query}\n{t.answer}" for t in turns]), turns, strict=True)
    matching = sorted((pair for pair in ranked if pair[0] > 0), key=lambda pair: -pair[0])
    kept = [(s, t) for s, t in matching[:TURNS] if s >= LEAST_SHARE * matching[0][0]]
    hits = _Hits()
    for score, turn in kept:
        hits.turns.append(
            MatchedTurn(
                memory_id=archive.manifest.memory_id,
                turn_id=turn.turn_id,
                query=turn.query,
                answer=turn.answer,
                score=score,
            )
        )
        hits.chunks += _best_chunks(archive, turn, query)
    return hits


def _best_chunks(archive: _StoredArchive, turn: ArchivedTurn, query: str) -> list[FoundChunk]:
    texts = {path: _text(archive, path) for path in turn.chunk_paths}
    plain = [plain_text(text) for text in texts.values()]
    found = [
        FoundChunk(
            chunk_id=Path(path).stem,
            turn_id=turn.turn_id,
            score=score,
            path=f"{archive.declared}/{path}",
            content=texts[path],
            memory_id=archive.manifest.memory_id,
            archive_path=archive.declared,
        )
        for path, score in zip(texts, scores(query, plain), strict=True)
        if score > 0
    ]
    return sorted(found, key=lambda chunk: (-chunk.score, chunk.chunk_id))[:CHUNKS]


def _turns(archive: _StoredArchive) -> Iterator[ArchivedTurn]:
    for line in _text(archive, archive.manifest.files.turns).split("\n"):
        try:
            yield ArchivedTurn.model_validate_json(line)
        except ValidationError:
            continue


def _text(archive: _StoredArchive, relative: str) -> str:
    """Return the text of a file of an archive; one that a link leads to is none."""
    folder = archive.folder.resolve()
    path = folder / relative
    try:
        if path.resolve() != path or not path.is_relative_to(folder) or not path.is_file():
            raise CompressionRecallError(f"{path} is no file of its archive")
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CompressionRecallError(f"{path} cannot be read: {error}") from error


def _relative(hits: _Hits) -> _Hits:
    """Return the scores as shares of the best of each kind."""
    best_turn = max((turn.score for turn in hits.turns), default=1.0)
    best_chunk = max((chunk.score for chunk in hits.chunks), default=1.0)
    return _Hits(
        [turn.model_copy(update={"score": turn.score / best_turn}) for turn in hits.turns],
        [
            chunk.model_copy(update={"score": chunk.score / best_chunk, "raw_score": chunk.score})
            for chunk in hits.chunks
        ],
    )


def _merged(hits: Sequence[_Hits]) -> _Hits:
    """Return what several archives have to say, the best first."""
    return _Hits(
        sorted((t for h in hits for t in h.turns), key=lambda t: -t.score),
        sorted(
            (c for h in hits for c in h.chunks),
            key=lambda c: (-c.score, -(c.raw_score or 0), c.chunk_id),
        ),
    )


def _within_budget(chunks: Sequence[FoundChunk], budget: int) -> tuple[list[FoundChunk], int]:
    """Return the pieces that fit, best first, and their tokens; others are passed over."""
    kept: list[FoundChunk] = []
    used = 0
    for chunk in chunks:
        cost = math.ceil(len(chunk.content.encode()) / BYTES_PER_TOKEN)
        if used + cost <= budget:
            kept.append(chunk)
            used += cost
    return kept, used


def _budget(environment: Mapping[str, str]) -> int:
    value = environment.get(BUDGET_VARIABLE, "").strip()
    return int(value) if value.isdecimal() and int(value) > 0 else DEFAULT_BUDGET
