"""`settings`: a case's settings, in a form to take home."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from inspector.commands.options import SettingOptions, settings_of, settings_options
from inspector.commands.printing import write_text
from inspector.replay.cases.case_file import load_case
from inspector.replay.settings.chain import chain_text
from inspector.replay.settings.take_home import command_line, decided_chain, python_settings


@click.command()
@click.argument("case_path", metavar="CASE", type=click.Path(path_type=Path))
@settings_options
@click.option(
    "--as",
    "form",
    type=click.Choice(["python", "chain", "command"]),
    default="python",
    help="For openJiuwen, as a chain file, or as the command that replays with them.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Else to stdout.")
def settings(
    case_path: Path, form: str, output: Path | None, **options: Unpack[SettingOptions]
) -> None:
    """Write a case's settings, with edits, in a form to take home."""
    base = load_case(case_path).case
    case = settings_of(options)(base)
    if form == "python":
        text = python_settings(case)
    elif form == "chain":
        text = chain_text(decided_chain(case))
    else:
        text = command_line(base, case, str(case_path), str(options["chain"])) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(text, output)
