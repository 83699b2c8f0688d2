"""What offloaders stored: a window shows a shorter text in place of what the agent was given.

The original is in the offload file or, where that is gone, in the log. Its marker declares the
workspace, whose length counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.debug.offload_records import OffloadFile
from engine.messages import MESSAGE_ID
from inspector.replay.cases.case import DEFAULT_WORKSPACE, Gap
from inspector.replay.recovery.recorded import Chat, identity
from inspector.sources.documents.offload_file import read_offload
from inspector.trace.decision import Decision, RecordRef
from inspector.trace.evidence.markers import find_markers
from inspector.trace.recording import Recording


def originals_of(trace: Recording, row: int, decision: Decision) -> Iterator[Chat]:
    """Yield the messages that an offloader shortened: from their file, else from its log."""
    for ref in decision.records:
        file = _file(ref) if ref.path.endswith(".json") else None
        if file is not None:
            yield from file.messages
            return
    windows = trace.detail(row).windows
    for message in (line.before for line in windows.rows) if windows else ():
        if message is not None and message.message_id is not None:
            yield {
                "role": message.role,
                "content": message.content,
                "tool_call_id": message.tool_call_id,
                "metadata": {MESSAGE_ID: message.message_id},
            }


def _file(ref: RecordRef) -> OffloadFile | None:
    try:
        return read_offload(ref.path, ref.offset)
    except OSError:  # it is gone since it was opened
        return None


def lost_originals(
    shown: Iterable[Chat], originals: Mapping[str, Chat], decisions: Iterable[Decision]
) -> Iterator[Gap]:
    """Yield what keeps an offloader from finding again what it found.

    Args:
        shown: the conversation as windows show it.
        originals: the messages that were found, by their identity.
        decisions: those of the offloaders.
    """
    stand_ins = sum(identity(chat) not in originals and _is_offloaded(chat) for chat in shown)
    if stand_ins:
        what = f"the originals of {stand_ins} offloaded messages are in no file; "
        yield Gap(what=what + "they are replayed as windows show them")
    for decision in decisions:
        if decision.outcome == "cut":
            what = "an original could not be written, and was cut; a replay stores it"
            yield Gap(step=decision.step, what=what)


def _is_offloaded(chat: Chat) -> bool:
    content = chat.get("content")
    markers = find_markers(content) if isinstance(content, str) else ()
    return any(marker.kind == "offload" for marker in markers)


class RecoveredWorkspace(NamedTuple):
    """The workspace that markers declare; its length counts wherever a message shows it."""

    path: str
    gaps: list[Gap]


def recovered_workspace(session_id: str, messages: Iterable[Chat]) -> RecoveredWorkspace:
    """Return the workspace by the markers of offloaded messages, else the usual one."""
    folder = f"/context/{session_id}_context/offload/"
    elsewhere = False
    for chat in messages:
        content = chat.get("content")
        for marker in find_markers(content) if isinstance(content, str) else ():
            path = marker.path or ""
            at = path.replace("\\", "/").rfind(folder)
            if at > 0:
                return RecoveredWorkspace(path[:at], [])
            elsewhere = elsewhere or marker.kind == "offload"
    what = "originals were not stored in a workspace, so that their markers are of another length"
    return RecoveredWorkspace(DEFAULT_WORKSPACE, [Gap(what=what)] if elsewhere else [])
