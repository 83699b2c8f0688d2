"""The gates of a decision: which were passed, which decided, and what was measured."""

from typing import Any

import pytest

from inspector.trace.compressions.gates import GATE_NAMES, PrefixFacts, prefix_gates
from inspector.trace.decision import Gate, Outcome


def reached(outcome: Outcome, reason: str | None = None, **more: Any) -> PrefixFacts:
    """Return facts of an attempt that came as far as the model."""
    measured = {"total": 900, "threshold": 800, "target": 500, "span_messages": 7}
    return PrefixFacts(outcome, reason, **{**measured, **more})


def by_name(facts: PrefixFacts) -> dict[str, Gate]:
    gates = prefix_gates(facts)
    assert tuple(gate.gate for gate in gates) == GATE_NAMES
    return {gate.gate: gate for gate in gates}


def passed(facts: PrefixFacts) -> list[bool | None]:
    return [gate.passed for gate in prefix_gates(facts)]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("below_threshold", [True, False, None, None, None, None, None]),
        ("no_compressible_span", [True, True, False, None, None, None, None]),
        ("target_below_min", [True, True, True, False, None, None, None]),
    ],
)
def test_a_decline_is_decided_by_one_gate(reason: str, expected: list[bool | None]) -> None:
    facts = PrefixFacts("declined", reason, total=700, threshold=800, target=50, min_target=100)
    assert passed(facts) == expected
    for gate in prefix_gates(facts):
        if gate.passed is None:
            assert (gate.value, gate.limit, gate.margin) == (None, None, None)


def test_the_margin_is_the_value_above_the_limit() -> None:
    gates = by_name(PrefixFacts("declined", "below_threshold", total=700, threshold=800))
    assert (gates["threshold"].value, gates["threshold"].limit) == (700, 800)
    assert (gates["threshold"].margin, gates["threshold"].unit) == (-100, "tokens")


def test_a_compression_passed_all_gates() -> None:
    facts = reached("compressed", min_target=100, model_calls=2, before=900, after=300)
    gates = by_name(facts)
    assert passed(facts) == [True] * 7
    assert (gates["span"].value, gates["model_call"].value) == (7, 2)
    assert (gates["benefit"].value, gates["benefit"].limit, gates["benefit"].margin) == (
        300,
        900,
        -600,
    )


@pytest.mark.parametrize(
    ("reason", "gate"),
    [
        ("authentication", "model_call"),
        ("overflow_exhausted", "model_call"),
        ("transient_exhausted", "model_call"),
        ("empty_answer", "answer"),
        ("no_benefit", "benefit"),
    ],
)
def test_a_known_give_up_is_decided_by_one_gate(reason: str, gate: str) -> None:
    gates = by_name(reached("gave_up", reason, model_calls=3))
    assert gates[gate].passed is False
    assert gates["min_target"].passed is True
    assert gates["model_call"].value == 3


def test_a_silent_give_up_leaves_its_gates_open() -> None:
    facts = reached(
        "gave_up",
        candidates=["no_benefit", "empty_answer", "authentication"],
        basis="inferred",
        model_calls=1,
    )
    gates = by_name(facts)
    assert passed(facts) == [True, True, True, True, None, None, None]
    assert gates["model_call"].value == 1
    assert gates["model_call"].basis == "inferred"


def test_reasons_that_agree_on_a_gate_decide_it() -> None:
    facts = reached("gave_up", candidates=["empty_answer"], basis="inferred", model_calls=1)
    gates = by_name(facts)
    assert (gates["model_call"].passed, gates["answer"].passed) == (True, False)
    assert gates["answer"].basis == "inferred"


def test_a_forced_compression_skips_the_gates_that_were_not_tested() -> None:
    facts = PrefixFacts("compressed", forced=True, span_messages=7, model_calls=1)
    assert passed(facts) == [True, None, True, None, True, True, True]


def test_nothing_is_said_of_a_compressor_that_was_perhaps_never_asked() -> None:
    facts = PrefixFacts("undecided", candidates=["no_model"], basis="inferred", checked=False)
    assert passed(facts) == [None] * 7


def test_an_assumed_limit_is_marked() -> None:
    facts = reached("compressed", min_target=100, min_target_basis="inferred")
    assert by_name(facts)["min_target"].basis == "inferred"
    assert by_name(facts)["threshold"].basis == "recorded"
