"""Model calls of an attempt and what happens when they fail (`engine.md` §5.5, Ex 8, Ex 15)."""

from typing import Any

import pytest

from engine.debug.records import CompressionRetry
from engine.errors.model_calls import ModelCallError
from engine.messages import SystemMessage, ToolInfo
from engine.processors.compressors.attempt import fitting_prefix
from engine.wording import Wording
from tests.conversations import conversation
from tests.scripted import START, Bench, Script, bench

OVERFLOW = ModelCallError("maximum context", status=400)
RATE = ModelCallError("slow down", status=429)
REFUSED = ModelCallError("who are you", status=401)
BAD = ModelCallError("no", status=400)
ODD = ValueError("odd")
PROMPT = {"memory_blocks": {"current": {"prompt": "p" * 7817}}}
"""A prompt of the original's length: it takes part in the budget after an overflow."""

EXAMPLE_8 = conversation("u" + " a:2964" * 8)


def tried(script: Script, capacity: int = 10_000, **options: Any) -> Bench:
    made = bench(
        ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5}),
        messages=options.pop("messages", EXAMPLE_8),
        model=script,
        capacity=capacity,
        wording=Wording.from_data(PROMPT),
    )
    made.system, made.tools = options.get("system", []), options.get("tools", [])
    made.window()
    return made


def retries(made: Bench) -> list[tuple[int, str, str, bool, float | None]]:
    return [
        (r.attempt, r.error_type, r.reason, r.retried, r.budget_ratio or r.delay_seconds)
        for r in made.records
        if isinstance(r, CompressionRetry)
    ]


def test_each_overflow_shrinks_the_span_of_the_one_before() -> None:
    script = Script(OVERFLOW, OVERFLOW, OVERFLOW, OVERFLOW)
    made = tried(script)
    assert [len(call.target) for call in script.calls] == [8, 5, 3, 2]
    assert [len(call.messages) for call in script.calls] == [10, 7, 5, 4]
    kind = "context_overflow"
    assert retries(made) == [
        (1, kind, "budget_ratio_shrink", True, 0.85),
        (2, kind, "budget_ratio_shrink", True, 0.65),
        (3, kind, "budget_ratio_shrink", True, 0.5),
        (4, kind, "retry_budget_exhausted", False, None),
    ]
    [outcome] = made.outcomes
    assert (outcome.reason, outcome.error_kind) == ("overflow_exhausted", kind)
    assert outcome.span is not None
    assert outcome.span.messages_to_compress_count == 2
    assert len(made.context) == 9


def test_a_smaller_span_that_works_leaves_the_rest_in_the_tail() -> None:
    made = tried(Script(OVERFLOW, "S"))
    kept = made.context.get_messages()
    assert len(kept) == 5
    assert kept[1].text.startswith("<memory_block_current>")
    [dump] = made.sink.dumps
    assert dump().span.model_dump() == {
        "preserved_prefix_count": 1,
        "messages_to_compress_count": 5,
        "protected_tail_count": 3,
    }
    assert dump().compression_request.exclude_recent_messages == 3
    assert dump().trigger.target_tokens == 3 + 5 * 996
    assert made.outcomes[0].model_calls == 2


def test_nothing_smaller_fits_beside_the_prompt() -> None:
    script = Script(OVERFLOW)
    made = tried(script, capacity=3000)
    assert len(script.calls) == 1
    assert retries(made) == [(1, "context_overflow", "no_smaller_span", False, None)]
    assert made.outcomes[0].reason == "overflow_no_smaller_span"
    assert made.states == ["CurrentRoundCompressor started", "CurrentRoundCompressor noop"]


def test_system_messages_and_tools_take_room() -> None:
    script = Script(OVERFLOW, OVERFLOW)
    tried(script, system=[SystemMessage(content="x" * 3000)], tools=[ToolInfo(name="a")])
    # 8500 − (2622 + 1007 + 28) = 4843: four messages of 999 fit instead of five
    assert len(script.calls[1].target) == 4
    assert [call.messages[0].role for call in script.calls] == ["system"] * 3
    assert len(script.calls[0].tools) == 1


def test_a_request_is_system_prefix_target_and_prompt() -> None:
    script = Script()
    made = bench(
        ("RoundLevelCompressor", {"keep_recent_messages": 1}),
        messages=conversation("u:1500 s a:1500 t{x}:9"),
        model=script,
    )
    made.system = [SystemMessage(content="s")]
    made.window()
    [call] = script.calls
    assert "".join(message.role[0] for message in call.messages) == "susau"
    assert call.messages[-1].text == made.context.wording.block("round").prompt
    assert [message.role for message in call.target] == ["user", "system", "assistant"]


@pytest.mark.parametrize(
    ("tokens", "room", "fitting"),
    [
        ([10, 10, 10], 20, 2),
        ([10, 10, 10], 19, 1),
        ([10, 10, 10], 30, 2),  # all would fit: one fewer
        ([10, 10, 10], 5, 1),  # none fits: one all the same
        ([10, 10, 10], 0, None),
        ([10, 10, 10], -1, None),
        ([10], 5, None),
        ([10], 50, None),
        ([10, 10], 50, 1),
        ([1, 50, 1], 5, 1),  # up to the first that does not fit
    ],
)
def test_what_fits(tokens: list[int], room: int, fitting: int | None) -> None:
    assert fitting_prefix(tokens, room) == fitting


@pytest.mark.parametrize(
    ("answers", "calls", "story", "reason"),
    [
        ([RATE, "S"], 2, [(1, "transient:rate_limit", 0.05)], None),
        (
            [RATE, ODD, TimeoutError()],
            3,
            [(1, "transient:rate_limit", 0.05), (2, "transient:unknown", 0.1)],
            "transient_exhausted",
        ),
        ([REFUSED], 1, [], "authentication"),
        ([BAD], 1, [], "api_request_error"),
        ([RATE, REFUSED], 2, [(1, "transient:rate_limit", 0.05)], "authentication"),
    ],
)
def test_transient_errors_are_tried_again_twice(
    answers: list[str | Exception], calls: int, story: list[tuple[int, str, float]], reason: str
) -> None:
    script = Script(*answers)
    made = tried(script)
    assert len(script.calls) == calls
    assert [(r[0], r[1], r[4]) for r in retries(made)] == story
    assert all(r[2] == "transient_backoff" and r[3] for r in retries(made))
    assert made.outcomes[0].reason == reason
    assert (len(made.context) == 2) == (reason is None)


def test_overflows_and_transient_errors_are_counted_apart() -> None:
    script = Script(RATE, OVERFLOW, RATE, OVERFLOW, RATE)
    made = tried(script)
    assert [len(call.target) for call in script.calls] == [8, 8, 5, 5, 3]
    assert [(r[0], r[2]) for r in retries(made)] == [
        (1, "transient_backoff"),
        (1, "budget_ratio_shrink"),
        (2, "transient_backoff"),
        (2, "budget_ratio_shrink"),
    ]
    assert made.outcomes[0].reason == "transient_exhausted"


def test_pauses_pass_on_the_clock() -> None:
    made = tried(Script(RATE, RATE, "S"))
    assert 0.15 < made.clock.now() - START < 0.3


def test_an_attempt_is_told_in_its_own_record() -> None:
    [outcome] = tried(Script(RATE, "S")).outcomes
    assert outcome.outcome == "compressed"
    assert outcome.summarizers == ["model", "script"]
    assert outcome.before_tokens == 7978
    assert outcome.after_tokens is not None
