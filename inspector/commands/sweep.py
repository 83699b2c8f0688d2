"""`sweep`: a grid of settings over one or many cases."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from inspector.commands.exit_codes import INTERRUPTED
from inspector.commands.inputs import read_object
from inspector.commands.options import SettingOptions, settings_of, settings_options
from inspector.commands.printing import print_json, print_table
from inspector.commands.sweep_run import run_sweep, told
from inspector.insight.prices import load_prices
from inspector.replay.cases.case_file import load_case
from inspector.replay.sweeps.grid import Grid, parse_axis
from inspector.replay.sweeps.job import OfflineSummarizer, SweptCase
from inspector.replay.sweeps.sweep import SWEEP_FIGURES, Sweep, SweepResult, load_sweep


@click.command()
@click.argument(
    "case_paths", nargs=-1, required=True, metavar="CASE…", type=click.Path(path_type=Path)
)
@click.option(
    "--vary",
    "axes",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of a setting: start:stop:step, a,b,c or log:start:stop:count.",
)
@settings_options
@click.option("--wording", type=click.Path(path_type=Path), help="Texts that win over the cases'.")
@click.option(
    "--summarizer",
    type=click.Choice(["recorded", "extractive"]),
    help="Who writes summaries; recorded where a case has replies.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Run so many combinations only.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; one for each core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on this Dask cluster: tcp://host:port.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Result; what an earlier run left there is not run again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def sweep(
    case_paths: tuple[Path, ...],
    axes: tuple[str, ...],
    wording: Path | None,
    summarizer: OfflineSummarizer | None,
    sample: int | None,
    jobs: int | None,
    scheduler: str | None,
    output: Path | None,
    as_json: bool,
    **settings: Unpack[SettingOptions],
) -> int:
    """Replay one or many cases with every combination of settings."""
    grid = Grid([parse_axis(text) for text in axes])
    prices = load_prices()
    texts = read_object(wording) if wording else None
    with_settings = settings_of(settings)
    cases = []
    for path in case_paths:
        recorded = load_case(path).case
        case = with_settings(recorded)
        cases.append(SweptCase(str(path), case, prices, texts, summarizer, recorded))
    swept = Sweep(cases, grid, sample, load_sweep(output) if output else None)
    finished = run_sweep(swept, jobs, scheduler, output)
    result = swept.result()
    if as_json:
        print_json(result.model_dump(mode="json"))
    elif output is None:
        _print_sweep(result)
    return told(result) if finished else INTERRUPTED


def _print_sweep(result: SweepResult) -> None:
    names = list(result.grid)
    print_table(
        ["", "case", *names, *SWEEP_FIGURES],
        [
            [
                "*" if at in result.pareto else "",
                row.case,
                *(row.settings[name] for name in names),
                *(getattr(row, name) for name in SWEEP_FIGURES),
            ]
            for at, row in enumerate(result.rows)
        ],
    )
    if result.rows:
        click.echo(
            f"* none of the same case costs less and retains more; costs in {result.currency}"
        )
