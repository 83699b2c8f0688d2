"""Tuning: a slider's first and whole redraw, a sweep on two cores, the memory of a session."""

from __future__ import annotations

import asyncio
import gc
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from engine.summarizers.recorded import Reply
from inspector.bench.generators import conversation
from inspector.bench.goal import MEGA, Bench, Goal, compared, percentile, told
from inspector.insight.prices import load_prices
from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import load_case
from inspector.replay.comparisons.insights import Insights
from inspector.replay.runs.run import Step
from inspector.replay.session import ReplaySession
from inspector.replay.settings.edits import Edit, edited
from inspector.replay.sweeps.grid import Grid, parse_axis
from inspector.replay.sweeps.job import SweptCase
from inspector.replay.sweeps.sweep import Sweep
from inspector.replay.sweeps.workers import LocalWorkers

_CHAIN = (
    "MessageSummaryOffloader",
    "SessionMemoryCompressor",
    "DialogueCompressor",
    "CurrentRoundCompressor",
    "RoundLevelCompressor",
)
"""openJiuwen's own."""
_SLIDERS = ("CurrentRoundCompressor", "RoundLevelCompressor")
_PLACES = (0.78, 0.74, 0.7, 0.65, 0.83)
"""Where each slider is dragged to; it stands at 0.8."""
_WORDS = (
    "account batch cache channel cluster cursor driver event filter gateway handler index journal "
    "kernel ledger loader mailer meter module network packet parser policy queue reader region "
    "relay router sample scanner section session signal slot socket stream tenant timer token"
).split()
_ANSWER = "<state_snapshot>\nThe work goes on.\n</state_snapshot>"
_FIRST = 0.1
"""Seconds that a first redraw may take."""
_STEPS = (0.05, 0.025)
"""How far apart the swept places of each slider are."""
_SWEPT = 200
"""Messages of the swept case."""
_PAIRS = 3
_READING = (
    "each candidate writes memory blocks of its own, which are read and ranked for the first time, "
    "while the peer knows its answers; next: look for the cues of all kinds in one pass"
)
_TWICE = (
    "a run keeps each record twice, as the engine wrote it and as its report has it; next: make "
    "the report when it is asked for"
)
_SPAWNING = (
    "each process runs the unedited case and reads all messages for itself, and other programs "
    "take their share of the second core; next: hand the baseline's answers to the processes"
)
_MEASURE = "from inspector.bench.replay import weigh; weigh()"


class _Move(NamedTuple):
    """A slider's move to another place; times in seconds."""

    first: float
    """Until the first step that it may change is there."""
    whole: float
    """Until the last one is."""
    replay: float
    """Engine's time of a replay of the same settings from its start, with its answers known."""


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure replays with other settings."""
    case = _case(bench.size.messages)
    yield from _redraws(case)
    yield _sweep(_case(_SWEPT))
    yield _memory(case, bench.scratch / "case.json")


def _redraws(case: Case) -> Iterator[Goal]:
    session = ReplaySession(case)
    Insights().judge(asyncio.run(session.baseline()).run)  # as the window does when it is idle
    moves = [_move(session, other) for other in _candidates(case)]
    first, whole, engine = (median(times) for times in zip(*moves, strict=True))
    late = percentile([move.first for move in moves], 0.95)
    detail = f"p95 {told(late)}, median {told(first)} of {len(moves)} moves"
    yield Goal("slider to first redraw / 100 ms", late / _FIRST, 1, detail, reason=_READING)
    peer = "the engine in a whole replay, medians"
    yield compared("slider to first redraw / whole replay", first, engine, 0.2, peer, _READING)
    yield compared("whole redraw / engine time of a replay", whole, engine, 2, peer, _READING)


def _move(session: ReplaySession, case: Case) -> _Move:
    seen: list[float] = []

    def note(step: Step) -> None:
        seen.append(time.perf_counter())

    with _without_collections():
        start = time.perf_counter()
        asyncio.run(session.candidate(case, on_step=note))
        whole = asyncio.run(session.candidate(case, whole=True))
    return _Move(seen[0] - start, seen[-1] - start, whole.run.seconds)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep Python from collecting garbage, as the window does while a replay runs."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _sweep(case: Case) -> Goal:
    """Compare rows per second, the best of each in turn: others may use a core now and then."""
    axes = [
        parse_axis(f"{owner}.trigger_context_ratio=0.5:0.9:{step}")
        for owner, step in zip(_SLIDERS, _STEPS, strict=True)
    ]
    grid = Grid(axes)
    cases = [SweptCase("generated", case, load_prices())]
    pairs = [(_rate(cases, grid, 1), _rate(cases, grid, 2)) for _ in range(_PAIRS)]
    one, two = (max(rates) for rates in zip(*pairs, strict=True))
    detail = f"{two:.3g} against {one:.3g} rows per second, {len(grid)} rows each, start included"
    name = "sweep on two cores / one"
    return Goal(name, two / one, 1.7, detail, at_least=True, reason=_SPAWNING)


def _rate(cases: list[SweptCase], grid: Grid, jobs: int) -> float:
    sweep = Sweep(cases, grid)
    with LocalWorkers(cases, jobs) as workers:
        for _ in sweep.run(workers):
            pass
    return sweep.result().rows_per_second or 0.0


def _memory(case: Case, path: Path) -> Goal:
    path.write_text(case.model_dump_json(exclude_defaults=True), encoding="utf-8")
    command = [sys.executable, "-c", _MEASURE, str(path)]
    grown = int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    size = path.stat().st_size
    detail = f"{grown / MEGA:.0f} MB more, for a case of {size / MEGA:.1f} MB"
    name = "memory of a session with 10 candidates / its case"
    return Goal(name, grown / size, 100, detail, reason=_TWICE)


def weigh() -> None:
    """Print by how many bytes the process grows with a session of the case named in `argv`."""
    case = load_case(Path(sys.argv[1])).case
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    session = ReplaySession(case)
    kept = [asyncio.run(session.candidate(other)) for other in _candidates(case)]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert kept
    sys.stdout.write(f"{(after - before) * 1024}\n")


def _candidates(case: Case) -> Iterator[Case]:
    for owner in _SLIDERS:
        for place in _PLACES:
            yield edited(case, [Edit(owner, "trigger_context_ratio", place)])


def _case(messages: int) -> Case:
    """Return a conversation like an agent's, with an answer for each summary of its own chain."""
    random = Random(messages)
    found = conversation(messages)
    for message in found:
        if message["role"] == "tool":
            message["content"] = "\n".join(_line(random) for _ in range(30))
    return Case(
        context_window_tokens=24_000,
        processors=[(name, {}) for name in _CHAIN],
        messages=found,
        replies=[Reply(content=_ANSWER)] * messages,
    )


def _line(random: Random) -> str:
    a, b, c = random.sample(_WORDS, 3)
    return random.choice(
        (
            f"10:{random.randrange(60):02} INFO {a}: {b} took {random.randrange(900)} ms",
            f"src/{a}/{b}_{c}.py:{random.randrange(400)}: def {b}_{c}():",
            f"ERROR {a}: cannot reach {b}, left after {random.randrange(9)} retries",
            f"    return {a}.{b}({c})",
        )
    )
