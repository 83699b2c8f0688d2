"""The engine's speed: against the real package on its speed cases, and over long conversations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import partial

from engine.messages import read_messages
from engine.summarizers.recorded import Reply
from engine.tokens.tiktoken import TiktokenCounter
from inspector.bench.generators import conversation
from inspector.bench.goal import Bench, Goal, best, compared, missing, told
from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import load_case
from inspector.replay.runs.runner import replay

CALIBRATION = 0.40
"""Seconds of `_calibrate` on the machine on which the real package was timed."""
_AIMS = {"24k": 12.0, "128k": 25.0}
_ROUNDS = 4
"""Calibration and replay take turns, so that both meet the same machine."""
_ANSWER = "<state_snapshot>\nThe work goes on.\n</state_snapshot>"
_CHAIN = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure replays."""
    if bench.cases is None:
        yield missing("engine against the real package", 12, "no speed cases given (--cases)")
    else:
        yield from _against_the_real_package(bench)
    yield _growth(bench.size.messages)
    yield _counted_again()


def _against_the_real_package(bench: Bench) -> Iterator[Goal]:
    assert bench.cases is not None
    for path in sorted(bench.cases.glob("speed-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        theirs = document["case"]["seconds_real_package"]
        case = load_case(path).case
        pairs = [(best(_calibrate, 1), _seconds(case)) for _ in range(_ROUNDS)]
        scale, ours = min(pair[0] for pair in pairs) / CALIBRATION, min(pair[1] for pair in pairs)
        real = float(theirs["debug_off"]) * scale
        window = "128k" if (case.context_window_tokens or 0) > 64_000 else "24k"
        detail = f"{told(ours)} against {told(real)}, scaled by {scale:.2f}"
        yield Goal(
            f"real package / engine, {path.stem} ({window})",
            real / ours,
            _AIMS[window],
            detail,
            True,
        )


def _growth(longest: int) -> Goal:
    shortest = 500
    short, long = (_seconds(_case(count)) for count in (shortest, longest))
    ratio = (long / short) / (longest / shortest)
    detail = f"{told(short)} for {shortest:,} messages, {told(long)} for {longest:,}"
    return Goal(f"engine: {shortest:,} to {longest:,} messages / linear", ratio, 1.3, detail)


def _counted_again() -> Goal:
    """Measure what a count costs that was made before; the first one encodes."""
    counter = TiktokenCounter()
    counter.count("")  # loads the vocabulary
    chats = [read_messages(conversation(500)) for _ in range(3)]
    first = min(best(partial(counter.count_messages, chat), 1) for chat in chats)
    again = min(best(partial(counter.count_messages, chat)) for chat in chats)
    return compared("token count known / encoded", again, first, 0.2, "encoding 500 messages")


def _case(messages: int) -> Case:
    """Return a conversation with an answer for each compression, so that no summary is written."""
    return Case(
        context_window_tokens=24_000,
        processors=[(name, {}) for name in _CHAIN],
        messages=conversation(messages),
        replies=[Reply(content=_ANSWER)] * messages,
    )


def _seconds(case: Case) -> float:
    """Return the engine's time of a replay, the better of two."""
    return min(asyncio.run(replay(case)).seconds for _ in range(2))


def _calibrate() -> int:
    s = 0
    for n in range(10_000_000):
        s += n & 7
    return s
