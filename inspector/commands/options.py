"""The options that several commands take: with which settings a case is replayed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypedDict, TypeVar

import click

from engine.tokens.selection import COUNTER_NAMES, CounterName
from inspector.replay.cases.case import Case
from inspector.replay.settings.chain import load_chain
from inspector.replay.settings.edits import edited, parse_edit

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class SettingOptions(TypedDict):
    """The options that say with which settings a case is replayed."""

    edits: tuple[str, ...]
    capacity: int | None
    model: str | None
    counter: CounterName | None
    chain: Path | None


_SETTINGS: Final = (
    click.option(
        "--set", "edits", multiple=True, metavar="OWNER.FIELD=VALUE", help="Edit a setting."
    ),
    click.option("--capacity", type=click.IntRange(min=1), help="Tokens of the window."),
    click.option(
        "--model", metavar="NAME", help="Agent's model: prices, and capacity if none is set."
    ),
    click.option("--counter", type=click.Choice(COUNTER_NAMES), help="What counts tokens."),
    click.option(
        "--chain", type=click.Path(path_type=Path), help="Processors in place of the case's."
    ),
)


def settings_options(command: CommandT) -> CommandT:
    """Give a command the options of `SettingOptions`."""
    for option in reversed(_SETTINGS):
        command = option(command)
    return command


def settings_of(options: SettingOptions) -> Callable[[Case], Case]:
    """Return what gives a case the settings of the command line.

    It raises `CaseError` where one of them does not exist or is invalid.

    Raises:
        CaseError: an edit has another form, or the chain file cannot be read.
    """
    return partial(
        edited,
        edits=[parse_edit(text) for text in options["edits"]],
        capacity=options["capacity"],
        counter=options["counter"],
        model=options["model"],
        chain=load_chain(options["chain"]) if options["chain"] else None,
    )
