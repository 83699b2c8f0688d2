"""Folding that left no record, told from the agent's own requests."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Message
from inspector.trace.opened import open_traces
from inspector.trace.recording import Recording
from tests.conversations import conversation, reading
from tests.debug_files import START, DebugFolder, Record, check, record
from tests.scripted import bench

NAME = "ReasoningToolLoopCompactProcessor"

Chat = list[dict[str, Any]]


def thinking(number: int) -> list[Message]:
    """Return a call that follows the same thought as the others, and its result."""
    call, result = reading(f"c{number}", "none", "grep", n=number)
    return [call.model_copy(update={"reasoning_content": "let me look"}), result]


THREE = [thinking(number) for number in range(3)]


def folded(*rounds: list[Message]) -> list[Chat]:
    """Return the window before each round and after the last, as the engine has them."""
    made = bench((NAME, {}), messages=conversation("u"))
    windows = [[message.to_chat() for message in made.window().context_messages]]
    for exchange in rounds:
        for message in exchange:
            made.add(message)
        windows.append([message.to_chat() for message in made.window().context_messages])
    return windows


def requests(folder: Path, windows: list[Chat], *more: Record) -> Recording:
    debug = DebugFolder(folder)
    asked = (
        record("pre_call", "llm_request", at, messages=messages, message_count=len(messages))
        for at, messages in enumerate(windows)
    )
    debug.write([*asked, *more])
    [trace] = open_traces([folder]).traces
    return trace


def folds(trace: Recording) -> list[int]:
    rows = range(len(trace.decisions))
    return [row for row in rows if trace.decision(row).outcome == "folded"]


@pytest.mark.parametrize(
    "rounds",
    [THREE, [reading(f"c{number}", "none", "grep", n=1) for number in range(5)]],
    ids=["the same thought", "the same arguments"],
)
def test_a_loop_whose_place_a_warning_took_was_folded(
    rounds: list[list[Message]], tmp_path: Path
) -> None:
    windows = folded(*rounds)
    trace = requests(tmp_path, windows)
    [row] = folds(trace)
    decision, detail = trace.decision(row), trace.detail(row)
    assert (decision.processor, decision.phase, decision.basis) == (
        NAME,
        "add_messages",
        "inferred",
    )
    assert decision.step == len(windows)
    assert (decision.time, decision.before) == (None, START + len(windows) - 1)
    assert detail.windows is not None
    fates = [line.fate for line in detail.windows.rows]
    assert fates == ["kept", *["folded"] * 2 * (len(rounds) - 1), "written"]


def changed(windows: list[Chat], what: str) -> list[Chat]:
    """Return windows with something that no folding leaves."""
    *rest, last = json.loads(json.dumps(windows))
    if what == "an answer without calls":
        last[-1]["content"] = "I give up."
    elif what == "an answer about other tools":
        last[-1]["content"] = '{"tool_calls": [{"name": "bash"}]}'
    elif what == "a user's message":
        last[-1]["role"] = "user"
    elif what == "another beginning":
        last[0]["content"] = "another question"
    elif what == "another thought":
        rest[-1][1]["reasoning_content"] = "something else"
    elif what == "a result is missing":
        del rest[-1][-1]
    return [*rest, last]


@pytest.mark.parametrize(
    "what",
    [
        "an answer without calls",
        "an answer about other tools",
        "a user's message",
        "another beginning",
        "another thought",
        "a result is missing",
    ],
)
def test_nothing_less_is_taken_for_folding(what: str, tmp_path: Path) -> None:
    windows = folded(*THREE)
    assert folds(requests(tmp_path, changed(windows, what))) == []


def test_where_the_writer_tells_of_it_nothing_is_concluded(tmp_path: Path) -> None:
    stated = record("outcome", NAME, 2.9, phase="add_messages", outcome="folded")
    trace = requests(tmp_path, folded(*THREE), stated)
    [row] = folds(trace)
    assert trace.decision(row).basis == "recorded"


def test_a_compression_at_that_step_explains_a_shorter_window(tmp_path: Path) -> None:
    name = "CurrentRoundCompressor"
    compressed = record("outcome", name, 2.9, phase="get_context_window", outcome="compressed")
    windows = folded(*THREE)
    trace = requests(tmp_path, windows, check(name, 2.8, 9_000, "reached_threshold"), compressed)
    assert folds(trace) == []
