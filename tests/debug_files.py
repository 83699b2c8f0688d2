"""Debug files as the engine writes them, made by hand for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]

START = 1_795_987_453.0


def record(event: str, processor: str, at: float, **payload: Any) -> Record:
    """Return a record; `at` is in seconds from START, and ids may be given in the payload."""
    ids = {"session_id": payload.pop("session_id", "sess"), "context_id": "main"}
    return {"timestamp": START + at, "event": event, "processor": processor, **ids, **payload}


def check(
    processor: str, at: float, total: int, reason: str = "below_threshold", **payload: Any
) -> Record:
    """Return a threshold check; it is a hit with reason `reached_threshold`."""
    return record(
        "threshold_check",
        processor,
        at,
        phase="get_context_window",
        total_tokens=total,
        context_max=10_000,
        threshold=8_000,
        hit=reason == "reached_threshold",
        reason=reason,
        **payload,
    )


def hit(processor: str, at: float, total: int = 9_000, target: int = 5_000) -> Record:
    """Return a check that is passed."""
    return check(processor, at, total, "reached_threshold", target_tokens=target)


def listed(role: str, content: str) -> Record:
    """Return a message as a span lists it."""
    return {"role": role, "tokens": max(len(content) // 3, 1), "preview": content[:200]}


def span(
    processor: str,
    at: float,
    prefix: Sequence[Record] = (),
    compress: Sequence[Record] = (),
    tail: Sequence[Record] = (),
    **payload: Any,
) -> Record:
    """Return a built span."""
    parts = {
        "preserved_prefix": prefix,
        "messages_to_compress": compress or [listed("assistant", "a"), listed("tool", "t")],
        "protected_tail": tail,
    }
    lists = {
        name: [{"idx": idx, **item} for idx, item in enumerate(items)]
        for name, items in parts.items()
    }
    return record("span_built", processor, at, phase="get_context_window", **lists, **payload)


def retry(processor: str, at: float, attempt: int, reason: str, **payload: Any) -> Record:
    """Return a failed model call."""
    overflow = reason != "transient_backoff"
    return record(
        "compression_retry",
        processor,
        at,
        attempt=attempt,
        error_type="context_overflow" if overflow else "transient:rate_limit",
        error_message="no",
        retried=reason in ("budget_ratio_shrink", "transient_backoff"),
        reason=reason,
        **payload,
    )


def dump(processor: str, at: float, before: int, after: int, sizes: Sequence[int]) -> Record:
    """Return a compression dump with messages enough for its span."""
    prefix, compress, tail = sizes
    messages = [{"role": "user", "content": f"message {n}"} for n in range(sum(sizes))]
    block = {"role": "user", "content": "<memory_block_current>\nsummary"}
    kept = messages[:prefix], messages[prefix + compress :]
    return {
        "processor_type": processor,
        "session_id": "sess",
        "context_id": "main",
        "trigger": {"context_max": 10_000, "total_tokens_before": before, "target_tokens": 5_000},
        "span": {
            "preserved_prefix_count": prefix,
            "messages_to_compress_count": compress,
            "protected_tail_count": tail,
        },
        "compression_request": {
            "prompt": "Summarise.",
            "exclude_recent_messages": tail,
            "system_messages_count": 0,
            "tools_count": 0,
            "tools": [],
            "messages_sent_to_model": [
                *messages[: prefix + compress],
                {"role": "user", "content": "Summarise."},
            ],
        },
        "compression_response": {"raw_content": "s", "extracted_summary": "s", "usage": None},
        "context_after": {"messages": [*kept[0], block, *kept[1]], "total_tokens_after": after},
        "benefit": {
            "tokens_before": before,
            "tokens_after": after,
            "reduction": before - after,
            "reduction_ratio": 0.5,
        },
        "timestamp": START + at,
    }


class DebugFolder:
    """A workspace with one session's debug files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.session = root / "context" / "sess_context"

    def write(self, records: Iterable[Record]) -> None:
        """Append records to the file of their processor."""
        folder = self.session / "context_debug"
        folder.mkdir(parents=True, exist_ok=True)
        for item in records:
            with open(folder / f"{item['processor']}.jsonl", "ab") as file:
                file.write(line(item))

    def write_dump(self, document: Mapping[str, Any]) -> Path:
        """Write a compression dump under the name that the engine gives it."""
        folder = self.session / "compression_logs"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{int(document['timestamp'] * 1000)}_{document['processor_type']}_sess.json"
        (folder / name).write_text(json.dumps(document, indent=2), encoding="utf-8")
        return folder / name


def line(item: Mapping[str, Any]) -> bytes:
    """Return a record as a line of its file."""
    return json.dumps(item, ensure_ascii=False).encode() + b"\n"
