"""The head of an offload file: whose original it holds.

The document names its handle and the messages, but neither session nor context nor time; the name
tells the processor, unless there was no workspace. A file of 0 bytes is what is left of a write
that failed: its name is all there is, and the original is in no file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

import msgspec

from engine.debug.offload_records import OffloadFile
from inspector.sources.document import Part, read_document, read_model
from inspector.sources.lines.offload_log import OFFLOADER
from inspector.sources.problem import Problem

_NAME = re.compile(r"(?:(?P<processor>.+)_)?(?P<handle>[0-9a-f]{32})")

EMPTY = "is an offload file of 0 bytes: the write failed, and the original is lost"


class _Ids(msgspec.Struct):
    context_message_id: str | None = None


class _Message(msgspec.Struct):
    role: str | None = None
    tool_call_id: str | None = None
    metadata: _Ids | None = None


class _Keys(msgspec.Struct):
    offload_handle: str | None = None
    messages: list[_Message] = []


@dataclass(frozen=True)
class OffloadFileHead:
    """What joining an offload file to its marker and its message needs."""

    path: str
    handle: str
    processor: str
    """The one that the name tells; the current offloader where the name is the handle alone."""
    roles: tuple[str, ...]
    """Roles of the messages that it holds."""
    call_id: str | None = None
    """Tool call that the first message answers."""
    message_id: str | None = None
    """The engine's id of the first message."""
    empty: bool = False
    """It has 0 bytes."""
    torn: bool = False
    offset: int = 0
    """Where it begins in its file, in bytes."""


def handle_named(path: str) -> str | None:
    """Return the handle in the path of an offload file; None where it is not called like one."""
    name = PurePath(path)
    match = _NAME.fullmatch(name.stem) if name.suffix == ".json" else None
    return match["handle"] if match else None


def read_offload_head(part: Part) -> tuple[OffloadFileHead, list[Problem]]:
    """Read the head of an offload file, or what a damaged one still tells."""
    keys, torn, problems = read_document(part, _Keys, "offload file")
    named, handle = ("", "") if part.offset else _named(part.path)
    known = keys.offload_handle or handle
    first = keys.messages[0] if keys.messages else _Message()
    stem = PurePath(part.path).stem
    if known and stem.endswith(f"_{known}"):
        named = stem.removesuffix(f"_{known}")
    head = OffloadFileHead(
        path=part.path,
        offset=part.offset,
        handle=known,
        processor=named or OFFLOADER,
        roles=tuple(message.role or "" for message in keys.messages),
        call_id=first.tool_call_id,
        message_id=first.metadata.context_message_id if first.metadata else None,
        torn=torn,
    )
    return head, problems


def read_offload(path: str, offset: int = 0) -> OffloadFile | None:
    """Read a whole offload file; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    return read_model(path, OffloadFile, offset)


def empty_offload_head(part: Part) -> tuple[OffloadFileHead, list[Problem]]:
    """Return what the name of an offload file of 0 bytes tells."""
    processor, handle = _named(part.path)
    head = OffloadFileHead(part.path, handle, processor or OFFLOADER, (), empty=True)
    return head, [Problem(part.path, 0, None, EMPTY)]


def _named(path: str) -> tuple[str, str]:
    """Return processor and handle as the name tells them."""
    match = _NAME.fullmatch(PurePath(path).stem)
    return (match["processor"] or "", match["handle"]) if match else ("", "")
