"""The gates of a prefix compressor, in the order in which the engine tests them.

One function makes them, for decisions read from files and for those of a replay, from plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.trace.decision import Basis, Gate, Outcome

GATE_NAMES = ("model", "threshold", "span", "min_target", "model_call", "answer", "benefit")
_GATES_OF = {
    "BudgetedSummary": tuple(name for name in GATE_NAMES if name != "min_target"),
    "ObservationMasking": ("threshold", "span"),
}
"""Gates of the processors of a minimal loop, which test less."""

_DECLINED_BY = {
    "no_model": "model",
    "nothing_to_mask": "span",
    "below_threshold": "threshold",
    "no_compressible_span": "span",
    "target_below_min": "min_target",
}
GAVE_UP_BY = {
    "authentication": "model_call",
    "api_request_error": "model_call",
    "overflow_exhausted": "model_call",
    "overflow_no_smaller_span": "model_call",
    "transient_exhausted": "model_call",
    "interrupted": "model_call",
    "empty_answer": "answer",
    "no_benefit": "benefit",
}
"""The gate at which each give-up stopped."""


@dataclass(frozen=True)
class PrefixFacts:
    """What is known of one decision of a prefix compressor; None: not known."""

    outcome: Outcome
    reason: str | None = None
    candidates: Sequence[str] = ()
    """Possible reasons of an inferred give-up."""
    basis: Basis = "recorded"
    forced: bool = False
    """Compression on demand: threshold and least target were not tested."""
    checked: bool = True
    """The compressor is known to have been asked."""
    total: int | None = None
    """Tokens of the whole window."""
    threshold: int | None = None
    """Tokens."""
    span_messages: int | None = None
    """Messages of the span to compress that was tested first."""
    target: int | None = None
    """Tokens of that span."""
    min_target: int | None = None
    """Tokens."""
    min_target_basis: Basis = "recorded"
    model_calls: int = 0
    before: int | None = None
    """Tokens of the context messages."""
    after: int | None = None
    """Tokens of the context messages that resulted or would have resulted."""


def prefix_gates(facts: PrefixFacts, processor: str = "") -> list[Gate]:
    """Return all gates in order; those after the deciding one are open and without a value.

    Args:
        facts: What is known of the decision.
        processor: Who made it, as some test less than others.
    """
    passed, basis = _verdicts(facts)
    called = passed["model_call"] is not None or facts.model_calls > 0
    measured = {
        "model": _Measured(),
        "threshold": _Measured(facts.total, facts.threshold, "tokens"),
        "span": _Measured(_span_value(facts), 1, "messages"),
        "min_target": _Measured(facts.target, facts.min_target, "tokens"),
        "model_call": _Measured(facts.model_calls if called else None, None, "attempts"),
        "answer": _Measured(),
        "benefit": _Measured(facts.after, facts.before, "tokens"),
    }
    if passed["min_target"] is not None and facts.min_target_basis == "inferred":
        basis["min_target"] = "inferred"
    reached = _reached(facts, passed)
    return [
        Gate.tested(
            name,
            passed[name],
            *(measured[name] if name in reached else _Measured(unit=measured[name].unit)),
            basis[name],
        )
        for name in _GATES_OF.get(processor, GATE_NAMES)
    ]


class _Measured(NamedTuple):
    value: int | None = None
    limit: int | None = None
    unit: str | None = None


def _span_value(facts: PrefixFacts) -> int | None:
    return 0 if _DECLINED_BY.get(facts.reason or "") == "span" else facts.span_messages


def _verdicts(facts: PrefixFacts) -> tuple[dict[str, bool | None], dict[str, Basis]]:
    """Return for each gate whether it was passed, and on what that rests."""
    basis: dict[str, Basis] = dict.fromkeys(GATE_NAMES, "recorded")
    basis["model"] = "inferred"  # no record says so; there would be none at all without a model
    passed: dict[str, bool | None] = dict.fromkeys(GATE_NAMES)
    if not facts.checked:
        return passed, dict.fromkeys(GATE_NAMES, "inferred")
    certain, failed = _deciding(facts)
    for name in GATE_NAMES:
        if name == failed:
            passed[name] = False
            break
        if name not in certain:
            break
        passed[name] = True
    if facts.forced:
        passed["threshold"] = passed["min_target"] = None
    if facts.basis == "inferred":
        for name in ("model_call", "answer", "benefit"):
            basis[name] = "inferred"
    return passed, basis


def _deciding(facts: PrefixFacts) -> tuple[Sequence[str], str | None]:
    """Return the gates that were surely passed, and the one that surely was not."""
    if facts.outcome in ("compressed", "cut"):
        return GATE_NAMES, None
    if facts.outcome == "declined":
        return GATE_NAMES, _DECLINED_BY.get(facts.reason or "")
    asked = GATE_NAMES[: GATE_NAMES.index("model_call")]
    if facts.outcome != "gave_up":
        return asked, None
    reasons = [facts.reason] if facts.reason else list(facts.candidates)
    gates = {GAVE_UP_BY[reason] for reason in reasons if reason in GAVE_UP_BY}
    if len(gates) == 1:
        return GATE_NAMES, gates.pop()
    first = min((GATE_NAMES.index(gate) for gate in gates), default=len(asked))
    return GATE_NAMES[:first], None


def _reached(facts: PrefixFacts, passed: dict[str, bool | None]) -> set[str]:
    """Return the gates that have figures: those decided, and the model call where one was made."""
    reached = {name for name in GATE_NAMES if passed[name] is not None}
    if facts.model_calls:
        reached.add("model_call")
    return reached
