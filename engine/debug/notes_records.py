"""The document that one update of the session's notes by edits leaves (`engine.md` §6.8)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class NotesRequest(_Part):
    """What the model was given."""

    prompt: str
    system_messages: list[dict[str, Any]] = Field(default_factory=list)
    context_messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    exclude_recent_messages: int = 0
    """Messages at the end of the context that were left out."""


class NotesAgent(_Part):
    """How the small agent ran."""

    max_iterations: int
    agent_session_namespace: str = ""


class NotesAbility(_Part):
    """What it was allowed to do."""

    rejected_tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    model_tools: list[str] = Field(default_factory=list)
    """Names of the tools it saw."""
    allowed_notes_path: str = ""
    """The only file that it might edit."""


class NotesRun(_Part):
    """One update: `{YYYYmmddTHHMMSS}_{hex}.json`."""

    timestamp: str
    """ISO 8601."""
    request: NotesRequest
    result: Any = None
    error: str | None = None
    agent: NotesAgent
    ability: NotesAbility
