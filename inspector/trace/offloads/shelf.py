"""The offload files and rules' dumps of the opened paths, each to be joined to one pass.

A file belongs to the pass that names its handle, else to the one over its message; a rule's dump to
the pass that names its path, else to one over its tool call. Copies count once. Joining takes
constant time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from inspector.sources.documents.offload_file import OffloadFileHead
from inspector.sources.documents.rule_dump import RuleDumpHead
from inspector.sources.lines.offload_log import OFFLOADER

T = TypeVar("T")


@dataclass(frozen=True)
class PlacedFile:
    """An offload file, and whose folder it lies in."""

    head: OffloadFileHead
    session_id: str | None
    """None where no record tells the session of its folder."""


class _Pile(Generic[T]):
    """Things that can be found by several names, each to be taken once."""

    def __init__(self) -> None:
        self._all: list[T] = []
        self._named: dict[tuple[str, str], list[int]] = {}
        self._taken: set[int] = set()

    def add(self, thing: T, names: Mapping[str, str | None]) -> None:
        for kind, name in names.items():
            if name:
                self._named.setdefault((kind, name), []).append(len(self._all))
        self._all.append(thing)

    def take(self, kind: str, name: str | None, fits: Callable[[T], bool]) -> T | None:
        places = self._named.get((kind, name or ""), ())
        free = (at for at in places if at not in self._taken and fits(self._all[at]))
        at = next(free, None)
        if at is None:
            return None
        self._taken.add(at)
        return self._all[at]

    def rest(self) -> list[T]:
        return [thing for at, thing in enumerate(self._all) if at not in self._taken]


@dataclass
class OffloadShelf:
    """What waits to be joined."""

    empty: list[PlacedFile] = field(default_factory=list)
    """Files of 0 bytes."""
    _files: _Pile[PlacedFile] = field(default_factory=_Pile)
    _dumps: _Pile[RuleDumpHead] = field(default_factory=_Pile)

    @classmethod
    def of(cls, files: Iterable[PlacedFile], dumps: Iterable[RuleDumpHead]) -> OffloadShelf:
        """Put files and dumps on a shelf, without their copies."""
        shelf, handles, seen = cls(), set[str](), set[Hashable]()
        for placed in sorted(files, key=lambda placed: placed.head.offset > 0):
            head = placed.head
            if head.empty:
                shelf.empty.append(placed)
            elif head.handle not in handles:
                handles.add(head.handle)
                names = {"handle": head.handle, "message": head.message_id, "call": head.call_id}
                shelf._files.add(placed, names)
        for dump in sorted(dumps, key=_by_time):
            what = (dump.session_id, dump.context_id, dump.call_id, dump.pass_name, dump.rule)
            if (*what, repr(dump.time)) not in seen:
                seen.add((*what, repr(dump.time)))
                shelf._dumps.add(dump, {"path": _name(dump.path), "call": dump.call_id})
        return shelf

    def file_of_handle(self, handle: str) -> PlacedFile | None:
        """Take the file of a handle."""
        return self._files.take("handle", handle, lambda placed: True)

    def file_of_message(
        self, session_id: str | None, message_id: str | None, call_id: str | None
    ) -> PlacedFile | None:
        """Take the file of a message, told by its id or else by session and tool call.

        Files of other offloaders are none of the log's.
        """
        found = self._files.take("message", message_id, _is_logged)
        if found is not None or call_id is None:
            return found

        def same(placed: PlacedFile) -> bool:
            named = placed.head.message_id is not None and message_id is not None
            whose = placed.session_id in (None, session_id)
            return not named and whose and _is_logged(placed)

        return self._files.take("call", call_id, same)

    def dump_of(
        self, session_id: str | None, call_id: str | None, declared: str | None
    ) -> RuleDumpHead | None:
        """Take the dump of a rule, told by its declared path or else by session and tool call."""

        def same(dump: RuleDumpHead) -> bool:
            return dump.session_id in (None, session_id)

        if declared is not None:
            return self._dumps.take("path", _name(declared), same)
        return self._dumps.take("call", call_id, same)

    def rest(self) -> tuple[list[PlacedFile], list[RuleDumpHead]]:
        """Return what was not taken."""
        return self._files.rest(), self._dumps.rest()


def _is_logged(placed: PlacedFile) -> bool:
    return placed.head.processor == OFFLOADER


def _by_time(dump: RuleDumpHead) -> tuple[bool, float]:
    """Sort files of their own before what was glued to others, undated ones last."""
    return dump.offset > 0, math.inf if math.isnan(dump.time) else dump.time


def _name(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name
