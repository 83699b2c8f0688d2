"""`decisions`: every decision, with its gates."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from datetime import datetime

import click

from inspector.commands.inputs import open_paths
from inspector.commands.printing import cell, print_json
from inspector.trace.decision import Decision
from inspector.trace.recording import Recording


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def decisions(paths: tuple[str, ...], as_json: bool) -> None:
    """Show every decision, in order of time, with its gates."""
    opened = open_paths(paths)
    found = in_order_of_time(opened.traces)
    if as_json:
        for decision in found:
            print_json(decision.to_json())
        return
    several = len(opened.traces) > 1
    for decision in found:
        click.echo(_decision_line(decision, several))


def in_order_of_time(traces: Iterable[Recording]) -> Iterator[Decision]:
    """Yield the decisions of all traces; those without a time follow the last of their context."""

    def of_one(at: int, trace: Recording) -> Iterator[tuple[float, int, int, Recording]]:
        last = -math.inf
        for row, time in enumerate(trace.decisions.time.tolist()):
            last = last if math.isnan(time) else time
            yield last, at, row, trace

    for _time, _at, row, trace in heapq.merge(*(of_one(*pair) for pair in enumerate(traces))):
        yield trace.decision(row)


def _decision_line(decision: Decision, with_context: bool) -> str:
    time = "" if decision.time is None else str(datetime.fromtimestamp(decision.time))
    tokens = decision.tokens
    why = decision.reason or " or ".join(decision.candidates)
    parts = [
        f"{time:26}",
        f"{decision.step or '-':>5}",
        f"{decision.processor:23}",
        f"{decision.outcome:10}",
        "   " if decision.basis == "recorded" else "(?)",
        f"{cell(why):24}",
    ]
    if tokens and tokens.total is not None:
        parts.append(f"{tokens.total} of {tokens.threshold}")
    if tokens and tokens.before is not None and tokens.after is not None:
        parts.append(f"{tokens.before} → {tokens.after}")
    if with_context:
        parts.append(cell(f"{decision.session_id} {decision.context_id}"))
    return " ".join(parts).rstrip()
