"""Folding that left no record: a loop of tool calls whose place one message of the engine took.

The agent's request then ends in an assistant's message without calls, where the request before had
rounds that are alike, and that message holds the latest calls as JSON (`engine.md` §5.10). Only all
of that together is taken for folding. Two requests are read wherever the window has become shorter
and nothing else explains it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.evidence.raw_records import raw_record
from inspector.trace.evidence.records import (
    MODEL_CALL,
    ContextRecords,
    objects,
    read_at,
    record_offset,
)
from inspector.trace.evidence.steps import Steps
from inspector.trace.place import Place, bounded, references
from inspector.trace.rows import Row, Verdict
from inspector.trace.windows.fates import request_change
from inspector.trace.windows.window import Chat, Window

FOLDER = "ReasoningToolLoopCompactProcessor"
_SHRINKING = frozenset({"compressed", "cut", "materialised"})
_FOLDED = Verdict(
    "folded",
    None,
    "inferred",
    because="one message with the latest calls took the place of rounds of tool calls that repeat",
)


@dataclass(frozen=True)
class Fold:
    """A loop that was folded between two requests, by their positions in `ContextRecords`."""

    before: int
    after: int
    verdict: Verdict = _FOLDED


def find_folds(records: ContextRecords, steps: Steps, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield a row for each loop that seems to have been folded; none where its writer tells of it.

    Args:
        records: The records of one context.
        steps: Its window requests.
        rows: The other decisions.
    """
    if any(row.story.verdict.outcome == "folded" for row in rows):
        return
    shrunk = {row.step for row in rows if row.story.verdict.outcome in _SHRINKING}
    calls = np.flatnonzero(records.event == MODEL_CALL)
    shorter = np.flatnonzero(records.extra[calls[1:]] < records.extra[calls[:-1]])
    for before, after in zip(calls[shorter].tolist(), calls[shorter + 1].tolist(), strict=True):
        between = range(int(steps.step[before]) + 1, int(steps.step[after]) + 1)
        if shrunk.isdisjoint(between) and _is_fold(records, before, after):
            time = float(records.time[before])
            yield Row(time, after, int(steps.step[after]), FOLDER, Fold(before, after))


def fold_decision(place: Place, fold: Fold, records: ContextRecords) -> Decision:
    """Return the decision of a loop that was folded."""
    after, before = float(records.time[fold.before]), float(records.time[fold.after])
    return Decision(
        **bounded(place, after, before),
        outcome=fold.verdict.outcome,
        basis=fold.verdict.basis,
        records=references(records, (fold.before, fold.after)),
    )


def fold_detail(fold: Fold, records: ContextRecords) -> Detail:
    """Return what there is to see of it: both requests, and what went between them.

    Raises:
        OSError: their file cannot be read any more.
    """
    before, after = (
        Window([], _messages(records, at), [], "recorded") for at in (fold.before, fold.after)
    )
    change = request_change(before, after)
    rows = (
        replace(row, fate="folded" if row.after is None else "written")
        if row.fate in ("dropped", "added")
        else row
        for row in change.rows
    )
    return Detail(
        windows=replace(change, rows=tuple(rows)),
        records=tuple(
            raw_record(*record_offset(records, at), "pre_call") for at in (fold.before, fold.after)
        ),
        notes=fold.verdict.grounds,
    )


def _messages(records: ContextRecords, at: int) -> list[dict[str, Any]]:
    return objects(read_at(records, at).get("messages"))


def _is_fold(records: ContextRecords, before: int, after: int) -> bool:
    try:
        old, new = _messages(records, before), _messages(records, after)
    except OSError:
        return False
    kept = len(new) - 1
    if not 0 <= kept < len(old) or any(
        _said(a) != _said(b) for a, b in zip(old[:kept], new[:kept], strict=True)
    ):
        return False
    tools = _repeated_tools(old[kept:])
    return bool(tools) and _shows_calls(new[-1], tools)


def _said(message: Mapping[str, Any]) -> list[object]:
    return [message.get(name) for name in ("role", "content", "tool_calls", "tool_call_id")]


def _repeated_tools(messages: Chat) -> tuple[str, ...]:
    """Return the tools of rounds that are alike; none where something else stands among them."""
    asked: set[str] = set()
    thoughts: set[tuple[str, tuple[str, ...]]] = set()
    waiting: set[object] = set()
    tools: tuple[str, ...] = ()
    for message in messages:
        if message.get("role") == "tool" and message.get("tool_call_id") in waiting:
            waiting.discard(message.get("tool_call_id"))
            continue
        calls = objects(message.get("tool_calls"))
        if waiting or not calls:
            return ()
        waiting = {call.get("id") for call in calls}
        functions = objects([call.get("function") for call in calls])
        tools = tuple(sorted(str(function.get("name")) for function in functions))
        asked.add(json.dumps(functions, sort_keys=True, default=str))
        thoughts.add((str(message.get("reasoning_content") or "").strip(), tools))
    alike = len(asked) == 1 or (len(thoughts) == 1 and all(thought for thought, _ in thoughts))
    return tools if alike and not waiting else ()


def _shows_calls(message: Mapping[str, Any], tools: Iterable[str]) -> bool:
    """Tell whether a message of the assistant holds calls of these tools as JSON."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, str):
        return False
    if message.get("tool_calls"):
        return False
    shown = content[content.find("{") : content.rfind("}") + 1]
    try:
        return isinstance(json.loads(shown), dict) and all(tool in shown for tool in tools)
    except (ValueError, RecursionError):
        return False
