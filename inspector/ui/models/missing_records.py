"""What is not recorded, and the settings that would record it, as a text to read and copy."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.sources.scan import Source
from inspector.trace.decision import Decision
from inspector.trace.switches import COMPRESSORS, SwitchedOff, switched_off
from inspector.ui import formats
from inspector.ui.models.text_runs import Run


def missing_records(sources: Sequence[Source], decision: Decision | None) -> list[SwitchedOff]:
    """Return what the files lack; with a compressor that left no record, what it lacks first."""
    gaps = switched_off(sources)
    if decision is None or "debug_off" not in decision.candidates:
        return gaps
    silent = SwitchedOff(
        f"{formats.one_line(decision.processor)} left no record in this context: it has no model, "
        "its debug records are off, or it is not in the chain.",
        tuple(line for line in COMPRESSORS if line.startswith(decision.processor)),
    )
    return [silent, *gaps]


def setting_lines(gaps: Sequence[SwitchedOff]) -> tuple[str, ...]:
    """Return all lines to copy, each once."""
    return tuple(dict.fromkeys(line for gap in gaps for line in gap.lines))


def gap_runs(gaps: Sequence[SwitchedOff]) -> tuple[Run, ...]:
    """Return what is missing and why, each gap over the lines that close it."""
    if not gaps:
        return (Run("Nothing is missing: every part of the engine left its debug files here.\n"),)
    runs: list[Run] = []
    for gap in gaps:
        runs.append(Run(f"{gap.what}\n\n", "heading"))
        runs += [Run(f"    {line}\n") for line in gap.lines]
        runs.append(Run("\n\n"))
    return (*runs, Run(_WHERE, "muted"))


_WHERE = (
    "These lines belong to openJiuwen's settings, where the agent is made. A processor that is "
    "given to the rail as a configuration object of its own keeps only what that object says; "
    "given as a dictionary, it keeps the switch that the rail hands on.\n"
)
