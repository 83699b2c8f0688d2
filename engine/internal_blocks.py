"""Messages in the user's role that no user wrote: how they begin (`engine.md` §5.1)."""

from __future__ import annotations

INTERNAL_PREFIXES = (
    "<system-reminder>",
    "<memory_block_current>",
    "<memory_block_dialogue>",
    "<memory_block_round>",
    "<memory_block_session>",
    "<recovered_context>",
    "[STATE_REINJECTION]",
)


def is_internal(text: str) -> bool:
    """Return whether a message of this text was written by the engine or the agent around it."""
    return text.lstrip().startswith(INTERNAL_PREFIXES)
