"""Large input, made up: records as the engine writes them, long lines, many files.

Everything depends on the arguments only, so two runs read the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

START = 1_795_987_453.0
PROCESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")


def check(at: int, session: str = "generated") -> dict[str, Any]:
    """Return a check of the window, declined."""
    return {
        "timestamp": START + at * 0.01,
        "event": "threshold_check",
        "processor": PROCESSORS[at % 3],
        "session_id": session,
        "context_id": "default_context_id",
        "phase": "get_context_window",
        "hit": False,
        "reason": "below_threshold",
        "total_tokens": 4_000 + (at // 3 * 7) % 60_000,
        "context_max": 128_000,
        "threshold": 102_400,
    }


def write_checks(path: Path, count: int, session: str = "generated") -> None:
    """Write a number of checks, one context."""
    with open(path, "wb") as file:
        for at in range(count):
            file.write(record_line(check(at, session)))


def write_long_line(path: Path, bytes_: int) -> None:
    """Write one record on one line of about so many bytes."""
    record = {**check(0), "event": "pre_call", "processor": "llm_request", "text": "x" * bytes_}
    path.write_bytes(record_line(record))


def write_tree(folder: Path, files: int, records: int = 20) -> None:
    """Write many small files, each a session of its own."""
    for at in range(files):
        place = folder / f"session-{at:05}_context" / "context_debug"
        place.mkdir(parents=True)
        write_checks(place / f"{PROCESSORS[0]}.jsonl", records, f"session-{at:05}")


def conversation(messages: int) -> list[dict[str, Any]]:
    """Return an agent's conversation: a request, then rounds of a tool call and its result."""
    found: list[dict[str, Any]] = [
        {"role": "user", "content": "Find out why the nightly job fails."}
    ]
    for at in range((messages - 1) // 2):
        call = {
            "id": f"call_{at:06}",
            "type": "function",
            "function": {"name": "read_file", "arguments": json.dumps({"path": f"src/{at}.py"})},
        }
        found.append({"role": "assistant", "content": "", "tool_calls": [call]})
        text = f"def step_{at}():\n    return {at}\n" * 20
        found.append({"role": "tool", "content": text, "tool_call_id": call["id"]})
    return found


def record_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of its file."""
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
