"""Whether an agent's own model call failed because its context was too long (`engine.md` §1.8).

This is not the compressors' classifier (`engine.errors.model_calls`): it looks at more places of an
error, and for other words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_DEPTH = 6
_ATTRIBUTES = (
    "message",
    "body",
    "details",
    "error",
    "errors",
    "response",
    "code",
    "type",
    "param",
    "status_code",
    "status",
    "text",
    "content",
    "cause",
    "__cause__",
    "__context__",
)
_PHRASES = (
    "context length",
    "context window",
    "maximum context",
    "context limit",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
)
_SUBJECTS = ("context", "prompt", "input")
_ANSWERS = ("output", "completion", "response")


def is_context_overflow(error: BaseException) -> bool:
    """Return whether anything that the error says or holds tells of a context that is too long."""
    return any(_tells_overflow(text) for text in _texts(error, _DEPTH, set()))


def _tells_overflow(text: str) -> bool:
    text = text.casefold().replace("_", " ").replace("-", " ")

    def has(*words: str) -> bool:
        return any(word in text for word in words)

    if has(*_PHRASES) or (has("token limit") and not has(*_ANSWERS)):
        return True
    return has("too long", "exceed", "over limit") and has(*_SUBJECTS)


def _texts(value: Any, depth: int, seen: set[int]) -> Iterator[str]:
    """Yield all texts of a value, nested ones included, each object once."""
    if value is None or depth < 0 or id(value) in seen:
        return
    if isinstance(value, str | int | float):
        yield str(value)
        return
    seen.add(id(value))
    if isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item, depth - 1, seen)
    elif isinstance(value, list | tuple | set):
        for item in value:
            yield from _texts(item, depth - 1, seen)
    else:
        yield from _texts_of_object(value, depth, seen)


def _texts_of_object(value: Any, depth: int, seen: set[int]) -> Iterator[str]:
    if isinstance(value, BaseException):
        yield str(value)
    for name in _ATTRIBUTES:
        try:
            held = getattr(value, name, None)
        except Exception:  # a property of somebody's error class may fail
            continue
        if not callable(held):
            yield from _texts(held, depth - 1, seen)
