"""Tools whose results stay as they are, perhaps only for some arguments (`engine.md` E.12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch

from engine.messages import Message, ToolCall


def calls_by_id(messages: Sequence[Message], ids: Iterable[str]) -> Mapping[str, ToolCall]:
    """Return the calls of some ids, searched from the end; the latest message of an id wins.

    An empty id belongs to no call.
    """
    wanted = set(filter(None, ids))
    found: dict[str, ToolCall] = {}
    for message in reversed(messages):
        if not wanted:
            break
        for call in message.calls:
            if call.id in wanted:
                wanted.remove(call.id)
                found[call.id] = call
    return found


def is_protected(call: ToolCall | None, entries: Iterable[str]) -> bool:
    """Return whether the result of a call stays as it is; without a call it does not.

    Args:
        call: the call, if it is known.
        entries: `tool`, or `tool:glob` for calls with an argument (a string) like the glob.
    """
    if call is None:
        return False
    for entry in entries:
        tool, colon, glob = entry.partition(":")
        if tool == call.name and (not colon or _has_argument(call, glob)):
            return True
    return False


def _has_argument(call: ToolCall, glob: str) -> bool:
    values = call.named_arguments.values()
    return any(isinstance(value, str) and fnmatch(value, glob) for value in values)
