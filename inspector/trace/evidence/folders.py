"""Which session a file belongs to that does not name one: offload files, notes, logs of updates.

The engine puts a session's files below `{session}_context`, with the id as it is, so slashes in it
nest folders and dots climb out of them. What the records beside a file say therefore wins over the
folder's name, which is only read where nothing in it speaks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath, PurePosixPath

from engine.recall.archive import recall_root
from engine.workspace import Workspace
from inspector.sources.documents.archive import ROOT
from inspector.sources.scan import Source

PART_FOLDERS = frozenset(
    {
        "context_debug",
        "compression_logs",
        "message_offloader_debug_logs",
        "rule_compression_logs",
        "offload",
        "session_memory",
        ROOT,
    }
)
"""Folders inside a session's folder, one for each kind of thing that the engine writes of it."""
_SUFFIX = "_context"
_CONTEXTS = "context"
_WITHOUT_WORKSPACE = ("memory", "offloads")


class Folders:
    """The sessions of the opened folders."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._told: dict[str, set[str]] = {}
        self._known: set[str] = set()
        for source in sources:
            named = source.sessions
            if named:
                self._told.setdefault(_home(source.path), set()).update(named)
                self._known |= named

    def session_of_archive(self, folder: str) -> str | None:
        """Return the session whose archives lie where a folder does, told by the engine's rule."""
        home = PurePath(os.path.abspath(folder)).parent.parent.name
        return next((s for s in self._known if archives_folder(s) == home), None)

    def session_of(self, path: str) -> str | None:
        """Return the session of a file; None where neither records nor names tell."""
        told = self._told.get(_home(path), set())
        if len(told) == 1:
            return next(iter(told))
        home = PurePath(_home(path))
        text = home.as_posix()
        named = [s for s in told or self._known if text.endswith((f"/{s}{_SUFFIX}", f"/{s}"))]
        if named:
            return max(named, key=len)
        return None if told else _named(home)


def archives_folder(session_id: str) -> str:
    """Return the name of the folder that holds a session's archives."""
    return PurePosixPath(recall_root(Workspace("/", Path("/")), session_id)).parent.name


def _home(path: str) -> str:
    """Return the folder that holds all of a session's files, or the file's own folder."""
    folder, name = os.path.split(os.path.dirname(os.path.abspath(path)))
    return folder if name in PART_FOLDERS else os.path.join(folder, name)


def _named(home: PurePath) -> str | None:
    """Return the session that the folder's name tells, where the engine would have made it."""
    parts = home.parts
    if home.name.endswith(_SUFFIX):
        inside = [n for n, part in enumerate(parts[:-1]) if part == _CONTEXTS]
        start = inside[-1] + 1 if inside else len(parts) - 1
        return "/".join(parts[start:]).removesuffix(_SUFFIX) or None
    for n in range(len(parts) - 2, 0, -1):
        if parts[n - 1 : n + 1] == _WITHOUT_WORKSPACE:
            return "/".join(parts[n + 1 :])
    return None
