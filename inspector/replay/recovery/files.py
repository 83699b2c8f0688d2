"""Files of the workspace that compressions read back into the context, if they are still there.

Recovered context names the sections it was built from. Skills and files come from the messages
themselves; the to-do list and the plan come from files, task and plan mode from the session's
state, which no debug file holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.debug.records import CompressionDump
from inspector.replay.cases.case import Gap
from inspector.sources.regular_file import read_regular

_SECTION = re.compile(r'^<section name="(\w+)">$', re.MULTILINE)
_PLAN_FILE = re.compile(r"\.plans/([^/\n]+\.md)")
_RECOVERED = "<recovered_context>"
_OF_STATE = ("task_status", "plan_mode")


class RecoveredFiles(NamedTuple):
    """Texts by path below the workspace, and what could not be found."""

    texts: dict[str, str]
    gaps: list[Gap]


def recovered_files(
    session_id: str,
    record_paths: Sequence[str],
    dumps: Iterable[CompressionDump],
    is_open: Callable[[Path], bool],
) -> RecoveredFiles:
    """Return the files that re-injection read, as far as they lie in what the user opened.

    Args:
        session_id: The session.
        record_paths: The files of its records; the workspace is told from their place in it.
        dumps: Its compressions.
        is_open: Whether a path lies in what the user opened; no other is read.
    """
    blocks = [text for dump in dumps for text in _recovered(dump)]
    sections = {name for text in blocks for name in _SECTION.findall(text)}
    root = _workspace(session_id, record_paths)
    texts: dict[str, str] = {}
    gaps: list[Gap] = []

    def take(what: str, *names: str) -> None:
        found = _first(root, names, is_open)
        if found is None:
            what = f"{what} was put back after compressions, but its file was not found"
            gaps.append(Gap(what=f"{what} in what is open"))
            return
        name, texts[name] = found
        gaps.append(Gap(what=f"{what} is taken from {name} as it is now"))

    if "todo" in sections:
        take("the to-do list", f"{session_id}/todo.json", f"todo/{session_id}/todo.json")
    if "plan" in sections:
        plans = dict.fromkeys(name for text in blocks for name in _PLAN_FILE.findall(text))
        for name in plans:
            take(f"the plan {name}", f".plans/{name}")
    for name in _OF_STATE:
        if name in sections:
            what = f"{name.replace('_', ' ')} was put back from the session's state, in no file"
            gaps.append(Gap(what=what))
    return RecoveredFiles(texts, gaps)


def _recovered(dump: CompressionDump) -> Iterator[str]:
    for message in dump.context_after.messages:
        content = message.get("content")
        if isinstance(content, str) and content.startswith(_RECOVERED):
            yield content


def _workspace(session_id: str, record_paths: Sequence[str]) -> Path | None:
    """Return the workspace whose default folder holds the records."""
    folder = f"/context/{session_id}_context/"
    for path in record_paths:
        root, found, _ = Path(path).absolute().as_posix().rpartition(folder)
        if found:
            return Path(root)
    return None


def _first(
    root: Path | None, names: Iterable[str], is_open: Callable[[Path], bool]
) -> tuple[str, str] | None:
    """Return name and text of the first of some files that is there."""
    for name in names if root is not None else ():
        path = Path(root or "", name)
        try:
            if is_open(path):
                return name, read_regular(path).decode()
        except (OSError, ValueError):
            continue
    return None
