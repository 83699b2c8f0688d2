"""Kinds of files, told by what is in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.sources.detect import detect
from tests.debug_files import check, dump, line

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


def document(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("context_debug", line(check("DialogueCompressor", 0, 1))),
        ("context_debug", b"torn half of a line}\n" + line(check("D", 0, 1))),
        ("context_debug", b"\x00" * 9_000 + line(check("D", 0, 1))),
        ("context_debug", b"\xef\xbb\xbf" + line(check("D", 0, 1))),
        ("context_debug", line(check("D", 0, 1))[:150]),
        ("llm_request", line({**check("llm_request", 0, 1), "event": "pre_call"})),
        (
            "offloader_debug",
            line({"event": "threshold_check", "session_id": "s", "context_id": "c"}),
        ),
        ("compression_dump", document(dump("D", 0, 9, 5, (0, 2, 1)))),
        ("compression_dump", document(dump("D", 0, 9, 5, (0, 2, 1)))[:400]),
        ("compression_dump", json.dumps(dump("D", 0, 9, 5, (0, 2, 1))).encode()),
        ("rule_dump", document({"timestamp": 1, "rule_compression_type": "LOG"})),
        ("offload", document({"offload_handle": "ab", "messages": CHAT})),
        ("recall", document({"memory_id": "m", "processor_type": "D", "source_message_count": 3})),
        ("recall", line({"turn_id": 0, "query": "q", "answer": "a", "chunk_paths": []})),
        ("session_memory", b"# Session Title\n_short_\n\n# Current State\n"),
        ("session_memory_log", document({"request": {}, "result": "", "agent": {}, "ability": {}})),
        ("session_state", document({"messages": CHAT, "offload_messages": {}})),
        ("conversation:openai", document(CHAT)),
        ("conversation:openai", document({"messages": CHAT})),
        ("conversation:openai", b"".join(map(line, CHAT))),
        ("unknown", document({"name": "package", "version": 3})),
        ("unknown", b""),
        ("unknown", b"\x89PNG\r\n\x1a\n" + b"\x00" * 100),
        ("unknown", b"# Notes\nabout something\n"),
        ("unknown", b"{" * 100_000),
    ],
)
def test_the_content_tells_the_kind(kind: str, content: bytes) -> None:
    assert detect("anything.bin", content).kind == kind


def test_notes_are_also_told_by_their_folder() -> None:
    assert detect("s_context/session_memory/session_context.md", b"plain").kind == "session_memory"


@pytest.mark.parametrize("folder", ["claude_code", "codex", "swe_agent", "inspect"])
def test_conversations_of_other_agents_are_recognised(shared: Path, folder: str) -> None:
    for path in sorted((shared / "samples" / folder).iterdir()):
        assert detect(str(path), path.read_bytes()).kind == f"conversation:{folder}", path.name
