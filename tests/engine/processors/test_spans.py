"""Spans (`engine.md` §5.1, §5.2) by the worked examples 1 to 5, and what holds for any."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from engine.messages.authors import last_real_user
from engine.processors.spans import (
    Span,
    current_round_span,
    dialogue_span,
    protected_tail,
    round_level_span,
)
from tests.conversations import CONVERSATIONS, conversation

EXAMPLE_1 = "u a{a} t{a} a u a{b} t{b} a{c} t{c}"
PARALLEL = "u a{a,b} t{a} t{b} a"
LATE = "u a{a} u t{a} a"
INTERNAL = "u a m a{b} t{b} m"
NO_USER = "m a{b} t{b}"


def split(name: str, messages: Sequence[Message], keep: int) -> Span:
    """Return the span of a compressor by the letter of its name and its `keep_recent_messages`."""
    if name == "D":
        return dialogue_span(messages)
    return (current_round_span if name == "C" else round_level_span)(messages, keep)


@pytest.mark.parametrize(
    ("notation", "name", "keep", "lengths"),
    [
        (EXAMPLE_1, "D", 0, (0, 4, 5)),
        (EXAMPLE_1, "C", 0, (5, 4, 0)),
        (EXAMPLE_1, "C", 1, (5, 2, 2)),
        (EXAMPLE_1, "C", 3, (5, 0, 4)),
        (EXAMPLE_1, "R", 4, (0, 5, 4)),
        (EXAMPLE_1, "R", 3, (0, 5, 4)),
        (EXAMPLE_1, "R", 0, (0, 9, 0)),
        (PARALLEL, "C", 1, (1, 3, 1)),
        (PARALLEL, "C", 2, (1, 0, 4)),
        (PARALLEL, "C", 3, (1, 0, 4)),
        (LATE, "D", 0, (0, 1, 4)),
        (LATE, "C", 0, (3, 2, 0)),
        (LATE, "C", 2, (3, 0, 2)),
        (INTERNAL, "D", 0, (0, 0, 6)),
        (INTERNAL, "C", 0, (1, 5, 0)),
        (INTERNAL, "R", 1, (0, 5, 1)),
        (NO_USER, "D", 0, (0, 0, 3)),
        (NO_USER, "C", 0, (0, 0, 0)),
        (NO_USER, "C", 1, (0, 0, 2)),
        (NO_USER, "R", 1, (0, 1, 2)),
        ("u a{1} t{1} a", "C", 2, (1, 0, 3)),  # Ex 5: what the article gets wrong
        ("u a{x} t{y} t{y}", "R", 1, (0, 3, 1)),  # a result without a call ties nothing
        ("s u a", "C", 0, (2, 1, 0)),
        ("u a", "R", 9, (0, 0, 2)),
        ("", "D", 0, (0, 0, 0)),
        ("", "C", 0, (0, 0, 0)),
        ("", "R", 4, (0, 0, 0)),
    ],
)
def test_worked_examples(
    notation: str, name: str, keep: int, lengths: tuple[int, int, int]
) -> None:
    span = split(name, conversation(notation), keep)
    assert (len(span.prefix), len(span.target), len(span.tail)) == lengths


def test_a_tail_says_which_calls_moved_it() -> None:
    tail = protected_tail(conversation("a{x} u a{b} t{x} t{b}"), 1)
    assert (tail.wanted_start, tail.start) == (4, 0)
    assert [(tie.call, tie.call_id) for tie in tail.ties] == [(2, "b"), (0, "x")]
    assert protected_tail(conversation("u a{b} t{b}"), 2).ties == ()


def reference_keep(messages: Sequence[Message], keep: int) -> int:
    """Return the length of the tail as `engine.md` §5.1 puts it; an empty id names no call."""
    if keep <= 0 or not messages:
        return max(keep, 0)
    n = len(messages)
    start = max(n - keep, 0)
    while True:
        ids = {m.tool_call_id for m in messages[start:] if isinstance(m, ToolMessage)} - {""}
        calling = [
            i
            for i, m in enumerate(messages[:start])
            if isinstance(m, AssistantMessage)
            and any(call.id in ids for call in m.tool_calls or [])
        ]
        if not ids or not calling:
            return n - start
        start = min(calling)


@given(CONVERSATIONS, st.integers(-1, 18))
def test_the_tail_is_the_specified_one(messages: list[Message], keep: int) -> None:
    tail = protected_tail(messages, keep)
    assert len(messages) - tail.start == min(reference_keep(messages, keep), len(messages))
    assert [tie.call for tie in tail.ties] == sorted({t.call for t in tail.ties}, reverse=True)
    if tail.ties:
        assert tail.ties[-1].call == tail.start


@given(CONVERSATIONS, st.sampled_from("DCR"), st.integers(0, 8))
def test_a_span_is_the_window_in_three_parts(messages: list[Message], name: str, keep: int) -> None:
    span = split(name, messages, keep)
    whole = [*span.prefix, *span.target, *span.tail]
    nobody = name == "C" and last_real_user(messages) < 0  # the one span that leaves a part out
    assert [*map(id, whole)] == [*map(id, messages[len(messages) - len(whole) :])]
    assert nobody or len(whole) == len(messages)
    assert not (nobody and span.target)


@given(CONVERSATIONS, st.sampled_from("DCR"), st.integers(1, 8))
def test_a_tail_never_starts_between_a_call_and_its_result(
    messages: list[Message], name: str, keep: int
) -> None:
    span = split(name, messages, keep)
    if not span.target:
        return
    replaced = {
        call.id
        for message in span.target
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls or ()
    }
    answered = {m.tool_call_id for m in span.tail if isinstance(m, ToolMessage)}
    assert replaced & answered <= {""}  # which names no call


def test_an_empty_id_ties_nothing() -> None:
    calling = AssistantMessage(tool_calls=[ToolCall(id="", name="t")])
    messages = [*conversation("u a"), calling, ToolMessage(content="x", tool_call_id="")]
    assert protected_tail(messages, 1).start == 3


def test_late_results_of_a_long_session_are_found_in_one_pass() -> None:
    chain = [f"a{{{i}}} t{{{i - 1}}}" for i in range(1, 20_000)]
    tail = protected_tail(conversation(" ".join(chain)), 1)
    assert tail.start == 0
    assert len(tail.ties) == 19_998
