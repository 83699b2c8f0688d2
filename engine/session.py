"""The session a context belongs to: its id, what the agent keeps in its state, saved contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.messages import AnyMessage

DEFAULT_SESSION_ID = "default_session_id"
CONTEXTS = "context"
"""Key of the session's state below which contexts are saved, by context id."""


class SavedContext(BaseModel):
    """A context as it was saved: its messages, and the originals it keeps in memory."""

    model_config = ConfigDict(frozen=True)

    messages: list[AnyMessage] = Field(default_factory=list)
    offload_messages: dict[str, list[AnyMessage]] = Field(default_factory=dict)
    """Originals of offloaded messages, by handle."""
    last_context_window_access_at: float | None = None
    """When a window was last asked for, in epoch seconds."""


@dataclass
class Session:
    """An agent's session; `state` holds plan mode, background tasks, saved contexts and more."""

    session_id: str = DEFAULT_SESSION_ID
    state: dict[str, Any] = field(default_factory=dict)

    async def commit(self) -> None:
        """Make the state last; a session that is kept somewhere overrides this."""

    def save(self, contexts: Mapping[str, SavedContext]) -> None:
        """Keep these contexts, and no others, in the state."""
        self.state[CONTEXTS] = {name: dict(saved) for name, saved in contexts.items()}

    def saved(self, context_id: str) -> SavedContext | None:
        """Return a context as it was last saved; an empty one if only others were.

        Raises:
            pydantic.ValidationError: what the state holds is no saved context.
        """
        contexts = self.state.get(CONTEXTS)
        if contexts is None:
            return None
        return SavedContext.model_validate(contexts.get(context_id) or {})
