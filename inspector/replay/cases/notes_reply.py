"""What the updates of a session's notes came to, as a case holds it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class NotesReply(BaseModel):
    """What one update of the notes came to."""

    model_config = ConfigDict(frozen=True)

    content: str | None
    """The new text; None: the update failed."""
    late: NonNegativeInt = 0
    """Windows that were built before it ended."""
