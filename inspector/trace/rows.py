"""A decision on its way into the columns: where it goes, and what was concluded about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from inspector.trace.decision import Basis, Outcome


@dataclass(frozen=True)
class Candidate:
    """A possible reason and what speaks for it."""

    reason: str
    evidence: str


@dataclass(frozen=True)
class Verdict:
    """How an attempt ended."""

    outcome: Outcome
    reason: str | None
    basis: Basis
    candidates: tuple[Candidate, ...] = ()
    because: str = ""
    """What an inferred outcome rests on, to be read after "Concluded:"."""

    @property
    def grounds(self) -> tuple[str, ...]:
        """What an inferred outcome rests on, and what speaks for each reason, as sentences."""
        concluded = (f"Concluded: {self.because}.",) if self.because else ()
        return *concluded, *(f"{found.reason}: {found.evidence}." for found in self.candidates)


class Story(Protocol):
    """What is known of one decision; each family of processors has its own."""

    @property
    def verdict(self) -> Verdict:
        """How it ended."""


@dataclass(frozen=True)
class Figures:
    """The numbers of a row; None where they are not known."""

    total: int | None = None
    """Tokens of the whole window."""
    size: int | None = None
    """Tokens of the one tool result that it is about."""
    threshold: int | None = None
    """Tokens."""
    saved: int | None = None
    """Tokens."""
    duration: float | None = None
    """Seconds."""


@dataclass(frozen=True)
class Row:
    """A decision that is no plain decline."""

    when: float
    """Epoch seconds by which it is sorted; infinite for what no record shows."""
    order: int
    """Position of its first record, by which equal times are sorted; -1 where there is none."""
    step: int
    processor: str
    story: Story
    figures: Figures = Figures()
    time: float = math.nan
    """Epoch seconds; NaN where no record says it."""
    on_demand: bool = False
