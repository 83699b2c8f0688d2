"""What is going on while a processor has its turn: known to everything it calls (`engine.md` §4.6).

A model client reads the operation to mark its requests, a compressor to learn what its caller wants
preserved, a record to say in which phase it was written. Each asyncio task sees its own.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self
from uuid import uuid4

Phase = Literal["add_messages", "get_context_window", "active_compress"]


@dataclass(eq=False)
class Operation:
    """One processor's turn in one phase; current for the length of a `with` block."""

    phase: Phase
    preserve_instruction: str = ""
    """What a summary must not lose, in the words of whoever asked for the compression."""

    @cached_property
    def id(self) -> str:
        """32 hex digits, the same as in the state events of the turn."""
        return uuid4().hex

    def __enter__(self) -> Self:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _CURRENT.reset(self._token)


_CURRENT: ContextVar[Operation | None] = ContextVar("operation", default=None)


def current_operation() -> Operation | None:
    """Return the operation that the running code is part of."""
    return _CURRENT.get()
