"""Writes what an update by edits was given, and what came of it."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from uuid import uuid4

from engine.conversation import Conversation
from engine.debug.directories import notes_directory
from engine.debug.memory_records import NotesUpdateLog
from engine.workspace.files import write_new_file

_LOG = logging.getLogger(__name__)


def write_run(context: Conversation, setting: str | None, run: NotesUpdateLog) -> None:
    """Write the document; an error is logged and forgotten.

    Args:
        context: whose notes they are.
        setting: the directory that the settings name.
        run: the document.
    """
    place = context.debug.place
    folder = place.folder(notes_directory(place, setting))
    if folder is None:
        return
    now = datetime.fromtimestamp(context.clock.now(), UTC)
    path = folder / f"{now:%Y%m%dT%H%M%S}_{uuid4().hex}.json"
    text = json.dumps(run.model_dump(mode="json"), ensure_ascii=False, indent=2)
    try:
        write_new_file(path, text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        _LOG.warning("no document on the update of the notes in %s: %s", path, error)
