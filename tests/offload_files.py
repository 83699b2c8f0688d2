"""The offloader's files as the engine writes them, made by hand for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.debug_files import START, DebugFolder, Record, line

THRESHOLD = 100
MOST_CHARS = 300


def logged(event: str, call: str, **payload: Any) -> Record:
    """Return a line of the offloader's log about the result of a tool call."""
    metadata = {"context_message_id": f"id-of-{call}", **payload.pop("metadata", {})}
    return {
        "event": event,
        "session_id": payload.pop("session_id", "sess"),
        "context_id": payload.pop("context_id", "main"),
        "role": "tool",
        "tool_call_id": call,
        "message_metadata": metadata,
        **payload,
    }


def small(call: str, place: int = 0, tokens: int = 10, **payload: Any) -> Record:
    """Return the line of a result that is small enough."""
    return logged(
        "threshold_check",
        call,
        pass_name="add",
        message_index=place,
        threshold_tokens=THRESHOLD,
        content_tokens=tokens,
        hit=False,
        reason="message_below_threshold",
        **payload,
    )


def large(call: str, place: int = 0, text: str = "x" * 900, **payload: Any) -> Record:
    """Return the line of a result that is too large as it comes."""
    return logged(
        "add_message_triggered_offload",
        call,
        pass_name="add",
        message_index=place,
        threshold_tokens=THRESHOLD,
        content_tokens=len(text) // 3 + 10,
        content_chars=len(text),
        original_content=text,
        **payload,
    )


def idle(call: str, text: str = "x" * 900, **payload: Any) -> Record:
    """Return the line of a result that is too large after a pause."""
    return logged(
        "ttl_message_triggered_offload",
        call,
        pass_name="ttl",
        threshold_tokens=THRESHOLD,
        max_chars=MOST_CHARS,
        content_tokens=len(text) // 3 + 10,
        content_chars=len(text),
        original_content=text,
        **payload,
    )


def tried(call: str, pass_name: str = "add", text: str = "x" * 900, **payload: Any) -> Record:
    """Return the line that says that a rule is about to be tried."""
    return logged(
        "rule_compression_triggered",
        call,
        pass_name=pass_name,
        threshold_tokens=THRESHOLD,
        max_chars=MOST_CHARS,
        original_content=text,
        **payload,
    )


def ruled_metadata(rule: str, pass_name: str = "add", at: float = 1, **more: Any) -> dict[str, Any]:
    """Return what a rule adds to a message; `at` is in seconds from START."""
    return {
        "rule_compressed_at": START + at,
        "rule_compression_type": rule,
        "rule_compression_pass": pass_name,
        **more,
    }


def ruled(
    call: str, rule: str = "LOG", pass_name: str = "add", at: float = 1, **more: Any
) -> Record:
    """Return the line that says that a rule shortened the result; `more` goes to its metadata."""
    metadata = ruled_metadata(rule, pass_name, at, **more)
    return logged(
        "rule_compression_completed",
        call,
        metadata=metadata,
        pass_name=pass_name,
        threshold_tokens=THRESHOLD,
        max_chars=MOST_CHARS,
        original_content="x" * 900,
        compressed_content="y" * 90,
        compressed_metadata=metadata,
    )


def stored(call: str, handle: str, text: str = "y" * 90, **payload: Any) -> Record:
    """Return the line that says that the original was offloaded."""
    return logged(
        "message_offloaded",
        call,
        original_message="role='tool'",
        offload_handle=handle,
        offload_type="filesystem",
        offload_path=f"/srv/ws/context/sess_context/offload/MessageSummaryOffloader_{handle}.json",
        offloaded_content=f"{text}\n[[OFFLOAD: handle={handle}, type=filesystem]]",
        **payload,
    )


def write_log(folder: DebugFolder, records: Iterable[Record]) -> Path:
    """Append lines to the offloader's log of a session."""
    path = folder.session / "message_offloader_debug_logs" / "message_offloader_debug.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.writelines(map(line, records))
    return path


def original(call: str, text: str = "x" * 900) -> Record:
    """Return a tool result as an offload file holds it."""
    return {
        "role": "tool",
        "content": text,
        "tool_call_id": call,
        "metadata": {"context_message_id": f"id-of-{call}"},
    }


def write_offload(
    folder: Path, handle: str, call: str, processor: str = "MessageSummaryOffloader"
) -> Path:
    """Write an offload file with the original result of a call."""
    name = f"{processor}_{handle}.json" if processor else f"{handle}.json"
    return write_json(folder / name, {"offload_handle": handle, "messages": [original(call)]})


def write_rule_dump(
    folder: DebugFolder, call: str, at: float, rule: str = "LOG", pass_name: str = "add"
) -> Path:
    """Write the dump of a rule; `at` is in seconds from START."""
    name = f"{int((START + at) * 1000)}_{pass_name}_{rule}_{call}.json"
    document = {
        "timestamp": START + at,
        "session_id": "sess",
        "context_id": "main",
        "tool_call_id": call,
        "rule_compression_type": rule,
        "rule_compression_pass": pass_name,
        "original_chars": 900,
        "compressed_chars": 90,
        "details": {"total_lines": 9},
        "original_content": "x" * 900,
        "compressed_content": "y" * 90,
    }
    return write_json(folder.session / "rule_compression_logs" / name, document)


def write_archive(
    folder: Path, memory_id: str, created: str, processor: str = "DialogueCompressor"
) -> Path:
    """Write a recall archive with one turn below a session's folder for archives."""
    archive = folder / "compression_recall" / f"{memory_id}_no-query"
    manifest = {
        "schema_version": 1,
        "memory_id": memory_id,
        "session_id": "sess",
        "context_id": "main",
        "processor_type": processor,
        "created_at": created,
        "source_message_count": 3,
        "original_context_message_count": 7,
        "turn_count": 1,
        "files": {"turns": "turns.jsonl", "raw_messages": "raw_messages.json", "chunks": "chunks"},
    }
    turn = {"turn_id": "turn_000", "query": "why", "answer": "so", "chunk_paths": ["chunks/a.md"]}
    write_json(archive / "manifest.json", manifest)
    (archive / "turns.jsonl").write_bytes(line(turn))
    (archive / "chunks").mkdir()
    (archive / "chunks" / "a.md").write_text("---\nturn_id: turn_000\n---\n\nbody\n", "utf-8")
    return archive


def write_json(path: Path, document: Mapping[str, Any]) -> Path:
    """Write a document as the engine does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")
    return path
