"""`bench`: the goals of speed and size."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.exit_codes import DONE, FOUND


@click.command()
@click.option("--size", type=click.Choice(["small", "moderate", "full"]), default="moderate")
@click.option(
    "--cases",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of speed cases, timed with the real package.",
)
@click.option("--group", "groups", multiple=True, help="Measure this group only; repeatable.")
def bench(size: str, cases: Path | None, groups: tuple[str, ...]) -> int:
    """Measure the goals of speed and size on this machine, as ratios."""
    from inspector.bench.run import GROUPS, run, told

    unknown = set(groups).difference(GROUPS)
    if unknown:
        raise click.UsageError(f"no group {', '.join(sorted(unknown))}: take {', '.join(GROUPS)}")
    met = True
    for goal in run(size, cases, groups or GROUPS):
        click.echo(told(goal))
        met &= goal.met is not False
    return DONE if met else FOUND
