"""The tool by which an agent's model gets back what an offloader took out of the window."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.conversation import Conversation
from engine.debug.offload_records import OffloadFile
from engine.messages import Message, ToolInfo, read_messages
from engine.recall.tool import ToolOutput

RELOAD_TOOL = ToolInfo(
    name="reload_original_context_messages",
    description=(
        "Get back the original of a message whose text ends in a marker "
        "[[OFFLOAD: handle=..., type=...]], in full."
    ),
    parameters={
        "type": "object",
        "properties": {
            "offload_handle": {
                "type": "string",
                "description": "The handle in the marker, or the path in it.",
            },
            "offload_type": {
                "type": "string",
                "enum": ["in_memory", "filesystem"],
                "description": "The type in the marker.",
            },
        },
        "required": ["offload_handle", "offload_type"],
    },
)

_HANDLE = re.compile(r"[A-Za-z0-9_-]+")


async def reload_original_context_messages(
    context: Conversation, offload_handle: str, offload_type: str
) -> ToolOutput:
    """Answer a call of the tool: the original messages, and `content` for the model to read."""
    messages: Sequence[Message]
    if offload_type == "in_memory":
        messages = context.offloaded.get(offload_handle, ())
    else:
        messages = _from_file(context, offload_handle)
    if not messages:
        return ToolOutput(False, error=f"there is no {offload_type} original '{offload_handle}'")
    chat = [message.to_chat() for message in messages]
    texts = [
        m["content"] if isinstance(m["content"], str) else json.dumps(m["content"]) for m in chat
    ]
    return ToolOutput(True, {"messages": chat, "content": "\n\n".join(texts)})


def _from_file(context: Conversation, handle: str) -> list[Message]:
    for path in _candidates(context, handle):
        try:
            file = OffloadFile.model_validate_json(path.read_bytes())
            return read_messages(file.messages)
        except (OSError, ValueError):
            continue
    return []


def _candidates(context: Conversation, handle: str) -> Iterator[Path]:
    """Yield the files that may hold an original, the likeliest first; none outside its folder."""
    workspace = context.workspace
    if workspace is None:
        return
    folder = workspace.physical(workspace.of_session(context.session.session_id, "offload"))
    if _HANDLE.fullmatch(handle):
        yield folder / f"{handle}.json"
        yield from sorted(folder.glob(f"*_{handle}.json"))
        return
    if handle and (path := workspace.physical(handle)).parent == folder:
        yield path
