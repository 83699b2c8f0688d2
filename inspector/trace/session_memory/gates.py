"""The gates of session memory, for the compressor that uses the notes and for their updates.

One function makes them, for decisions read from files and for those of a replay, from plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.trace.decision import Gate, Outcome

NOTES_GATES = ("ratio", "notes", "anchor")

_DECLINED_BY = {
    "below_threshold": "ratio",
    "no_notes": "notes",
    "notes_too_long": "notes",
    "no_anchor": "anchor",
}


@dataclass(frozen=True)
class NotesFacts:
    """What is known of one decision; None: not known."""

    outcome: Outcome
    reason: str | None = None
    candidates: Sequence[str] = ()
    """Possible reasons of an inferred decline."""
    total: int | None = None
    """Tokens of the window that was measured."""
    threshold: int | None = None
    """Tokens."""


def notes_gates(facts: NotesFacts) -> list[Gate]:
    """Return all gates in order; those after the deciding one are open and without a value."""
    passed: dict[str, bool | None] = dict.fromkeys(NOTES_GATES)
    failed = _failed(facts)
    if facts.outcome == "undecided" and facts.total is None:
        return [_gate(name, None, facts) for name in NOTES_GATES]
    for name in NOTES_GATES:
        if name == failed:
            passed[name] = False
            break
        if name == "ratio" or facts.outcome == "materialised" or failed == "anchor":
            passed[name] = True
    return [_gate(name, passed[name], facts) for name in NOTES_GATES]


def _failed(facts: NotesFacts) -> str | None:
    """Return the gate that surely was not passed."""
    if facts.outcome != "declined":
        return None
    reasons = [facts.reason] if facts.reason else list(facts.candidates)
    gates = {_DECLINED_BY[reason] for reason in reasons if reason in _DECLINED_BY}
    return gates.pop() if len(gates) == 1 else None


def _gate(name: str, passed: bool | None, facts: NotesFacts) -> Gate:
    if name != "ratio":
        return Gate(gate=name, passed=passed, basis="inferred")
    return Gate.tested(name, passed, facts.total, facts.threshold, "tokens")
