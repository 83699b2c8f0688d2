"""Where originals go: into a file of the workspace, or into the context's memory."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from engine.conversation import Conversation
from engine.debug.offload_records import OffloadFile
from engine.messages import Message

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """An original that was kept, and where."""

    handle: str
    type: Literal["filesystem", "in_memory"]
    path: str | None = None
    """Declared path of the file."""


def keep_in_file(context: Conversation, processor: str, message: Message) -> Kept | None:
    """Store an original in a file of the workspace (`engine.md` §6.6).

    Returns:
        Where it is; None if there is no workspace or the file cannot be written. In a faithful
        replay that is also a file whose text UTF-8 cannot carry, for there the original fails.
    """
    workspace = context.workspace
    if workspace is None:
        return None
    handle = uuid4().hex
    name = f"{processor}_{handle}.json"
    path = workspace.of_session(context.session.session_id, "offload", name)
    file = OffloadFile(offload_handle=handle, messages=[message.to_chat()])
    text = json.dumps(file.model_dump(mode="json"), ensure_ascii=False, indent=2)
    try:
        if context.faithful:
            text.encode()
        workspace.write_new(path, text)
    except (OSError, ValueError) as error:
        _LOG.warning("original not stored in %s: %s", path, error)
        return None
    return Kept(handle, "filesystem", path)


def keep_in_memory(context: Conversation, message: Message) -> Kept:
    """Keep an original in the context's memory."""
    handle = uuid4().hex
    context.offload_messages(handle, [message])
    return Kept(handle, "in_memory")
