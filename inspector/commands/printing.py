"""How a command answers: JSON, tables, files, and a line of progress meanwhile."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import click

from engine.workspace.files import replace_file


class ProgressLine:
    """One line on stderr that says how far a job is, where that is a terminal."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._shown = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Put a text in place of the last."""
        if self._shown:
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    def __enter__(self) -> Self:
        """Return the line, to be wiped at the end."""
        return self

    def __exit__(self, *_failure: object) -> None:
        """Wipe the line."""
        self.show("")


def say(text: str) -> None:
    """Tell a person one line on stderr, free of control characters."""
    click.echo(cell(text), err=True)


def print_json(value: Any) -> None:
    """Print one JSON document on one line, whatever a reader takes for a line end."""
    text = json.dumps(value, ensure_ascii=False)
    for end in "\x85\u2028\u2029":
        text = text.replace(end, f"\\u{ord(end):04x}")
    click.echo(text)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns, numbers to the right, unless there are none."""
    if not rows:
        return
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(headers, *texts, strict=True)]
    right = [any(_is_number(row[at]) for row in rows) for at in range(len(headers))]
    for line in (headers, *texts):
        cells = [
            " " * (width - _width(text)) + text if end else text + " " * (width - _width(text))
            for text, width, end in zip(line, widths, right, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())
    click.echo()


def cell(value: object) -> str:
    """Return a value as one line of a terminal, free of control characters."""
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return len(text) + sum(unicodedata.east_asian_width(c) in "WF" for c in text)


def write_document(document: dict[str, Any], path: Path | None) -> None:
    """Write a JSON document to a file, or print it where there is none.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if path is None:
        print_json(document)
        return
    write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write a file in UTF-8; what that cannot carry, as an escape.

    Raises:
        click.ClickException: the file cannot be written; an old one of that name stays.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        if path.is_file() or not path.exists():
            replace_file(Path(os.path.realpath(path)), data)
        else:  # a pipe or a device
            path.write_bytes(data)
    except FileExistsError as error:
        raise click.ClickException(f"{path}: {path.parent} is no folder") from error
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror}") from error
