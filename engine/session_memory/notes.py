"""The file that holds a session's notes."""

from __future__ import annotations

from engine.workspace import Workspace

NOTES_NAME = "session_context.md"
PENDING_NAME = "session_context.pending.md"


def notes_path(workspace: Workspace, session_id: str) -> str:
    """Return the declared path of a session's notes."""
    return _path(workspace, session_id, NOTES_NAME)


def pending_path(workspace: Workspace, session_id: str) -> str:
    """Return the declared path of the copy that an update works on."""
    return _path(workspace, session_id, PENDING_NAME)


def _path(workspace: Workspace, session_id: str, name: str) -> str:
    return workspace.of_session(session_id, "session_memory", name)
