"""`compare`: two reports, or a recorded session and a report."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.exit_codes import DONE, FOUND
from inspector.commands.inputs import trace_of
from inspector.commands.printing import print_json, print_table
from inspector.replay.comparisons.comparison import Comparison
from inspector.replay.comparisons.comparison import compare as compare_traces
from inspector.replay.comparisons.insights import Insights


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--session", metavar="ID", help="The session, where a side is a recording.")
@click.option("--context", metavar="ID", help="Its context, where it has several.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compare(a: Path, b: Path, session: str | None, context: str | None, as_json: bool) -> int:
    """Compare two replay reports, or a recorded session and a report."""
    left, right = (trace_of(path, session, context) for path in (a, b))
    comparison = compare_traces(left, right, Insights())
    if as_json:
        print_json(comparison.model_dump(mode="json"))
    else:
        _print_comparison(comparison)
    return FOUND if comparison.decisions else DONE


def _print_comparison(comparison: Comparison) -> None:
    print_table(
        ["metric", "a", "b", "delta"],
        [[m.name, m.a, m.b, m.delta] for m in comparison.metrics],
    )
    print_table(
        ["step", "processor", "a", "b"],
        [[d.step, d.processor, d.a, d.b] for d in comparison.decisions],
    )
    steps, divergence = comparison.steps, comparison.first_divergence
    where = f"first divergence at step {divergence.step}" if divergence else "no divergence"
    click.echo(f"{where}; {steps.compared} steps compared ({steps.a} in a, {steps.b} in b)")
    for side, counts in comparison.summaries.items():
        told = " · ".join(f"{name} {n}" for name, n in counts.items())
        if told:
            click.echo(f"summaries of {side}: {told}")
