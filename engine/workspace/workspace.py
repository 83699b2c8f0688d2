"""The agent's workspace: the path that records declare, and the folder that holds the files.

Both are the same for a live agent. A replay declares the path of the recording, so that texts keep
their length, while its files lie in a temporary folder.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.workspace.files import write_new_file, write_new_folder

LONGEST_NAME = 255
"""Bytes that a name may have on the usual file systems."""


def _unnoticed(declared: str) -> None:
    pass


@dataclass(frozen=True)
class Workspace:
    """Where an agent's files are said to be (`root_path`), and where they are (`folder`)."""

    root_path: str
    folder: Path
    created: Callable[[str], None] = field(default=_unnoticed, compare=False)
    """Told the declared path of each file that the engine adds to the agent's own."""

    @classmethod
    def at(cls, path: Path) -> Workspace:
        """Return the workspace of a live agent."""
        return cls(str(path), path)

    def declared(self, *parts: str) -> str:
        """Return the path of a file as messages and records show it."""
        return "/".join((self.root_path.rstrip("/"), *parts))

    def of_session(self, session_id: str, *parts: str) -> str:
        """Return the path of a file among those that the engine keeps of a session."""
        return self.declared("context", f"{session_id}_context", *parts)

    def inside(self, declared: str) -> str | None:
        """Return a declared path relative to the workspace, None when it points outside of it."""
        path = posixpath.relpath(declared, self.root_path or "/")
        return None if path.split("/", 1)[0] == ".." else path

    def physical(self, declared: str) -> Path:
        """Return where a declared path lies.

        Names that no disk takes are made safe: NUL, what UTF-8 cannot carry, more than 255 bytes. A
        `..` that leaves the workspace stays in it; below `context/`, where it can only come from an
        id, it is a name like any other.
        """
        path, root = self.inside(declared), self.declared("")
        if declared.startswith(root):
            own = declared.removeprefix(root)
            if path is None or own.startswith("context/"):
                path = "/".join("-" if part == ".." else part for part in own.split("/"))
        if path is None:
            return Path(declared)
        return self.folder.joinpath(*map(_safe_name, path.split("/")))

    def holds(self, declared: str) -> bool:
        """Return whether there is something at a declared path inside the workspace."""
        path = self.physical(declared)
        return path.is_relative_to(self.folder) and os.path.exists(path)

    def write_new(self, declared: str, text: str) -> None:
        """Add a file, whole or not at all; what UTF-8 cannot carry is written as an escape.

        Raises:
            FileExistsError: there is one of that name.
            OSError: it cannot be written.
        """
        write_new_file(self.physical(declared), text.encode("utf-8", "backslashreplace"))
        self.created(declared)

    def write_new_folder(self, declared: str, files: Mapping[str, str]) -> None:
        """Add a folder with its files (text by relative path), whole or not at all.

        Raises:
            FileExistsError: there is one of that name.
            OSError: it cannot be written.
        """
        data = {name: text.encode("utf-8", "backslashreplace") for name, text in files.items()}
        write_new_folder(self.physical(declared), data)
        for name in files:
            self.created(f"{declared}/{name}")

    def read_text(self, declared: str) -> str | None:
        """Return a file's text; None when it is missing, outside the workspace or not UTF-8."""
        path = self.physical(declared)
        if not path.is_relative_to(self.folder):
            return None
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None


def _safe_name(part: str) -> str:
    """Return a part of a path as a name that a disk takes; a long one ends in its digest."""
    name = part.replace("\0", "-").encode("utf-8", "backslashreplace")
    if len(name) > LONGEST_NAME:
        digest = hashlib.sha256(name).hexdigest()[:16].encode()
        name = name[: LONGEST_NAME - len(digest) - 1] + b"-" + digest
    return name.decode("utf-8", "ignore")
