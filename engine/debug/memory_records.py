"""What an update of the session's notes leaves on disk besides the notes (`engine.md` §6.8).

Its checks are `ThresholdCheck` records like any other. An update in which a model edits the notes
writes one document more, `{YYYYmmddTHHMMSS}_{hex}.json`.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from engine.debug.records import RecordPart


class UpdateRequest(RecordPart):
    """The conversation that the editing agent started with."""

    prompt: str = ""
    system_messages: list[dict[str, Any]] = Field(default_factory=list)
    context_messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    exclude_recent_messages: int = 0
    """Newest messages of the context that were not sent."""


class UpdateAgent(RecordPart):
    """How the agent was set up."""

    max_iterations: int | None = None
    agent_session_namespace: str | None = None


class UpdateAbility(RecordPart):
    """What the agent could do, and what it tried besides."""

    rejected_tool_calls: list[Any] = Field(default_factory=list)
    """Calls of anything but an edit of the one allowed file."""
    model_tools: list[Any] = Field(default_factory=list)
    allowed_notes_path: str | None = None


class NotesUpdateLog(RecordPart):
    """One update of the notes by edits."""

    timestamp: str
    """ISO 8601."""
    request: UpdateRequest = UpdateRequest()
    result: Any = None
    error: str | None = None
    """Why the update failed; null also where the notes stayed as they were."""
    agent: UpdateAgent = UpdateAgent()
    ability: UpdateAbility = UpdateAbility()
