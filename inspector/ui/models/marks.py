"""The shapes of outcomes, verdicts, zones and bases: colour is never the only sign.

A recorded fact is filled, an inferred one hollow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.trace.decision import Outcome
from inspector.trace.detail import Evidence, Fate, Zone

Tone = Literal[
    "text", "muted", "faint", "accent", "prefix", "compress", "tail", "summary", "failure", "better"
]
"""Name of a foreground colour; `theme` knows what it looks like."""

Shape = Literal[
    "triangle",
    "ring",
    "cross",
    "arrow",
    "arrow_up",
    "diamond",
    "bars",
    "page",
    "dash",
    "dots",
    "question",
    "check",
    "square",
    "chip",
]


@dataclass(frozen=True)
class Mark:
    """A small painted shape."""

    shape: Shape
    tone: Tone
    told: str
    """The same in words."""
    hollow: bool = False
    letter: str = ""
    """On a chip."""


@dataclass(frozen=True)
class OutcomeStyle:
    """How an outcome looks and what it is called."""

    name: str
    shape: Shape
    tone: Tone
    fired: bool
    """Something was attempted or done; what stepping with Shift stops at."""
    glyph: str
    """The shape as a character, for running text."""


OUTCOMES: dict[Outcome, OutcomeStyle] = {
    "compressed": OutcomeStyle("compressed", "triangle", "summary", True, "▼"),
    "declined": OutcomeStyle("declined", "ring", "muted", False, "○"),
    "gave_up": OutcomeStyle("gave up", "cross", "failure", True, "✕"),
    "offloaded": OutcomeStyle("offloaded", "arrow", "tail", True, "⇣"),
    "cut": OutcomeStyle("cut", "cross", "failure", True, "✕"),
    "folded": OutcomeStyle("folded", "bars", "compress", True, "≡"),
    "materialised": OutcomeStyle("materialised", "diamond", "summary", True, "◆"),
    "update_started": OutcomeStyle("update started", "dots", "muted", True, "↻"),
    "notes_updated": OutcomeStyle("notes updated", "page", "tail", True, "▮"),
    "notes_unchanged": OutcomeStyle("notes unchanged", "dash", "muted", False, "–"),
    "skipped": OutcomeStyle("skipped", "dash", "muted", False, "–"),
    "running": OutcomeStyle("running", "dots", "accent", True, "⋯"),
    "undecided": OutcomeStyle("undecided", "question", "muted", False, "?"),
}
"""Every outcome, in the order of the legend."""


def outcome_mark(outcome: str, inferred: bool) -> Mark:
    """Return the mark of an outcome; one of a later version is a question mark."""
    style = OUTCOMES.get(outcome)  # type: ignore[call-overload]
    if style is None:
        return Mark("question", "muted", outcome, inferred)
    return Mark(style.shape, style.tone, style.name, inferred)


def outcome_name(outcome: str) -> str:
    """Return what an outcome is called."""
    style = OUTCOMES.get(outcome)  # type: ignore[call-overload]
    return style.name if style else outcome.replace("_", " ")


RECALL_MARK = Mark("arrow_up", "tail", "recalled")
"""The model asked for what had been taken out of its window."""

BASIS_MARKS: dict[str, Mark] = {
    "recorded": Mark("square", "muted", "recorded"),
    "inferred": Mark("square", "muted", "inferred", hollow=True),
}

ZONE_MARKS: dict[Zone, Mark] = {
    "prefix": Mark("chip", "prefix", "prefix", letter="P"),
    "compress": Mark("chip", "compress", "to compress", letter="C"),
    "tail": Mark("chip", "tail", "tail", letter="T"),
    "outside": Mark("chip", "muted", "outside the split", hollow=True, letter="·"),
}

_FATE_TONES: dict[Fate, Tone] = {
    "kept": "muted",
    "summarised": "compress",
    "offloaded": "tail",
    "folded": "compress",
    "re-injected": "prefix",
    "dropped": "failure",
    "written": "summary",
    "added": "accent",
}
FATE_MARKS: dict[Fate, Mark] = {
    fate: Mark("chip", tone, fate, hollow=True, letter=fate) for fate, tone in _FATE_TONES.items()
}


_EVIDENCE_MARKS: dict[Evidence, Mark] = {
    "recorded": Mark("square", "muted", "recorded"),
    "verified": Mark("square", "better", "reconstructed, count verified"),
    "reconstructed": Mark("square", "muted", "reconstructed", hollow=True),
    "missing": Mark("question", "muted", "missing"),
}


def evidence_mark(evidence: Evidence) -> Mark:
    """Return the badge that says where a window comes from."""
    return _EVIDENCE_MARKS[evidence]
