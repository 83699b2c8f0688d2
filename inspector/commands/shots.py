"""`shots`: a picture of every panel and tab."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.inputs import check_existing


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--demo", is_flag=True, help="Open the sample that ships with the program.")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder of the pictures."
)
@click.option("--theme", type=click.Choice(["light", "dark", "both"]), default="both")
@click.option(
    "--size", "sizes", multiple=True, metavar="WxH", help="Of the window, in pixels; repeatable."
)
def shots(
    paths: tuple[str, ...], demo: bool, output: Path, theme: str, sizes: tuple[str, ...]
) -> int:
    """Take a picture of every panel and tab, offscreen."""
    from inspector.ui.shots import SIZES, THEMES, take_shots

    check_existing(paths)
    wanted = tuple(_parse_size(size) for size in sizes) or SIZES
    return take_shots(
        paths,
        demo,
        output,
        themes=THEMES if theme == "both" else (theme,),
        sizes=wanted,
        told=lambda path: click.echo(path),
    )


def _parse_size(text: str) -> tuple[int, int]:
    """Read a size such as 1280x800.

    Raises:
        click.UsageError: it is none, or not between 320x240 and 10000x10000.
    """
    width, _, height = text.lower().partition("x")
    if width.isdecimal() and height.isdecimal():
        size = int(width), int(height)
        if 320 <= size[0] <= 10_000 and 240 <= size[1] <= 10_000:
            return size
    raise click.UsageError(f"{text} is no size of a window: write one such as 1280x800")
