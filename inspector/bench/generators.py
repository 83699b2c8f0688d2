"""Large input, made up: records as the engine writes them, long lines, many files.

Everything depends on the arguments only, so two runs read the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

START = 1_795_987_453.0
PROCESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
LARGEST_SESSION = (337_351, 129_676, 85_062)
"""Events, messages and attachments of the largest agent log that users have reported."""


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


def span(at: int, session: str = "generated", items: int = 6) -> dict[str, Any]:
    """Return a span with previews of 200 characters."""
    preview = f"line {at} of what a tool returned " * 7
    listed = [
        {"idx": n, "role": "tool", "tokens": 66, "preview": preview[:200]} for n in range(items)
    ]
    head = {**check(at, session), "event": "span_built"}
    for name in ("hit", "reason", "total_tokens", "threshold"):
        del head[name]
    return {**head, "preserved_prefix": [], "messages_to_compress": listed, "protected_tail": []}


def write_records(path: Path, bytes_: int) -> int:
    """Write records with a span every other time, about so many bytes; return how many."""
    return _write(path, (check(at) if at % 2 else span(at) for at in range(1 << 40)), bytes_)


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


def write_largest_session(folder: Path, scale: float = 1.0) -> None:
    """Write a tree of the shape of `LARGEST_SESSION`: events, whole messages, attachments.

    Args:
        folder: Gets the files.
        scale: Share of the counts.
    """
    events, messages, attachments = (int(count * scale) for count in LARGEST_SESSION)
    folder.mkdir(parents=True, exist_ok=True)
    write_checks(folder / "events.jsonl", events)
    message = {"role": "tool", "content": "what a tool returned, in full " * 60}
    _write(folder / "messages.jsonl", ({**message, "id": n} for n in range(messages)), 1 << 60)
    _write(
        folder / "attachments.jsonl",
        ({"hash": f"{n:032x}", "text": "y" * 4_000} for n in range(attachments)),
        1 << 60,
    )


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


def _write(path: Path, records: Iterator[Mapping[str, Any]], most: int) -> int:
    written = count = 0
    with open(path, "wb") as file:
        for record in records:
            written += file.write(record_line(record))
            count += 1
            if written >= most:
                break
    return count


def record_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of its file."""
    return json.dumps(record).encode() + b"\n"
