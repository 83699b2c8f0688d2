"""Files that are there whole or not at all, and never in another's place.

What is written appears under its name in one step: a reader sees all of it or nothing, also after a
crash in the middle. Unfinished files are hidden and end in `.tmp`. Only logs grow, line by line.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from uuid import uuid4


def write_new_file(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, with the folders above it.

    Raises:
        FileExistsError: there is one of that name; it stays as it is.
        OSError: it cannot be written; nothing is left behind.
    """
    with _written(path, data) as unfinished:
        os.link(unfinished, path)


def write_beside(path: Path, data: bytes) -> Path:
    """Write a file under a name that is free: `path`, or `path` with `_2`, `_3`… at its stem.

    Returns:
        The path that it got.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    for number in count(2):
        try:
            write_new_file(path, data)
        except FileExistsError:
            if not os.path.lexists(path):  # a file stands where a folder is wanted
                raise
            stem = path.stem if number == 2 else path.stem.removesuffix(f"_{number - 1}")
            path = path.with_name(f"{stem}_{number}{path.suffix}")
        else:
            break
    return path


def append_line(path: Path, line: bytes) -> None:
    """Append a line, on a line of its own also where the last writer broke off in the middle.

    Raises:
        OSError: it cannot be written, or only a part of it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = b"\n" + line
        file.write(line)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in the place of the one of that name, if any.

    Raises:
        OSError: it cannot be written; the old one stays.
    """
    with _written(path, data) as unfinished:
        unfinished.replace(path)


def write_new_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder that does not exist yet, with files by relative path.

    Raises:
        FileExistsError: there is one of that name; it stays as it is.
        OSError: it cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _unfinished(path)
    try:
        unfinished.mkdir()
        for name, data in files.items():
            file = unfinished / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        if path.exists():
            raise FileExistsError(f"{path} exists already")
        unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def _written(path: Path, data: bytes) -> Iterator[Path]:
    """Write a file beside `path` and take it away after the block, if it still has its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _unfinished(path)
    try:
        unfinished.write_bytes(data)
        yield unfinished
    finally:
        unfinished.unlink(missing_ok=True)


def _unfinished(path: Path) -> Path:
    """Return a hidden name beside `path`; a long name is cut, for it has a limit of 255 bytes."""
    stem = path.name.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "ignore")
    return path.with_name(f".{stem}.{uuid4().hex[:8]}.tmp")
