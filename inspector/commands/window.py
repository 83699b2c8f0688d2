"""`context-inspector [PATH…]`: the window."""

from __future__ import annotations

import click

from inspector.commands.inputs import check_existing


@click.command(hidden=True)
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--demo", is_flag=True, help="Open the sample that ships with the program.")
def window(paths: tuple[str, ...], demo: bool) -> int:
    """Open the window."""
    from inspector.ui.app import run_window

    check_existing(paths)
    return run_window(paths, demo)
