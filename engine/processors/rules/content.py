"""What a rule gets and gives, and when the result is worth keeping (`engine.md` §5.8.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.wording import RuleNotices

LEAST_SAVING = 0.1
"""Share of the estimated tokens that a shorter text must save."""


class ContentKind(StrEnum):
    """What a tool result is; the names are those of records and file names."""

    PLAIN_TEXT = "PLAIN_TEXT"
    JSON_ARRAY = "JSON_ARRAY"
    HTML = "HTML"
    LOG = "LOG"
    GIT_DIFF = "GIT_DIFF"
    SEARCH_RESULTS = "SEARCH_RESULTS"


@dataclass(frozen=True)
class Shortened:
    """What is left of a text."""

    text: str
    details: dict[str, Any] | None = None
    """Figures of what was kept and omitted, as records and metadata carry them."""


@dataclass(frozen=True)
class Source:
    """A text to shorten."""

    text: str
    terms: frozenset[str]
    """Lower-case words that the task is about."""
    max_chars: int
    """Characters that the result should fit in; only the JSON rule insists."""
    notices: RuleNotices
    """What is said in place of what is left out."""

    def shortened(self, text: str, details: dict[str, Any] | None = None) -> Shortened | None:
        """Return a shorter text and its figures; None where it saves too little."""
        return Shortened(text, details) if saves(text, self.text) else None


def estimated_tokens(text: str) -> int:
    """Return a third of the characters, 1 at least."""
    return max(len(text) // 3, 1)


def saves(new: str, old: str) -> bool:
    """Return whether the new text is shorter by a tenth of the estimated tokens."""
    return 1 - estimated_tokens(new) / estimated_tokens(old) >= LEAST_SAVING
