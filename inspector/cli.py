"""The command line: the same jobs without a screen.

A first word that names no command opens the window on it.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import click

from inspector import __version__
from inspector.commands.bench import bench
from inspector.commands.compare import compare
from inspector.commands.decisions import decisions
from inspector.commands.exit_codes import DONE, INTERRUPTED, PROGRAM, UNUSABLE
from inspector.commands.export import export
from inspector.commands.inspect import inspect
from inspector.commands.printing import say
from inspector.commands.replay import replay
from inspector.commands.settings import settings
from inspector.commands.shots import shots
from inspector.commands.study import study
from inspector.commands.sweep import sweep
from inspector.commands.window import window
from inspector.insight.prices import PricesError
from inspector.replay.cases.case import CaseError

COMMANDS: tuple[click.Command, ...] = (
    window,
    inspect,
    decisions,
    replay,
    compare,
    sweep,
    study,
    settings,
    export,
    shots,
    bench,
)
_OWN_OPTIONS = ("--help", "--version")

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Commands keep what they make; Python's own 700 cost a replay a tenth of its time."""


class OpeningGroup(click.Group):
    """A group that hands a first word which names no command to the window."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the window's command in front where none is named."""
        if not args or args[0] not in (*self.commands, *_OWN_OPTIONS):
            args = [str(window.name), *args]
        return super().parse_args(ctx, args)


@click.group(cls=OpeningGroup, commands=COMMANDS)
@click.version_option(__version__, prog_name=PROGRAM)
def commands() -> None:
    """See why an LLM agent's context was compressed, what was lost, and what else could be set.

    Without a command: opens the window on PATH…, or with --demo on the sample.
    """


def main() -> None:
    """Run the command line and exit with its code."""
    gc.freeze()  # what is imported stays: no collection need look at it
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started it: nobody wants to read
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):  # a lone surrogate is printed as its escape
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; return the exit code."""
    try:
        with commands.make_context(PROGRAM, list(arguments)) as context:
            result = commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as finished:  # after --help or --version
        return finished.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return UNUSABLE
    except click.ClickException as error:
        where = getattr(error, "ctx", None)
        hint = f" (try {where.command_path} --help)" if where else ""
        say(f"{PROGRAM}: {error.format_message()}{hint}")
        return UNUSABLE
    except (CaseError, PricesError) as error:
        say(f"{PROGRAM}: {error}")
        return UNUSABLE
    except MemoryError:
        say(f"{PROGRAM}: the memory of this machine is too small for that: give it less at once")
        return UNUSABLE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        _silence_output()
        return DONE
    except OSError as error:
        _silence_output()
        where = error.filename or "standard output"
        say(f"{PROGRAM}: {where}: {error.strerror}: make room there, or name another place")
        return UNUSABLE
    return result if isinstance(result, int) else DONE


def _silence_output() -> None:
    """Let what is still to be printed go nowhere, lest Python try again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
