"""What could not be read, said so that a person can find the place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Damage in one file, or a file that cannot be read at all."""

    path: str
    offset: int
    """Byte offset of the damage."""
    line: int | None
    """1-based number of the line; None where the file has no lines."""
    reason: str
