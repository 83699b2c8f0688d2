"""What became of each message: two windows aligned by message id, else by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.processors.offloaders.marker import MARKER_START
from inspector.trace.detail import Evidence, Fate, TraceMessage, WindowDiff, WindowRow
from inspector.trace.windows.alignment import Pair, align
from inspector.trace.windows.window import Chat, Window, message_id, trace_messages

_RECOVERED = "<recovered_context>"
_WRITTEN = ("<memory_block_", _RECOVERED)
_RECOGNISED = 200
"""Characters of a message by which its return in recovered context is recognised."""
_SHORTEST = 40


def window_diff(
    before: Window,
    after: Chat,
    target: range,
    tokens: tuple[int | None, int | None],
    evidence_after: Evidence = "recorded",
) -> WindowDiff:
    """Align the context messages before and after a compression.

    Args:
        before: The window before.
        after: The context messages after.
        target: Positions, in the window before, of the messages that were to be compressed.
        tokens: Recorded tokens of the context messages before and after.
        evidence_after: Where the messages after come from.
    """
    estimated = before.evidence == "reconstructed"
    old = trace_messages(before.context, estimated=estimated, formulas=before.formulas)
    new = trace_messages(after, estimated=estimated, formulas=before.formulas)
    recovered = "\n".join(str(m.content) for m in new if _begins(m, (_RECOVERED,)))
    old_keys, new_keys = _keys(before.context, after)
    for at in target:  # replaced, even where the new block says the same as an old one
        old_keys[at] = at
    pairs = align(old_keys, new_keys)
    rows = [_row(pair, old, new, target, recovered) for pair in pairs]
    return WindowDiff(tuple(rows), *tokens, before.evidence, evidence_after)


def request_change(before: Window, after: Window) -> WindowDiff:
    """Align the messages of two requests of the agent; what the engine did not write was added."""
    change = window_diff(before, after.context, range(0), (None, None))
    rows = (
        replace(row, fate="added")
        if row.fate == "written" and row.after is not None and not _begins(row.after, _WRITTEN)
        else row
        for row in change.rows
    )
    return replace(change, rows=tuple(rows))


def unchanged_window(window: Window) -> WindowDiff:
    """Return a window that a decision left as it was."""
    estimated = window.evidence == "reconstructed"
    kept = trace_messages(window.context, estimated=estimated, formulas=window.formulas)
    rows = tuple(WindowRow(message, message, "kept") for message in kept)
    return WindowDiff(rows, None, None, window.evidence, window.evidence)


def stated_change(
    replaced: Chat, replacement: Chat, gone: Fate, tokens: tuple[int | None, int | None]
) -> WindowDiff:
    """Align messages that a record states to have gone with those that came in their place.

    Args:
        replaced: The messages that went, or were changed.
        replacement: Those that came; one with the id of another is that one, changed.
        gone: What became of those that have no counterpart.
        tokens: Recorded tokens before and after.
    """
    change = window_diff(Window([], replaced, [], "recorded"), replacement, range(0), tokens)
    rows = (replace(r, fate=gone) if r.fate == "dropped" else r for r in change.rows)
    return replace(change, rows=tuple(rows))


def _row(
    pair: Pair,
    old: Sequence[TraceMessage],
    new: Sequence[TraceMessage],
    target: range,
    recovered: str,
) -> WindowRow:
    before = None if pair.old is None else old[pair.old]
    after = None if pair.new is None else new[pair.new]
    if before is None:
        return WindowRow(None, after, "written")
    if after is None:
        return WindowRow(before, None, _gone(before, pair.old in target, recovered))
    changed = before.content != after.content
    offloaded = changed and MARKER_START in str(after.content)
    return WindowRow(before, after, "offloaded" if offloaded else "kept", changed)


def _gone(message: TraceMessage, compressed: bool, recovered: str) -> Fate:
    text = _recognisable(message)
    if text and text in recovered:
        return "re-injected"
    return "summarised" if compressed else "dropped"


def _recognisable(message: TraceMessage) -> str:
    """Return the beginning of the text that recovered context would repeat."""
    if message.role != "tool" or not isinstance(message.content, str):
        return ""
    text = message.content
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict):
        text = str(parsed.get("content") or parsed.get("skill_content") or "")
    beginning = text.strip()[:_RECOGNISED]
    return beginning if len(beginning) >= _SHORTEST else ""


def _begins(message: TraceMessage, prefixes: tuple[str, ...]) -> bool:
    return isinstance(message.content, str) and message.content.lstrip().startswith(prefixes)


def _keys(before: Chat, after: Chat) -> tuple[list[Hashable], list[Hashable]]:
    """Return what identifies each message: an id that both sides have, else its content."""
    shared = {message_id(m) for m in before} & {message_id(m) for m in after} - {None}
    return [_key(m, shared) for m in before], [_key(m, shared) for m in after]


def _key(message: Mapping[str, Any], shared: set[str | None]) -> Hashable:
    known = message_id(message)
    if known in shared:
        return known
    said = [message.get(name) for name in ("role", "content", "tool_calls", "tool_call_id")]
    text = json.dumps(said, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
