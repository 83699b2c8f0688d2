"""What a query of a session's archives found."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Found(BaseModel):
    model_config = ConfigDict(frozen=True)


class MatchedTurn(_Found):
    """A turn that matches."""

    memory_id: str
    turn_id: str
    query: str
    answer: str
    score: float
    """BM25, or a share of its archive's best where several were asked."""


class FoundChunk(_Found):
    """A piece of a turn that matches."""

    chunk_id: str
    """Name of its file, without the ending."""
    turn_id: str
    score: float
    """BM25, or a share of its archive's best where several were asked."""
    path: str
    """Declared path of its file."""
    content: str
    memory_id: str
    archive_path: str
    raw_score: float | None = None
    """The score before it was set against its archive's best; None in one archive's answer."""


class ArchiveEntry(_Found):
    """An archive of the session."""

    memory_id: str
    created_at: str
    turn_count: int


class RecallResult(_Found):
    """What a query found."""

    memory_id: str
    """The archive that was asked; empty when all were."""
    archive_path: str
    """The archive that was asked, else that of the best piece; empty where nothing was found."""
    matched_turn: MatchedTurn | None
    matched_turns: list[MatchedTurn]
    chunks: list[FoundChunk]
    truncated: bool
    """Whether a piece was left out because it would have been too much."""
    returned_tokens: int
    """Length of the pieces, in tokens of four bytes."""
    recall_root: str
    archives_in_session: list[ArchiveEntry]
