"""What a saved state of a session holds: its contexts, and what is known about its notes.

How an application keeps a session's state is its own affair; a JSON document is recognised by the
engine's keys in it, at most three levels deep.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from engine.session_memory.runtime import STATE_KEY, SessionMemoryRuntime
from inspector.sources.document import Part, damage_offset, read_value
from inspector.sources.problem import Problem

_DEEPEST = 3


@dataclass(frozen=True)
class SavedContextHead:
    """A context as it was saved."""

    context_id: str | None
    """The key below which it stands; None where it is the document itself."""
    messages: int
    handles: tuple[str, ...]
    """Handles of the originals that are kept in it."""
    accessed_at: float | None
    """When a window was last asked for, in epoch seconds."""


@dataclass(frozen=True)
class SessionStateHead:
    """A saved state."""

    path: str
    contexts: tuple[SavedContextHead, ...]
    memory: SessionMemoryRuntime | None
    """What is known about the session's notes."""
    torn: bool = False


def is_session_state(value: object) -> bool:
    """Return whether a document holds something that only a session's state does."""
    return any(True for _found in _parts(value, None, 0))


def read_session_state_head(part: Part) -> tuple[SessionStateHead, list[Problem]]:
    """Read a saved state, or what a damaged one still tells."""
    problems: list[Problem] = []
    document, end = read_value(part.raw.removeprefix(codecs.BOM_UTF8))
    if end is None:
        reason = "is a damaged session state; what precedes the damage is used"
        problems.append(Problem(part.path, damage_offset(part.raw), None, reason))
    contexts, memory = list[SavedContextHead](), None
    for key, found in _parts(document, None, 0):
        if key == STATE_KEY:
            memory = _memory(found)
        else:
            contexts.append(_context(key, found))
    return SessionStateHead(part.path, tuple(contexts), memory, bool(problems)), problems


def _parts(
    value: object, key: str | None, depth: int
) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Yield saved contexts and the state of the notes, each with its key."""
    if not isinstance(value, Mapping):
        return
    if key == STATE_KEY or _is_context(value):
        yield key, value
    elif depth < _DEEPEST:
        for name, inner in value.items():
            yield from _parts(inner, name, depth + 1)


def _is_context(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) and isinstance(
        value.get("offload_messages"), Mapping
    )


def _context(key: str | None, saved: Mapping[str, Any]) -> SavedContextHead:
    accessed = saved.get("last_context_window_access_at")
    return SavedContextHead(
        context_id=key,
        messages=len(saved["messages"]),
        handles=tuple(map(str, saved["offload_messages"])),
        accessed_at=float(accessed) if isinstance(accessed, int | float) else None,
    )


def _memory(value: Mapping[str, Any]) -> SessionMemoryRuntime | None:
    try:
        return SessionMemoryRuntime.model_validate(dict(value))
    except ValidationError:
        return None
