"""A report against what is known to come of the same case: the case's `expected`.

`expected` is shortened as `conformance/README.md` says. Both sides are brought to one form first;
then everything that `expected` states has to be there, and nothing else of the kinds it lists.
Times, ids and error texts are not compared. A report in that form is an expectation for later.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.messages import read_messages
from inspector.replay.cases.digest import message_digest, normalised, normalised_content, short_hash
from inspector.replay.reports.report import Report

_UNCOMPARED = frozenset(
    {"timestamp", "session_id", "context_id", "error_message"}
    | {"role", "message_metadata", "original_message"}
)
_TEXTS = ("original_content", "compressed_content", "offloaded_content")
_RULE = ("rule_compression_type", "rule_compression_pass", "rule_compression_details")
_CHUNK_NAME = re.compile(r"(turn_\d+_chunk_\d+)_[^/]*\.md$")
_HEAD_CHARS, _PREVIEW_CHARS = 120, 40
_LONGEST = 160


def differences(expected: Mapping[str, Any], report: Report) -> list[str]:
    """Return one line for each difference: where, what was expected, what came."""
    got = report.model_dump(mode="json", exclude_none=True)
    found = list(_differ("capacity", expected.get("context_max"), got["context_max"]))
    steps, others = _telling(expected.get("steps", [])), _telling(got["steps"])
    if len(steps) != len(others):
        found.append(f"steps: {len(steps)} expected, {len(others)} came")
    windows, windows_got = _Windows(), _Windows()
    for number, (step, other) in enumerate(zip(steps, others, strict=False)):
        where = f"step {number} ({step['kind']}, {step['added']} added)"
        if (step["kind"], step["added"]) != (other["kind"], other["added"]):
            found.append(f"{where}: {other['kind']}, {other['added']} added came instead")
            break
        found += _step(where, step, other)
        found += _differ(f"{where}: window messages", windows.next(step), windows_got.next(other))
    found += _differ(
        "final buffer", expected.get("context_statistic", {}), got.get("context_statistic", {})
    )
    found += _final(expected.get("final_messages", []), got["final_messages"])
    return found


def expectation(report: Report) -> dict[str, Any]:
    """Return a report in the form of `expected`: what a later replay has to repeat."""
    steps = [
        {
            **step,
            "decisions": [_short_record(record) for record in step["decisions"]],
            "files": _files(step),
        }
        for step in _telling(report.model_dump(mode="json", exclude_none=True)["steps"])
    ]
    for step in steps:
        del step["extra"]
    return {
        "context_max": report.context_max,
        "context_statistic": {key: n for key, n in report.context_statistic.items() if n},
        "steps": [{key: value for key, value in step.items() if value != []} for step in steps],
        "final_messages": report.final_messages,
    }


class _Windows:
    """The digests of each window's messages, from the relative form."""

    def __init__(self) -> None:
        self._previous: list[str] = []

    def next(self, step: Mapping[str, Any]) -> list[str]:
        messages = (step.get("window") or {}).get("messages")
        if messages is not None:
            kept = self._previous[: messages["same_as_previous"]]
            self._previous = [*kept, *messages["then"]]
        return self._previous


def _telling(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the steps without the adds at which nothing happened."""
    return [
        step
        for step in steps
        if step["kind"] != "add" or step.get("decisions") or step.get("states") or step.get("llm")
    ]


def _step(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> Iterator[str]:
    yield from _differ(f"{where}: records", _records(expected), _records(got))
    yield from _differ(f"{where}: states", _states(expected), _states(got))
    yield from _differ(f"{where}: model calls", _calls(expected), _calls(got))
    yield from _differ(f"{where}: files", _files(expected), _files(got))
    for key in ("result", "buffer_messages"):
        yield from _differ(f"{where}: {key}", expected.get(key), got.get(key))
    window, other = expected.get("window") or {}, got.get("window") or {}
    for key in window.keys() - {"messages", "stats"}:
        yield from _differ(f"{where}: {key}", window[key], other.get(key))
    yield from _differ(f"{where}: statistic", _non_zero(window), _non_zero(other))


def _records(step: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    records: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in step.get("decisions", []):
        records[record.get("processor", "")].append(_short_record(record))
    return dict(records)


def _short_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as cases keep it; one that is short already stays as it is."""
    kept = {key: value for key, value in record.items() if key not in _UNCOMPARED}
    for key in _TEXTS:
        if isinstance(kept.get(key), str):
            kept[key] = _text_reference(normalised(kept[key]))
    metadata = kept.get("compressed_metadata")
    if metadata is not None:
        kept["compressed_metadata"] = {key: metadata[key] for key in _RULE if key in metadata}
    return {key: _short(value) for key, value in kept.items()}


def _text_reference(text: str) -> dict[str, Any]:
    return {"chars": len(text), "sha256": short_hash(text), "head": text[:_HEAD_CHARS]}


def _short(value: Any) -> Any:
    """Return a record's value with previews cut to the characters that cases keep."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, dict):
        return {
            k: normalised(v)[:_PREVIEW_CHARS] if k == "preview" else _short(v)
            for k, v in value.items()
        }
    return normalised(value) if isinstance(value, str) else value


def _states(step: Mapping[str, Any]) -> list[Any]:
    return [
        [
            state["processor"],
            state["status"],
            state["phase"],
            state.get("before"),
            state.get("after"),
        ]
        for state in step.get("states", [])
    ]


def _calls(step: Mapping[str, Any]) -> list[Any]:
    return [[c["messages"], c["roles"], c.get("tools", 0)] for c in step.get("llm", [])]


def _files(step: Mapping[str, Any]) -> list[str]:
    """Return a step's files; the end of a chunk's name is free."""
    names = (normalised(name) for name in step.get("files", []))
    return sorted(_CHUNK_NAME.sub(r"\1_*.md", name) for name in names)


def _non_zero(window: Mapping[str, Any]) -> dict[str, int]:
    return {key: n for key, n in window.get("stats", {}).items() if n}


def _final(expected: Sequence[Mapping[str, Any]], got: Sequence[dict[str, Any]]) -> Iterator[str]:
    if len(expected) != len(got):
        yield f"final messages: {len(expected)} expected, {len(got)} came"
        return
    for position, (want, chat) in enumerate(zip(expected, got, strict=True)):
        [message] = read_messages([chat])
        digest = want.get("digest") or message_digest(read_messages([dict(want)])[0])
        if digest != message_digest(message):
            yield (
                f"final message {position}: expected {want['role']} "
                f"{_brief(want.get('head') or normalised_content(want.get('content') or ''))}, "
                f"got {message.role} {_brief(normalised_content(message.content))}"
            )


def _differ(where: str, expected: Any, got: Any) -> Iterator[str]:
    """Yield the innermost places where two values of the same form differ."""
    if expected == got:
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            yield from _differ(f"{where}.{key}", expected.get(key), got.get(key))
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for position, (want, have) in enumerate(zip(expected, got, strict=True)):
            yield from _differ(f"{where}[{position}]", want, have)
    else:
        yield f"{where}: expected {_brief(expected)}, got {_brief(got)}"


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
