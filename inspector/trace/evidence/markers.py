"""The markers in a text that name something stored elsewhere: an original, or an archive.

`find_markers` finds them; `Payloads` tells where the thing is among the opened files. A marker's
path is the one that its writer knew: it is compared with what was opened, and nothing is looked up
on the disk for it. What would lie elsewhere is said to be outside, for the user to decide.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Literal

from inspector.sources.documents.archive import ArchiveHead
from inspector.sources.documents.offload_file import OffloadFileHead
from inspector.sources.documents.session_state import SessionStateHead
from inspector.sources.scan import Head, Source

MarkerKind = Literal["offload", "recall"]
Where = Literal["found", "empty", "in_state", "in_memory", "dangling", "outside"]
"""`found`: in an opened file; `empty`: its file has 0 bytes; `in_state`: in a saved state;
`in_memory`: in the agent's memory only; `dangling`: its file is not where it should be; `outside`:
it would lie outside the opened paths."""

_MARKER = re.compile(
    r"\[\[(?P<name>OFFLOAD|COMPRESSION_RECALL):(?P<fields>(?:(?!\[\[|\]\])[^\n])+)\]\]"
)
_FIELD = re.compile(r"(?:^|,)\s*(?P<name>handle|type|path|id)=")
_SESSION_FOLDER = "_context"


@dataclass(frozen=True)
class Marker:
    """A marker and where it stands in its text."""

    kind: MarkerKind
    start: int
    """Position of its first character; `end` is that after its last one."""
    end: int
    name: str
    """Handle of an original, or id of an archive."""
    stored_as: str | None = None
    """`filesystem` or `in_memory`."""
    path: str | None = None
    """Path that the writer knew."""


@dataclass(frozen=True)
class Payload:
    """What became of the thing that a marker names."""

    marker: Marker
    where: Where
    path: str | None = None
    """Its file or folder here; where it is not here, the path at which it would be."""


def find_markers(text: str) -> Iterator[Marker]:
    """Yield the markers of a text in order; linear in the text."""
    for match in _MARKER.finditer(text):
        fields = _fields(match["fields"])
        kind: MarkerKind = "offload" if match["name"] == "OFFLOAD" else "recall"
        name = fields.get("handle" if kind == "offload" else "id")
        if name:
            yield Marker(kind, *match.span(), name, fields.get("type"), fields.get("path"))


def _fields(text: str) -> dict[str, str]:
    """Read `name=value` pairs; the path comes last and may hold commas."""
    found: dict[str, str] = {}
    matches = list(_FIELD.finditer(text))
    ends = [match.start() for match in matches[1:]]
    for match, end in zip(matches, [*ends, len(text)], strict=True):
        if match["name"] == "path":
            end = len(text)
        found[match["name"]] = text[match.end() : end].strip()
        if end == len(text):
            break
    return found


class Payloads:
    """Where the things that markers name are, among the opened files."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        """Take in what was opened; nothing is read."""
        self.files: dict[str, OffloadFileHead] = {}
        """Offload files by handle; one of 0 bytes only where there is no other."""
        self.archives: dict[str, ArchiveHead] = {}
        """Archives by id."""
        roots = {source.root for source in sources}
        self._roots = {Path(os.path.abspath(root)) for root in roots}
        self._states: dict[str, str] = {}
        self._folders: dict[tuple[str, ...], str] = {}
        self._seen: set[str] = set()
        for source in sources:
            self._add_folders(source)
            for head in source.heads:
                self._add_head(head)

    def locate(self, marker: Marker) -> Payload:
        """Tell where the thing is that a marker names."""
        if marker.kind == "recall":
            archive = self.archives.get(marker.name)
            return (
                Payload(marker, "found", archive.folder) if archive else Payload(marker, "dangling")
            )
        file = self.files.get(marker.name)
        if file is not None:
            return Payload(marker, "empty" if file.empty else "found", file.path)
        if marker.name in self._states:
            return Payload(marker, "in_state", self._states[marker.name])
        if marker.stored_as == "in_memory" or not marker.path:
            return Payload(marker, "in_memory" if marker.stored_as == "in_memory" else "dangling")
        expected = self._expected(marker.path)
        return Payload(marker, "dangling" if expected else "outside", expected or marker.path)

    def is_open(self, path: Path) -> bool:
        """Tell whether a path lies in what the user opened, links followed."""
        inside = path.resolve()
        return any(inside.is_relative_to(root.resolve()) for root in self._roots)

    def _expected(self, declared: str) -> str | None:
        """Return where a file would be if it is missing in an opened folder; None outside of them.

        The folder is recognised by the last two parts of its path, or as a session's.
        """
        parts = PurePosixPath(declared.replace("\\", "/")).parts
        if ".." in parts:
            return None
        for n in range(len(parts) - 1, 0, -1):
            folder = self._folders.get(parts[max(n - 2, 0) : n])
            if folder is None and parts[n - 1].endswith(_SESSION_FOLDER):
                folder = self._folders.get((parts[n - 1],))
            if folder is not None:
                return os.path.join(folder, *parts[n:])
        return None

    def _add_folders(self, source: Source) -> None:
        root, folder = os.path.abspath(source.root), os.path.dirname(os.path.abspath(source.path))
        while folder.startswith(root) and folder not in self._seen:
            self._seen.add(folder)
            parts = PurePath(folder).parts
            self._folders.setdefault(parts[-2:], folder)
            self._folders.setdefault(parts[-1:], folder)
            folder = os.path.dirname(folder)

    def _add_head(self, head: Head) -> None:
        if isinstance(head, OffloadFileHead):
            known = self.files.get(head.handle)
            if known is None or known.empty:
                self.files[head.handle] = head
        elif isinstance(head, ArchiveHead):
            self.archives.setdefault(head.memory_id, head)
        elif isinstance(head, SessionStateHead):
            for context in head.contexts:
                self._states.update(dict.fromkeys(context.handles, head.path))
