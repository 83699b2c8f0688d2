"""`export`: a recorded session as a replay case."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.inputs import recording
from inspector.commands.printing import say, write_document, write_text
from inspector.replay.recovery.export import export_case
from inspector.replay.runs.runner import window_requests
from inspector.replay.settings.chain import chain_text


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--session", metavar="ID", help="The session; may be left out when there is one.")
@click.option("--context", metavar="ID", help="Its context; may be left out when it has one.")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The case to write."
)
@click.option("--chain", type=click.Path(path_type=Path), help="Write its chain to a file too.")
def export(
    paths: tuple[str, ...],
    session: str | None,
    context: str | None,
    output: Path,
    chain: Path | None,
) -> None:
    """Write a recorded session as a replay case."""
    case_file = export_case(recording(paths, session, context))
    write_document(case_file.model_dump(mode="json", exclude_none=True), output)
    case = case_file.case
    if chain is not None:
        write_text(chain_text(case.processors), chain)
    windows = window_requests(case)
    say(f"{output}: {case.message_count} messages, {windows} window requests")
    for name, value in case.assumed.items():
        say(f"assumed: {name} = {value}")
    for gap in case.gaps:
        where = f"from step {gap.step}" if gap.step else "throughout"
        say(f"missing {where}: {gap.what}")
