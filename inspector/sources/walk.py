"""The regular files below the opened paths.

Links are followed, but no directory is entered twice, so a loop ends, and no file is listed twice
when two of the opened paths overlap. Pipes, sockets and devices are never opened.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inspector.sources.problem import Problem

_ROTATED = re.compile(r"(?P<log>.+\.jsonl)\.(?P<number>[0-9]{1,9})")


@dataclass(frozen=True)
class FoundFile:
    """A regular file."""

    path: str
    size: int
    """Bytes."""
    root: str
    """The opened path it was found under."""


def walk(paths: Iterable[str | Path]) -> Iterator[FoundFile | Problem]:
    """Yield the files below `paths` in a fixed order, and a problem for what cannot be read."""
    seen: set[tuple[int, int]] = set()
    for path in paths:
        root = os.fspath(path)
        yield from _below(root, root, seen)


def _below(path: str, root: str, seen: set[tuple[int, int]]) -> Iterator[FoundFile | Problem]:
    pending = [path]
    while pending:
        path = pending.pop()
        try:
            status = os.stat(path)
            identity = (status.st_dev, status.st_ino)
            if identity in seen:
                continue
            seen.add(identity)
            if stat.S_ISDIR(status.st_mode):
                names = sorted(os.listdir(path), key=_age, reverse=True)
                pending += [os.path.join(path, name) for name in names]
            elif stat.S_ISREG(status.st_mode):
                yield FoundFile(path, status.st_size, root)
            else:
                yield Problem(path, 0, None, "is neither a file nor a directory, so it is not read")
        except (OSError, ValueError) as error:
            yield Problem(path, 0, None, f"cannot be read: {_cause(error)}")


def _age(name: str) -> tuple[str, bool, int]:
    """Sort names, and what was rotated out of a log (`x.jsonl.2`, `x.jsonl.1`) before the log."""
    rotated = _ROTATED.fullmatch(name)
    if rotated is None:
        return name, True, 0
    return rotated["log"], False, -int(rotated["number"])


def _cause(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)
