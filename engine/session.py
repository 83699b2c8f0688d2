"""The session a context belongs to: its id and what the agent keeps in its state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DEFAULT_SESSION_ID = "default_session_id"


@dataclass
class Session:
    """An agent's session; `state` holds plan mode, background tasks and the like."""

    session_id: str = DEFAULT_SESSION_ID
    state: dict[str, Any] = field(default_factory=dict)
