"""The largest session that users of an agent framework have reported, as the engine records one.

Kinds of records and their shares are those of the recorded trees: most are checks, most bytes are
texts of tool results. Everything follows from the arguments, so two runs read the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from inspector.bench.generators import PROCESSORS, START, check, record_line

EVENTS, MESSAGES, ATTACHMENTS, BYTES = 337_351, 129_676, 85_062, 963_000_000
"""Records, messages in requests, texts of tool results, and bytes of the whole."""

_STEPS = 69_300
_TEXT = "".join(
    f"{at:04}: the handler of module {at * 7919 % 9973} returned {at * 31 % 97} rows\n"
    for at in range(1_000)
)
_PROMPT = "You find out why jobs fail — read the logs, then the code → then say it.\n" * 12
"""Recorded requests hold something beyond ASCII, most recorded results do not."""
_OFFLOADED = "message_offloader_debug"


def write_session(folder: Path, scale: float = 1.0) -> int:
    """Write a session's files; return how many records they hold.

    Args:
        folder: Gets the files; is made where it is missing.
        scale: Share of the largest session.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open(folder / f"{name}.jsonl", "wb"))
            for name in (*PROCESSORS, "llm_request", _OFFLOADED)
        }
        for step in range(int(_STEPS * scale)):
            for name, record in _step(step):
                files[name].write(record_line(record))
                count += 1
    return count


def _step(step: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what one call of the model leaves, with the file of each record."""
    if step % 3:
        yield _OFFLOADED, _result("threshold_check", step, content_tokens=90, hit=False)
    if step % 5 == 0:
        yield from ((_OFFLOADED, record) for record in _large_result(step))
    total = 30_000 + step * 190 % 80_000
    for n, processor in enumerate(PROCESSORS):
        time = round(START + step * 1.37 + n * 0.0031257, 7)
        record = {**check(n), "timestamp": time, "total_tokens": total}
        yield processor, record
        if n == 1 and step % 5 == 0:
            yield processor, _span(record, step)
    if step % 5 == 1:
        yield "llm_request", _request(step)


def _text(step: int, characters: int) -> str:
    start = step * 613 % (len(_TEXT) - characters)
    return _TEXT[start : start + characters]


def _result(event: str, step: int, **payload: Any) -> dict[str, Any]:
    return {
        "event": event,
        "session_id": "generated",
        "context_id": "default_context_id",
        "role": "tool",
        "tool_call_id": f"call_{step:06}",
        "message_metadata": {"context_message_id": f"{step:032x}"},
        "pass_name": "add",
        "message_index": 0,
        "threshold_tokens": 600,
        **payload,
    }


def _large_result(step: int) -> Iterator[dict[str, Any]]:
    """Yield the four lines about a tool result that is shortened and stored."""
    text = _text(step, 2_000 + step * 7919 % 15_000)
    tried = {"max_chars": 1_800, "original_content": text}
    measured = {"content_tokens": len(text) // 3, "content_chars": len(text)}
    yield _result("add_message_triggered_offload", step, **measured, original_content=text)
    yield _result("rule_compression_triggered", step, **tried)
    shortened = text[: len(text) // 4]
    yield _result("rule_compression_completed", step, **tried, compressed_content=shortened)
    handle = f"{step:032x}"
    yield _result(
        "message_offloaded",
        step,
        original_message=text,
        offload_handle=handle,
        offload_type="filesystem",
        offload_path=f"offload/MessageSummaryOffloader_{handle}.json",
        offloaded_content=f"{shortened}[[OFFLOAD: handle={handle}, type=filesystem]]",
    )


def _span(record: dict[str, Any], step: int) -> dict[str, Any]:
    """Return the span that follows a check, with previews of 200 characters."""
    listed = [
        {"idx": n, "role": "tool", "tokens": 66, "preview": _text(step + n, 200)}
        for n in range(10 + step % 15)
    ]
    parts = {"preserved_prefix": [], "messages_to_compress": listed, "protected_tail": listed[:2]}
    names = ("timestamp", "event", "processor", "session_id", "context_id", "phase")
    return {name: record[name] for name in names} | {"event": "span_built"} | parts


def _request(step: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _PROMPT, "name": None, "metadata": {}}
    ]
    for n in range(8 + (step % 3 == 0)):
        at = step - n
        asked = {"name": "grep", "arguments": f'{{"pattern": "handler {at}"}}'}
        message: dict[str, Any] = {
            "content": _text(at, 100 + at * 797 % 2_900),
            "metadata": {"context_message_id": f"{at:032x}"},
        }
        if n % 2:
            calls = [{"id": f"call_{at:06}", "type": "function", "function": asked}]
            messages.append({"role": "assistant", **message, "tool_calls": calls})
        else:
            messages.append({"role": "tool", **message, "tool_call_id": f"call_{at:06}"})
    return {
        "timestamp": START + step * 1.37,
        "event": "pre_call",
        "processor": "llm_request",
        "session_id": "generated",
        "context_id": "default_context_id",
        "sequence": step,
        "message_count": len(messages),
        "messages": messages,
        "statistic": {"total_messages": len(messages), "total_tokens": 4_000 + step % 7_000},
    }
