"""Settings of the notes' updates (`engine.md` §2.4)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.debug.directories import DebugSetting


class SessionMemoryConfig(BaseModel):
    """When a session's notes are brought up to date, and how."""

    model_config = ConfigDict(frozen=True)

    update_trigger_context_ratio: float = Field(default=0.7, gt=0, lt=1)
    """Share of the capacity from which on notes are updated."""
    update_mode: Literal["agent_edit", "direct_replace"] = "agent_edit"
    """Whether the model edits the notes in turns, or answers with their whole new text."""
    direct_replace_max_retries: int = Field(default=2, ge=0)
    """Further calls after an answer that cannot be used, with `direct_replace`."""
    max_iterations: int = Field(default=3, ge=1, le=3)
    """Model calls of one update, with `agent_edit`."""
    enable_debug_dump: bool = False
    """Write a record of each decision, and a document for each update by edits."""
    debug_dump_dir: str | None = None
    """Directory of both."""

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write records and documents."""
        return DebugSetting(self.enable_debug_dump, self.debug_dump_dir)
