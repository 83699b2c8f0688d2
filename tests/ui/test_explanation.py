"""Every decision in plain words."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from inspector.trace.compressions.gates import GAVE_UP_BY
from inspector.trace.decision import Decision, Gate, Outcome, Span, Tokens
from inspector.ui.models.detail.explanation import REASONS, explain
from inspector.ui.models.detail.gate_list import GateListModel

TOKENS = Tokens(total=19_344, threshold=19_200, capacity=24_000, method="usage+tail")


def decision(**fields: Any) -> Decision:
    known: dict[str, Any] = {
        "session_id": "s",
        "context_id": "c",
        "time": 1.0,
        "step": 71,
        "processor": "CurrentRoundCompressor",
        "phase": "get_context_window",
        "outcome": "declined",
        "basis": "recorded",
        "tokens": TOKENS,
    }
    return Decision(**known | fields)


def test_a_compression() -> None:
    tokens = TOKENS.model_copy(update={"before": 18_900, "after": 6_998, "method": "tiktoken"})
    said = explain(
        decision(outcome="compressed", tokens=tokens, span=Span(prefix=4, compress=35, tail=7))
    )
    assert said == (
        "The window held 19,344 tokens and had reached the limit of 19,200; 35 messages made way "
        "for a summary. The context went from 18,900 to 6,998 tokens, 11,902 fewer."
    )


def test_only_what_was_demanded_is_said_to_be() -> None:
    demanded = decision(outcome="compressed", tokens=None, phase="active_compress")
    assert explain(demanded) == "Compressed on demand."
    assert explain(decision(outcome="compressed", tokens=None)) == "Compressed."


def test_a_compression_that_made_it_longer_says_so() -> None:
    tokens = TOKENS.model_copy(update={"before": 100, "after": 120})
    assert "~20 more" in explain(decision(outcome="compressed", tokens=tokens))


def test_a_folded_loop() -> None:
    gates = [
        Gate(gate="reasoning_tools", passed=False, value=2, limit=3, unit="rounds"),
        Gate(gate="tool_args", passed=True, value=5, limit=5, unit="rounds"),
    ]
    tokens = Tokens(before=1_618, after=1_550)
    folded = decision(outcome="folded", gates=gates, tokens=tokens)
    assert explain(folded) == (
        "5 rounds with the same calls were folded, for 5 make a loop: one message with the latest "
        "calls took their place. The context went from ~1,618 to ~1,550 tokens, ~68 fewer."
    )
    assert explain(decision(outcome="folded", tokens=None)) == (
        "A loop of tool calls was folded: one message with the latest calls took their place."
    )
    model = GateListModel()
    model.show_decision(folded)
    assert [model.verdict(row).told for row in range(2)] == ["not so", "passed"]
    assert model.reached(1)


def test_a_window_below_its_limit() -> None:
    tokens = TOKENS.model_copy(update={"total": 7_442})
    said = explain(decision(reason="below_threshold", tokens=tokens))
    assert said == (
        "Nothing to do: the window held ~7,442 tokens, ~11,758 below the limit of 19,200."
    )


def test_nothing_to_compress() -> None:
    assert explain(decision(reason="no_compressible_span")).endswith(
        "had reached the limit of 19,200, but no message may be compressed here."
    )


def test_too_little_to_compress() -> None:
    tokens = TOKENS.model_copy(update={"target": 1_200, "min_target": 2_400})
    said = explain(decision(reason="target_below_min", tokens=tokens))
    assert "holds ~1,200 tokens and at least 2,400" in said


def test_a_give_up_of_unknown_cause_names_what_is_likely() -> None:
    said = explain(
        decision(
            outcome="gave_up",
            basis="inferred",
            candidates=["no_benefit", "authentication"],
            model_calls=2,
        )
    )
    assert "after 2 model calls. The files do not say why; likeliest:" in said
    assert said.index("smaller") < said.index("credentials")


def test_a_give_up_of_recorded_cause() -> None:
    said = explain(decision(outcome="gave_up", reason="overflow_no_smaller_span", model_calls=1))
    assert said.endswith(
        "gave up after 1 model call: the request was too long and no smaller span was left."
    )


def offload(outcome: Outcome, reason: str | None, *gates: Gate) -> str:
    return explain(
        decision(
            processor="MessageSummaryOffloader",
            outcome=outcome,
            reason=reason,
            tokens=None,
            gates=list(gates),
        )
    )


SIZE = Gate(gate="size", passed=True, value=3_275, limit=600, unit="tokens")


def test_an_offload_tells_size_rule_and_what_became_of_the_original() -> None:
    rule = Gate(gate="rule", passed=True, value=3_686, limit=9_796, unit="characters")
    assert offload("offloaded", "rule:LOG", SIZE, rule) == (
        "The message held ~3,275 tokens, more than the 600 that one may have. The rule for logs "
        "shortened it from 9,796 to 3,686 characters. The original was written to a file, and a "
        "marker stands for it."
    )
    assert "A rule shortened it" in offload("cut", "write_failed", SIZE, rule)
    assert offload("cut", "write_failed", SIZE, rule).endswith("what was cut off is lost.")


def test_an_offload_that_no_rule_shortened() -> None:
    said = offload("offloaded", None, SIZE, Gate(gate="rule", passed=False))
    assert "only its beginning and its end were kept" in said


def test_an_offload_whose_marker_is_longer_than_what_it_saved() -> None:
    larger = Tokens(before=413, after=483)
    said = explain(decision(outcome="offloaded", gates=[SIZE], tokens=larger))
    assert said.endswith("With the marker it holds ~483 tokens, more than before.")
    smaller = Tokens(before=483, after=413)
    assert "more than before" not in explain(
        decision(outcome="offloaded", gates=[SIZE], tokens=smaller)
    )


def test_an_offload_that_only_its_file_tells_of() -> None:
    said = offload("offloaded", None, Gate(gate="size", passed=True), Gate(gate="rule"))
    assert said == "The original was written to a file, and a marker stands for it."


def test_a_message_that_is_small_enough() -> None:
    small = Gate(gate="size", passed=False, value=42, limit=600, unit="tokens")
    assert offload("declined", "message_below_threshold", small) == (
        "Nothing to do: the message held ~42 tokens, and 600 are few enough."
    )


def test_notes_that_took_the_place_of_messages() -> None:
    said = explain(decision(outcome="materialised", basis="inferred"))
    assert said.endswith("; the session notes took the place of older messages.")
    said = explain(decision(outcome="declined", basis="inferred", candidates=["no_anchor"]))
    assert "likeliest: the last message that the notes cover is not in the window." in said


@pytest.mark.parametrize("reason", GAVE_UP_BY)
def test_every_give_up_has_words(reason: str) -> None:
    assert reason in REASONS


@pytest.mark.parametrize("outcome", get_args(Outcome))
@pytest.mark.parametrize("reason", [None, "protected_tool", "something:of_later"])
def test_every_outcome_makes_a_sentence(outcome: Outcome, reason: str | None) -> None:
    for tokens in (None, Tokens(), TOKENS):
        said = explain(decision(outcome=outcome, reason=reason, tokens=tokens))
        assert said[0].isupper()
        assert said.endswith(".")
        assert "None" not in said
        assert "_" not in said
