"""The gates of an offloader's pass over one tool result, in the order in which it tests them.

One function makes them, for decisions read from files and for those of a replay, from plain values.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.trace.decision import Basis, Gate, Outcome

OFFLOAD_GATES = ("size", "protected", "rule", "write")
TTL_GATES = ("idle", "occupancy", *OFFLOAD_GATES)

_DECLINED_BY = {
    "message_below_threshold": "size",
    "protected_tool": "protected",
    "already_offloaded": "protected",
    "already_shortened": "protected",
    "nothing_to_save": "rule",
}


@dataclass(frozen=True)
class OffloadFacts:
    """What is known of one pass; None: not known."""

    outcome: Outcome
    reason: str | None = None
    ttl: bool = False
    """It is the pass of a window request after a pause."""
    measured: bool = True
    """A record says that the size was tested."""
    tokens: int | None = None
    """Tokens of the tool result as it came."""
    threshold: int | None = None
    """Tokens above which it is large."""
    tried: bool = False
    """A record says that a rule was tried."""
    ruled: bool = False
    """A rule shortened the text."""
    chars: int | None = None
    """Characters of the text as it came."""
    result_chars: int | None = None
    """Characters of what the rule made of it."""


def offload_gates(facts: OffloadFacts) -> list[Gate]:
    """Return all gates in order; those after the deciding one are open and without a value."""
    names = TTL_GATES if facts.ttl else OFFLOAD_GATES
    passed = _verdicts(facts, names)
    return [_gate(name, passed[name], facts) for name in names]


def _verdicts(facts: OffloadFacts, names: tuple[str, ...]) -> dict[str, bool | None]:
    passed: dict[str, bool | None] = dict.fromkeys(names)
    failed = _DECLINED_BY.get(facts.reason or "") if facts.outcome == "declined" else None
    if facts.outcome in ("undecided", "running"):
        surely = ["idle", "occupancy", "size"] if facts.measured else []
        surely += ["protected"] if facts.tried else []
    else:
        surely = list(names)
    for name in names:
        if name == failed:
            passed[name] = False
            return passed
        if name in surely:
            passed[name] = True
    if not facts.ruled:
        passed["rule"] = False if facts.tried and "rule" in surely else None
    if facts.outcome in ("cut", "gave_up"):
        passed["write"] = False
    return passed


def _gate(name: str, passed: bool | None, facts: OffloadFacts) -> Gate:
    value = limit = unit = None
    if name == "size":
        value, limit, unit = facts.tokens, facts.threshold, "tokens"
    elif name == "rule":
        value, limit, unit = facts.result_chars, facts.chars, "characters"
    if passed is None or (name == "rule" and not facts.ruled):
        value = limit = None
    return Gate.tested(name, passed, value, limit, unit, _basis(name, facts))


def _basis(name: str, facts: OffloadFacts) -> Basis:
    """Return what a verdict rests on: of some tests there is a record only of what came after."""
    stated = {
        "size": facts.measured,
        "rule": facts.ruled,
        "write": facts.outcome == "offloaded",
    }
    return "recorded" if stated.get(name, False) else "inferred"
