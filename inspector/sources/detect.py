"""What kind of file this is, told by what is in it.

The head of a file is looked at: its lines as records, then the whole as one JSON document, then as
text. A name decides only where the content cannot: files that stand in a recall archive, notes in a
folder for notes, and an offload file of 0 bytes.

A new kind is one rule in `_RECORD_RULES` or `_DOCUMENT_RULES`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from inspector.sources.documents.notes import looks_like_notes
from inspector.sources.documents.offload_file import handle_named
from inspector.sources.documents.session_state import is_session_state
from inspector.sources.lines.single_line import RECORD_START
from inspector.sources.prefix import read_prefix

Form = Literal["lines", "document", "text", "binary", "empty"]

HEAD_BYTES = 256 << 10
"""Bytes of a file that are enough to tell its kind."""

INDEXED = frozenset({"context_debug", "llm_request", "offloader_debug"})
"""Kinds whose lines are debug records."""


class Detected(NamedTuple):
    """The kind of a file (`contracts.md`) and its outer form."""

    kind: str
    form: Form


_Keys = Mapping[str, Any]


def _has(*names: str) -> Callable[[_Keys], bool]:
    return lambda keys: all(name in keys for name in names)


def _starts(key: str, beginning: str) -> Callable[[_Keys], bool]:
    return lambda keys: str(keys.get(key, "")).startswith(beginning)


def _chat_in(name: str) -> Callable[[_Keys], bool]:
    def fits(keys: _Keys) -> bool:
        messages = keys.get(name)
        first = messages[0] if isinstance(messages, list) and messages else None
        return isinstance(first, dict) and "role" in first

    return fits


def _update_log(keys: _Keys) -> bool:
    """The conversation at the front may hide what follows it."""
    request = keys.get("request")
    begins = isinstance(request, Mapping) and _has("prompt", "system_messages")(request)
    return begins or _has("request", "result", "ability")(keys)


_RECORD_RULES: tuple[tuple[str, Callable[[_Keys], bool]], ...] = (
    ("llm_request", lambda keys: keys.get("event") == "pre_call" and "processor" in keys),
    ("context_debug", _has("event", "processor", "session_id")),
    ("offloader_debug", lambda keys: "processor" not in keys and _has("event", "session_id")(keys)),
    ("recall", _has("turn_id", "chunk_paths")),
    ("conversation:claude_code", _has("sessionId", "uuid", "type")),
    ("conversation:codex", _has("timestamp", "type", "payload")),
    ("conversation:openai", _has("role", "content")),
)

_DOCUMENT_RULES: tuple[tuple[str, Callable[[_Keys], bool]], ...] = (
    ("compression_dump", _has("processor_type", "trigger")),
    ("rule_dump", _has("rule_compression_type")),
    ("offload", _has("offload_handle")),
    ("recall", _has("memory_id", "processor_type", "source_message_count")),
    ("session_memory_log", _update_log),
    ("session_state", is_session_state),
    ("conversation:mini_swe_agent", _starts("trajectory_format", "mini-swe-agent")),
    ("conversation:swe_agent", _chat_in("history")),
    ("conversation:atif", _starts("schema_version", "ATIF")),
    ("conversation:inspect", _has("version", "status", "eval")),
    ("conversation:openai", _chat_in("messages")),
)

_INSPECT_ARCHIVE = b"PK\x03\x04"


def detect(path: str, head: bytes) -> Detected:
    """Tell the kind of a file from its first `HEAD_BYTES`."""
    if not head.strip():
        return Detected("unknown" if head or not handle_named(path) else "offload", "empty")
    if head.startswith(_INSPECT_ARCHIVE) and b"header.json" in head:
        return Detected("conversation:inspect", "binary")
    text = head.decode("utf-8-sig", errors="replace")
    known = _as_records(text) or _as_document(text) or _as_debug_fragments(head)
    if known:
        return known
    if b"\x00" in head:
        return Detected("unknown", "binary")
    return _as_text(path, text)


def _as_records(text: str) -> Detected | None:
    for line in text.split("\n", 50)[:50]:
        if not line.lstrip().startswith("{"):
            continue
        keys = read_prefix(line)
        kind = _match(_RECORD_RULES, keys)
        if kind:
            return Detected(kind, "lines")
    return None


def _as_document(text: str) -> Detected | None:
    opening = text.lstrip()[:1]
    if opening not in ("{", "["):
        return None
    value = read_prefix(text)
    if isinstance(value, list):
        first = value[0] if value and isinstance(value[0], dict) else {}
        chat = "role" in first and "content" in first
        return Detected("conversation:openai" if chat else "unknown", "document")
    kind = _match(_DOCUMENT_RULES, value)
    return Detected(kind, "document") if kind else None


def _as_debug_fragments(head: bytes) -> Detected | None:
    start = RECORD_START.search(head)
    if start is None:
        return None
    end = head.find(b"\n", start.start())
    keys = read_prefix(head[start.start() : end if end >= 0 else None].decode(errors="replace"))
    kind = _match(_RECORD_RULES, keys)
    return Detected(kind, "lines") if kind else None


def _as_text(path: str, text: str) -> Detected:
    if looks_like_notes(path, text):
        return Detected("session_memory", "text")
    return Detected("unknown", "document" if _is_json(text) else "text")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _match(rules: tuple[tuple[str, Callable[[_Keys], bool]], ...], keys: object) -> str | None:
    if not isinstance(keys, Mapping):
        return None
    return next((kind for kind, fits in rules if fits(keys)), None)
