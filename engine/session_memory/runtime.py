"""What is known about a session's notes from one turn to the next (`engine.md` §6.8)."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.session import Session

STATE_KEY = "__session_memory__"
"""Key of the session's state that holds it."""


class SessionMemoryRuntime(BaseModel):
    """State of the notes; kept in the session's state as a dictionary of these keys."""

    model_config = ConfigDict(extra="allow")

    session_id: str = ""
    memory_path: str | None = None
    """Path of the notes, as the workspace declares it."""
    pending_memory_path: str | None = None
    """Path of the copy that an update works on."""
    initialized: bool = False
    """Whether an update has ever succeeded."""
    is_extracting: bool = False
    """Whether an update is going on."""
    tokens_at_last_update: int = 0
    tool_calls_at_last_update: int = 0
    last_summarized_message_count: int = 0
    """Messages of the window that the last update saw."""
    notes_upto_message_id: str | None = None
    """Id of the last message that the notes cover: the anchor."""

    @classmethod
    def of(cls, session: Session) -> Self:
        """Return what the session remembers; fresh where it holds nothing readable."""
        try:
            return cls.model_validate(session.state.get(STATE_KEY) or {})
        except ValidationError:
            return cls()

    def keep(self, session: Session) -> None:
        """Put this in the session's state."""
        session.state[STATE_KEY] = self.model_dump()
