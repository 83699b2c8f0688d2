"""The calls by which an agent's model fetches what was taken out of its window.

Three tools do that: the two of the engine, and a plain `read_file` of an offload file, which the
original's prompt recommends. A call stands in the assistant's message of every later window.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from engine.recall.reload import RELOAD_TOOL
from engine.recall.tool import RECALL_TOOL
from inspector.sources.documents.offload_file import handle_named
from inspector.sources.message_keys import NO_CALLS, ShownMessage

_READ_FILE = "read_file"
_PATHS = ("file_path", "path")


class RecallCall(NamedTuple):
    """One call; None where it does not say."""

    call_id: str
    handle: str | None = None
    """Handle of the original that it asks for; None where it searches the archives."""
    stored_as: str | None = None
    """How the original is stored, as the call says it: `filesystem` or `in_memory`."""
    path: str | None = None
    """The path at which it asks for the original."""
    query: str | None = None
    """What it searches the archives for."""
    memory_id: str | None = None
    """The archive that it searches; None: all of the session."""


Recalled = tuple[str | None, str | None, RecallCall]
"""Session, context and call."""


def recall_calls(tool_calls: object) -> Iterator[RecallCall]:
    """Yield the recalls among the tool calls of a message, in the nested form or the flat one."""
    for call in tool_calls if isinstance(tool_calls, list) else ():
        if isinstance(call, Mapping):
            function = call.get("function")
            said = function if isinstance(function, Mapping) else call
            call_id, read = call.get("id"), _READERS.get(str(said.get("name")))
            if isinstance(call_id, str) and read is not None:
                found = read(call_id, _arguments(said.get("arguments")))
                if found is not None:
                    yield found


def recalls_in(messages: Iterable[ShownMessage]) -> Iterator[RecallCall]:
    """Yield the recalls in a window."""
    calls = (bytes(m.tool_calls) for m in messages if m.tool_calls is not NO_CALLS)
    return chain.from_iterable(map(_written, filter(_NAMED.search, calls)))


@lru_cache(8192)
def _written(tool_calls: bytes) -> tuple[RecallCall, ...]:
    """Read the recalls of a message, which is the same in each window that holds it."""
    try:
        return tuple(recall_calls(json.loads(tool_calls.decode(errors="replace"), strict=False)))
    except (ValueError, RecursionError):
        return ()


def _searched(call_id: str, arguments: Mapping[str, Any]) -> RecallCall:
    query, memory_id = _text(arguments.get("query")), _text(arguments.get("memory_id"))
    return RecallCall(call_id, query=query or "", memory_id=memory_id)


def _reloaded(call_id: str, arguments: Mapping[str, Any]) -> RecallCall:
    asked = _text(arguments.get("offload_handle")) or ""
    stored_as, handle = _text(arguments.get("offload_type")), handle_named(asked)
    return RecallCall(call_id, handle or asked, stored_as, asked if handle else None)


def _read(call_id: str, arguments: Mapping[str, Any]) -> RecallCall | None:
    asked = next((path for name in _PATHS if (path := _text(arguments.get(name)))), "")
    handle = handle_named(asked.replace("\\", "/"))
    return RecallCall(call_id, handle, "filesystem", asked) if handle else None


_READERS: Mapping[str, Callable[[str, Mapping[str, Any]], RecallCall | None]] = {
    RECALL_TOOL.name: _searched,
    RELOAD_TOOL.name: _reloaded,
    _READ_FILE: _read,
}


_NAMED = re.compile("|".join(map(re.escape, _READERS)).encode())


def _arguments(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() else None
