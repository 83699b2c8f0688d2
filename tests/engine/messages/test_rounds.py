"""Dialogue rounds (`engine.md` §1.5) and completed API rounds (§5.7.2)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, UserMessage
from engine.messages.rounds import (
    completed_api_rounds,
    dialogue_round_count,
    dialogue_rounds,
    start_of_last_rounds,
)
from tests.conversations import CONVERSATIONS, conversation


@pytest.mark.parametrize(
    ("notation", "rounds"),
    [
        ("u a u a{x} t{x} a u", [(6, None), (2, 5), (0, 1)]),
        ("u a u a{x} t{x}", [(2, None), (0, 1)]),
        ("u u", [(0, None)]),
        ("a", []),
        ("", []),
        ("t{x} s", []),
        ("u m u a", [(0, 3)]),  # blocks that the engine wrote count as user turns
        ("u a a", [(0, 2)]),
        ("u s u a", [(2, 3), (0, None)]),  # a system message parts two groups
        ("u a{x} u a", [(2, 3), (0, None)]),
        ("u a u u", [(2, None), (0, 1)]),
        ("a u", []),  # the scan ends at the answer, nobody asked for it
    ],
)
def test_dialogue_rounds_newest_first(notation: str, rounds: list[tuple[int, int | None]]) -> None:
    assert dialogue_rounds(conversation(notation)) == rounds


@pytest.mark.parametrize(("count", "start"), [(1, 6), (2, 2), (3, 0), (99, 0)])
def test_where_the_last_rounds_begin(count: int, start: int) -> None:
    assert start_of_last_rounds(conversation("u a u a{x} t{x} a u"), count) == start


def test_without_rounds_nothing_is_cut() -> None:
    assert start_of_last_rounds(conversation("a t{x}"), 1) == 0


@pytest.mark.parametrize(
    ("notation", "rounds"),
    [
        ("u a u a{x} t{x} a u", [(0, 2), (2, 5), (5, 6)]),
        ("u a{x,y} t{y} t{x}", [(0, 4)]),
        ("u a{x,y} t{y}", []),
        ("u u a", [(1, 3)]),  # each user message starts the round anew
        ("s u a", [(1, 3)]),
        ("u a{x} u t{x} a", [(0, 4), (4, 5)]),  # not while a result is pending
        ("u a{x} a{y} t{y}", [(0, 4)]),  # later calls replace what was pending
        ("u a{x} a{y} t{x}", []),
        ("u a{x} a", [(0, 3)]),
        ("t{x} a", [(0, 2)]),
    ],
)
def test_completed_api_rounds(notation: str, rounds: list[tuple[int, int]]) -> None:
    found = completed_api_rounds(conversation(notation))
    assert [(r.start, r.stop) for r in found] == rounds


def test_calls_without_ids_end_a_round_at_once() -> None:
    nameless = AssistantMessage(tool_calls=[ToolCall(name="t")])
    assert completed_api_rounds([UserMessage(content="u"), nameless]) == [range(0, 2)]


def reference_rounds(messages: list[Message]) -> list[tuple[int, int | None]]:
    """Return the dialogue rounds, step by step as `engine.md` §1.5 puts it."""
    roles = [message.role for message in messages]
    rounds: list[tuple[int, int | None]] = []
    i = len(messages) - 1
    while i >= 0:
        before_walk, end = i, None
        while i >= 0 and roles[i] != "assistant":
            i -= 1
        if i >= 0:
            message = messages[i]
            assert isinstance(message, AssistantMessage)
            end = None if message.tool_calls else i
            i -= 1
        else:
            i = before_walk
        while i >= 0 and roles[i] != "user":
            i -= 1
        if i < 0:
            break
        user = start = i
        while start > 0 and roles[start - 1] == "user":
            start -= 1
        if not rounds:
            later = next((j for j in range(len(roles) - 1, user, -1) if roles[j] == "user"), None)
            if later is not None:
                while roles[later - 1] == "user":
                    later -= 1
                rounds.append((later, None))
        rounds.append((start, end))
        i = start - 1
    return rounds


@given(CONVERSATIONS)
def test_dialogue_rounds_are_the_specified_ones(messages: list[Message]) -> None:
    assert dialogue_rounds(messages) == reference_rounds(messages)


@given(st.text("suat", max_size=30))
def test_roles_tell_how_many_dialogue_rounds_there_are(roles: str) -> None:
    notation = " ".join("t{x}" if letter == "t" else letter for letter in roles)
    assert dialogue_round_count(roles) == len(dialogue_rounds(conversation(notation)))


@given(CONVERSATIONS, st.integers(1, 9))
def test_rounds_lie_apart_and_in_order(messages: list[Message], count: int) -> None:
    rounds = completed_api_rounds(messages)
    for before, after in pairwise(rounds):
        assert before.stop <= after.start
    starts = [r.start for r in dialogue_rounds(messages)]
    assert starts == sorted(set(starts), reverse=True)
    assert start_of_last_rounds(messages, count) in (starts or [0])


def test_a_long_list_of_turns_without_answers_takes_no_time() -> None:
    assert len(dialogue_rounds(conversation("u s " * 20_000))) == 20_000
