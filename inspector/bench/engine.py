"""The engine's speed: against the real package on its speed cases, and over long conversations."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator

from inspector.bench.generators import conversation
from inspector.bench.goal import Bench, Goal, best, missing, told
from inspector.replay.case import Case, load_case
from inspector.replay.runner import replay

CALIBRATION = 0.40
"""Seconds of `_calibrate` on the machine on which the real package was timed."""
_AIMS = {"24k": 12.0, "128k": 25.0}
_CHAIN = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure replays."""
    if bench.cases is None:
        yield missing("engine against the real package", 12, "no speed cases given (--cases)")
    else:
        yield from _against_the_real_package(bench)
    yield _growth(bench.size.messages)


def _against_the_real_package(bench: Bench) -> Iterator[Goal]:
    assert bench.cases is not None
    scale = best(_calibrate, 5) / CALIBRATION
    for path in sorted(bench.cases.glob("speed-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        theirs = document["case"]["seconds_real_package"]
        case = load_case(path).case
        ours = _seconds(case)
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


def _case(messages: int) -> Case:
    return Case(
        context_window_tokens=24_000,
        processors=[(name, {}) for name in _CHAIN],
        messages=conversation(messages),
    )


def _seconds(case: Case) -> float:
    start = time.perf_counter()
    asyncio.run(replay(case))
    return time.perf_counter() - start


def _calibrate() -> int:
    s = 0
    for n in range(10_000_000):
        s += n & 7
    return s
