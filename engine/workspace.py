"""The agent's workspace: the path that records declare, and the folder that holds the files.

Both are the same for a live agent. A replay declares the path of the recording, so that texts keep
their length, while its files lie in a temporary folder.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Workspace:
    """Where an agent's files are said to be (`root_path`), and where they are (`folder`)."""

    root_path: str
    folder: Path

    @classmethod
    def at(cls, path: Path) -> Workspace:
        """Return the workspace of a live agent."""
        return cls(str(path), path)

    def declared(self, *parts: str) -> str:
        """Return the path of a file as messages and records show it."""
        return "/".join((self.root_path.rstrip("/"), *parts))

    def relative(self, declared: str) -> str:
        """Return a declared path relative to the workspace; one outside of it stays as it is."""
        return declared.removeprefix(self.root_path.rstrip("/") + "/")

    def physical(self, declared: str) -> Path:
        """Return where a declared path lies; what points outside by `..` is kept inside."""
        relative = self.relative(declared)
        if relative == declared:
            return Path(declared)
        parts = [part for part in relative.split("/") if part not in ("", ".")]
        return self.folder.joinpath(*("-" if part == ".." else part for part in parts))

    def read_text(self, declared: str) -> str | None:
        """Return a file's text; None when it is missing, outside the workspace or not UTF-8."""
        inside = posixpath.normpath(declared)
        if self.relative(inside) == inside:
            return None
        try:
            return self.physical(inside).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            return None
