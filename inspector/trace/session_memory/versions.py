"""The session's notes as they were over time.

The files hold the latest notes and the template they began as; a window in which notes took the
messages' place holds them as they were then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from engine.debug.memory_records import UpdateRequest
from inspector.sources.documents.notes import NotesHead
from inspector.sources.regular_file import open_regular
from inspector.trace.detail import NotesVersion, RequestView
from inspector.trace.session_memory.story import NotesFiles
from inspector.trace.windows.window import trace_messages

_BLOCK = "<memory_block_session>"
_NOTES = re.compile(r"<summary>\n(?P<notes>.*)\n</summary>", re.DOTALL)
_LARGEST = 16 << 20


def notes_versions(
    files: NotesFiles, requests: Iterable[tuple[float, dict[str, Any]]]
) -> tuple[NotesVersion, ...]:
    """Return the notes over time, oldest first, without repetitions.

    Args:
        files: The session's notes.
        requests: Times (epoch seconds) and records of the requests that followed each use of notes.

    Raises:
        OSError: a file cannot be read any more.
    """
    found: list[NotesVersion] = []
    for version in _versions(files, requests):
        if not found or found[-1].text != version.text:
            found.append(version)
    return tuple(found)


def _versions(
    files: NotesFiles, requests: Iterable[tuple[float, dict[str, Any]]]
) -> Iterator[NotesVersion]:
    if files.template is not None:
        yield _of_file("template", files.template)
    for time, record in requests:
        text = notes_in(record)
        if text is not None:
            yield NotesVersion("as they were used", text, time)
    if files.notes is not None:
        yield _of_file("notes", files.notes)
    if files.pending is not None:
        yield _of_file("pending copy", files.pending)


def notes_in(request: dict[str, Any]) -> str | None:
    """Return the notes that stand in a request's window in place of messages."""
    messages = request.get("messages")
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str) and content.lstrip().startswith(_BLOCK):
            notes = _NOTES.search(content)
            return notes["notes"] if notes else None
    return None


def update_request(request: UpdateRequest) -> RequestView:
    """Return the conversation that an update of the notes by edits began with."""
    return RequestView(
        messages=(
            *trace_messages(request.system_messages, first=None),
            *trace_messages(request.context_messages),
        ),
        prompt=request.prompt,
        system_count=len(request.system_messages),
        tools=tuple(request.tools),
    )


def _of_file(label: str, head: NotesHead) -> NotesVersion:
    with open_regular(head.path) as file:
        text = file.read(_LARGEST).decode(errors="replace")
    return NotesVersion(label, text.strip(), path=head.path)
