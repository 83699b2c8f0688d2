"""Words that tell what a tool result is wanted for: they make a line or a hunk worth keeping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.messages import Message, ToolCall, UserMessage
from engine.messages.json_text import read_json

_WORD = re.compile(r"(?<![A-Za-z0-9_/\\])[A-Za-z0-9_]{3,}")
"""Those right after a slash are parts of paths."""
_SILENT_KEYS = frozenset(
    {
        *("file", "file_path", "filepath", "filename", "path", "paths"),
        *("trusted_dirs", "preferred_response_language", "files_updated_by_user"),
        *("timezone", "timestamp", "encoding", "offset", "limit", "start", "end"),
        *("channel", "channels", "frontend", "session_id", "context_id", "request_id"),
    }
)
"""Arguments whose values say where or how, not what."""


def query_terms(messages: Sequence[Message], call: ToolCall | None) -> frozenset[str]:
    """Return the words of the latest request and of the call whose result is shortened.

    Args:
        messages: the conversation; the last user message with plain text counts.
        call: the tool call, if it is known.
    """
    texts = [_latest_request(messages)]
    if call is not None:
        texts += [call.name, *_argument_texts(call.arguments)]
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))


def hits(terms: Iterable[str], text: str) -> int:
    """Return how many of the terms occur in a lower-case text."""
    return sum(1 for term in terms if term in text)


def _latest_request(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if isinstance(message, UserMessage) and isinstance(message.content, str):
            return message.content
    return ""


def _argument_texts(arguments: str) -> Iterator[str]:
    try:
        yield from _value_texts(read_json(arguments))
    except RecursionError:
        return


def _value_texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key.lower() not in _SILENT_KEYS:
                yield from _value_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _value_texts(inner)
    elif value is not None:
        yield str(value)
