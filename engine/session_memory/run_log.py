"""Writes what an update by edits was given, and what came of it."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from engine.conversation import Conversation
from engine.debug.directories import notes_directory
from engine.debug.memory_records import (
    NotesUpdateLog,
    UpdateAbility,
    UpdateAgent,
    UpdateRequest,
)
from engine.session_memory.agent_edit import NotesEditor
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.stretch import Stretch
from engine.workspace.files import write_new_file

_LOG = logging.getLogger(__name__)


def write_run(
    context: Conversation,
    config: SessionMemoryConfig,
    stretch: Stretch,
    editor: NotesEditor,
    prompt: str,
    error: str | None,
) -> None:
    """Write the document, if the settings want it; that it cannot be is logged and forgotten.

    Args:
        context: whose notes they are.
        config: how they are kept.
        stretch: what the update was about.
        editor: the notes as they were left, and the calls that were turned down.
        prompt: what the model was asked.
        error: what the update failed with; None where it did not.
    """
    if not config.enable_debug_dump:
        return
    now = datetime.fromtimestamp(context.clock.now(), UTC)
    run = NotesUpdateLog(
        timestamp=now.isoformat(),
        request=UpdateRequest(
            prompt=prompt,
            system_messages=[message.to_chat() for message in stretch.system],
            context_messages=[message.to_chat() for message in stretch.messages],
            tools=[tool.model_dump(mode="json") for tool in stretch.tools],
            exclude_recent_messages=len(context) - len(stretch.messages),
        ),
        result=None if error else editor.notes,
        error=error,
        agent=UpdateAgent(max_iterations=config.max_iterations),
        ability=UpdateAbility(
            rejected_tool_calls=editor.rejected,
            model_tools=[tool.name for tool in stretch.tools],
            allowed_notes_path=editor.path,
        ),
    )
    place = context.debug.place
    folder = place.folder(notes_directory(place, config.debug_dump_dir))
    if folder is not None:
        _write(folder / f"{now:%Y%m%dT%H%M%S}_{uuid4().hex}.json", run)


def _write(path: Path, run: NotesUpdateLog) -> None:
    text = json.dumps(run.model_dump(mode="json"), ensure_ascii=False, indent=2)
    try:
        write_new_file(path, text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        _LOG.warning("no document on the update of the notes in %s: %s", path, error)
