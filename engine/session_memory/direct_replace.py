"""Notes brought up to date by one answer: the whole new text."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from engine.messages import Message
from engine.session_memory.model import ChatModel, NotesUpdateError

_LOG = logging.getLogger(__name__)
_FENCED = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)


async def replaced_notes(model: ChatModel, messages: Sequence[Message], retries: int) -> str:
    """Return the new notes.

    Args:
        model: who writes them.
        messages: the conversation, and the prompt as last user message.
        retries: further calls after one that brings nothing, without a pause.

    Raises:
        Exception: what the last call failed with; `NotesUpdateError` for an empty answer.
    """
    for left in range(retries, -1, -1):
        try:
            return _text((await model.answer(messages, ())).text)
        except Exception as error:
            if not left:
                raise
            _LOG.info("notes are asked for again: %s", error)
    raise AssertionError("the last call returns or raises")


def _text(answer: str) -> str:
    """Return an answer without the fence around it.

    Raises:
        NotesUpdateError: there is nothing in it.
    """
    text = answer.strip()
    fenced = _FENCED.fullmatch(text)
    text = fenced.group(1).strip() if fenced else text
    if not text:
        raise NotesUpdateError("the model's answer is empty")
    return text + "\n"
