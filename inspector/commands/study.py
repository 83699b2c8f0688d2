"""`study`: masking, summary or layers."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.exit_codes import INTERRUPTED
from inspector.commands.printing import print_json, print_table
from inspector.commands.sweep_run import run_sweep, told
from inspector.insight.prices import load_prices
from inspector.replay.cases.case_file import load_case
from inspector.replay.settings.edits import edited
from inspector.replay.sweeps.study import TRIGGERS, Study, StudySweep, bundled_conversations
from inspector.replay.sweeps.sweep import SWEEP_FIGURES


@click.command()
@click.argument("case_paths", nargs=-1, metavar="[CASE…]", type=click.Path(path_type=Path))
@click.option(
    "--trigger",
    "triggers",
    multiple=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of the capacity at which to act; repeatable.",
)
@click.option("--capacity", type=click.IntRange(min=1), help="Tokens of the window.")
@click.option("--model", metavar="NAME", help="Agent's model: its prices count.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; one for each core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on this Dask cluster: tcp://host:port.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def study(
    case_paths: tuple[Path, ...],
    triggers: tuple[float, ...],
    capacity: int | None,
    model: str | None,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Compare masking, summary and a layered chain, on what ships with the program or on CASE."""
    given = {str(path): load_case(path).case for path in case_paths}
    conversations = {
        name: edited(case, [], capacity, model=model)
        for name, case in (given or bundled_conversations()).items()
    }
    swept = StudySweep(conversations, load_prices(), triggers or TRIGGERS)
    finished = run_sweep(swept, jobs, scheduler, None)
    found = swept.study()
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _print_study(found)
    return told(swept.result()) if finished else INTERRUPTED


def _print_study(found: Study) -> None:
    print_table(
        ["", "conversation", "strategy", "trigger", *SWEEP_FIGURES],
        [
            [
                "*" if at in found.best else "",
                run.conversation,
                run.strategy,
                run.trigger,
                *(getattr(run.row, name) for name in SWEEP_FIGURES),
            ]
            for at, run in enumerate(found.rows)
        ],
    )
    if found.rows:
        click.echo(
            "* no other strategy costs less and retains more in this conversation; "
            f"costs in {found.currency}, summaries {found.summarizer}"
        )
