"""Where debug files go: by setting, environment variable or workspace (`engine.md` §6.1).

All paths are *declared* paths: those that records and markers show. `Workspace` knows the folder
behind them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from engine.errors import ContextError
from engine.workspace import Workspace

RECORDS_VARIABLE = "OPENJIUWEN_CONTEXT_DEBUG_DIR"
DUMPS_VARIABLE = "OPENJIUWEN_COMPRESSION_DUMP_DIR"
OFFLOADER_VARIABLE = "OPENJIUWEN_MESSAGE_OFFLOADER_DEBUG_LOG_DIR"
RULE_DUMPS_VARIABLE = "OPENJIUWEN_RULE_COMPRESSION_DUMP_DIR"
NOTES_VARIABLE = "OPENJIUWEN_SESSION_MEMORY_DEBUG_DUMP_DIR"

VARIABLES = (
    RECORDS_VARIABLE,
    DUMPS_VARIABLE,
    OFFLOADER_VARIABLE,
    RULE_DUMPS_VARIABLE,
    NOTES_VARIABLE,
)

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_PLACEHOLDERS = ("{session_id}", "{context_id}")


@dataclass(frozen=True)
class DebugPlace:
    """Whose records these are."""

    session_id: str
    context_id: str
    workspace: Workspace | None
    environment: Mapping[str, str] = field(default_factory=dict)

    def folder(self, directory: str | None) -> Path | None:
        """Return the folder of a declared directory; None when there is nowhere to write.

        A relative directory lies in the workspace, never in whatever folder the process runs in.
        """
        if directory is None:
            return None
        if self.workspace is None:
            return Path(directory) if os.path.isabs(directory) else None
        path, folder = self.workspace.physical(directory), self.workspace.folder
        return path if path.is_absolute() or path.is_relative_to(folder) else folder / path


class DebugFile(NamedTuple):
    """A file that debug output belongs into, whether it can be written or not."""

    place: DebugPlace
    directory: str | None
    """Declared directory; None when there is nowhere to write."""
    name: str

    @property
    def declared(self) -> str | None:
        """Its declared path."""
        return None if self.directory is None else f"{self.directory}/{self.name}"

    @property
    def path(self) -> Path | None:
        """Where it really is."""
        folder = self.place.folder(self.directory)
        return None if folder is None else folder / self.name


class DebugSetting(NamedTuple):
    """What settings say about debug output."""

    enabled: bool
    directory: str | None
    """Where; may hold `{session_id}` and `{context_id}`. None: by environment or workspace."""


def check_directories(settings: BaseModel, environment: Mapping[str, str]) -> None:
    """Try the directory templates in settings, and those that the environment names.

    The original finds out with the first record, which ends the processor's turn; a replay has to
    do as it does.

    Raises:
        ContextError: one of them cannot be expanded.
    """
    variables = {name: environment.get(name) for name in VARIABLES}
    for name, template in [*_templates(settings), *variables.items()]:
        try:
            _expanded(template or "", DebugPlace("s", "c", None), safe_name)
        except (LookupError, ValueError, AttributeError) as error:
            known = " and ".join(_PLACEHOLDERS)
            raise ContextError(
                f"{name}: {template!r} cannot be a directory, for only {known} may stand in "
                f"braces; write any other brace twice ({error!r})"
            ) from error


def _templates(settings: BaseModel) -> Iterator[tuple[str, str]]:
    for name, value in settings:
        if isinstance(value, BaseModel):
            yield from ((f"{name}.{inner}", template) for inner, template in _templates(value))
        elif name.endswith("_dir") and isinstance(value, str):
            yield name, value


@lru_cache(maxsize=256)
def safe_name(text: str) -> str:
    """Return the text as a part of a file name: at most 80 characters, runs of others as `-`."""
    return _UNSAFE.sub("-", text).strip("-")[:80] or "unknown"


def records_directory(place: DebugPlace, setting: str | None) -> str | None:
    """Return the directory of the JSONL records, None when there is nowhere to write.

    Raises:
        KeyError: the path has a placeholder other than `{session_id}` and `{context_id}`.
    """
    return _directory(place, setting, RECORDS_VARIABLE, "context_debug")


def dumps_directory(place: DebugPlace, setting: str | None) -> str | None:
    """Return the directory of the compression dumps, None when there is nowhere to write.

    Raises:
        KeyError: the path has a placeholder other than `{session_id}` and `{context_id}`.
    """
    return _directory(place, setting, DUMPS_VARIABLE, "compression_logs")


def offloader_directory(place: DebugPlace, setting: str | None) -> str | None:
    """Return the directory of the offloader's log, None when there is nowhere to write.

    Raises:
        KeyError: the path has a placeholder other than `{session_id}` and `{context_id}`.
    """
    default = "message_offloader_debug_logs"
    return _directory(place, setting, OFFLOADER_VARIABLE, default, _letters_kept)


def rule_dumps_directory(place: DebugPlace, setting: str | None) -> str | None:
    """Return the directory of the rules' dumps, None when there is nowhere to write.

    Raises:
        KeyError: the path has a placeholder other than `{session_id}` and `{context_id}`.
    """
    return _directory(place, setting, RULE_DUMPS_VARIABLE, "rule_compression_logs")


def notes_directory(place: DebugPlace, setting: str | None) -> str | None:
    """Return the directory of the documents on updates of notes, None without a place to write.

    A setting is taken as it stands, placeholders and all.
    """
    given = setting or place.environment.get(NOTES_VARIABLE)
    return given or _directory(place, None, "", "session_memory_debug_logs")


def dump_name(processor: str, session_id: str, timestamp: float) -> str:
    """Return the file name of a dump written at `timestamp` (epoch seconds)."""
    return f"{int(timestamp * 1000)}_{safe_name(processor)}_{safe_name(session_id)}.json"


def rule_dump_name(pass_name: str, kind: str, tool_call_id: str, timestamp: float) -> str:
    """Return the file name of a rule's dump written at `timestamp` (epoch seconds)."""
    parts = (str(int(timestamp * 1000)), pass_name, kind, tool_call_id)
    return "_".join(map(safe_name, parts)) + ".json"


def _directory(
    place: DebugPlace,
    setting: str | None,
    variable: str,
    default: str,
    safe: Callable[[str], str] = safe_name,
) -> str | None:
    template = setting or place.environment.get(variable)
    if template:
        return _expanded(template, place, safe)
    if place.workspace is None:
        return None
    return place.workspace.of_session(place.session_id, default)


def _expanded(template: str, place: DebugPlace, safe: Callable[[str], str]) -> str:
    if not any(placeholder in template for placeholder in _PLACEHOLDERS):
        return template
    return template.format(session_id=safe(place.session_id), context_id=safe(place.context_id))


def _letters_kept(text: str) -> str:
    """Return the text with each character as `-` that is no letter, digit or one of `_.-`."""
    return "".join(char if char.isalnum() or char in "_.-" else "-" for char in text)
