"""The settings by which an offloader acted, and when it went through old results again.

The log names tokens, not ratios, and no tools: whose results stay follows from those that were
passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine.messages import read_messages
from engine.processors.offloaders import MessageSummaryOffloader
from engine.processors.offloaders.protection import calls_by_id
from inspector.replay.cases.actions import Action, AgeAccessAction
from inspector.replay.cases.case import Gap
from inspector.replay.recovery.conversation import Recovered
from inspector.replay.recovery.ratios import RecoveredSettings, default_of
from inspector.trace.context_trace import StepColumns
from inspector.trace.decision import Decision

OFFLOADER = MessageSummaryOffloader.processor_type()
_ADD, _TTL = "add_messages", "get_context_window"
_PROTECTED = "protected_tool_names"
_ASSUMED = (
    "add_message_threshold_ratio",
    "ttl_seconds",
    "ttl_context_occupancy_ratio",
    "ttl_message_threshold_ratio",
    _PROTECTED,
)


def recovered_pauses(decisions: Iterable[Decision], steps: StepColumns) -> dict[int, list[Action]]:
    """Return, by window request, the pause after which results were gone through again.

    Where less time has passed than the default asks for, as after an edited clock, that much is
    taken: what was asked for is in no file.
    """
    least: float = default_of(OFFLOADER, "ttl_seconds")
    passed = dict(zip(steps.number[1:].tolist(), np.diff(steps.time).tolist(), strict=True))
    numbers = {d.step for d in decisions if d.processor == OFFLOADER and d.phase == _TTL}
    return {
        n: [AgeAccessAction(do="age_access", seconds=max(least, passed.get(n, least)))]
        for n in numbers
        if n is not None
    }


def offloader_settings(
    decisions: Sequence[Decision],
    capacity: int | None,
    found: Recovered,
    settings: RecoveredSettings,
) -> None:
    """Add the offloader to a chain, if its log tells what it counted."""
    logged = [d for d in decisions if d.tokens is not None and d.tokens.threshold is not None]
    if capacity is None or not logged:
        what = f"{OFFLOADER} acted too, but is not in the case: no log tells its thresholds"
        settings.gaps.append(Gap(what=what))
        return
    values: dict[str, Any] = {}
    for phase, field_name in (
        (_ADD, "add_message_threshold_ratio"),
        (_TTL, "ttl_message_threshold_ratio"),
    ):
        tokens = (d.tokens for d in logged if d.phase == phase)
        recorded = Counter((capacity, t.threshold) for t in tokens if t and t.threshold)
        values |= settings.ratio(OFFLOADER, field_name, recorded)
    if any(d.phase == _TTL and d.step is None for d in decisions):
        what = f"{OFFLOADER} went through the results again after a pause, at a step in no file"
        settings.gaps.append(Gap(what=what))
    values |= _protected(decisions, found, settings)
    settings.add(OFFLOADER, values, _ASSUMED)


def _protected(
    decisions: Sequence[Decision], found: Recovered, settings: RecoveredSettings
) -> dict[str, Any]:
    """Return the tools whose results stayed although they were large, unless it is the default."""
    passed_over = [d for d in decisions if d.reason == "protected_tool"]
    stayed = _tools(passed_over, found)
    worked_on = _tools([d for d in decisions if d.outcome in ("offloaded", "cut")], found)
    default: list[str] = default_of(OFFLOADER, _PROTECTED)
    if stayed <= set(default) and not worked_on & set(default):
        return {}
    both = sorted(stayed & worked_on)
    if both:
        what = f"{OFFLOADER} left some results of {', '.join(both)} and not others: by arguments"
        settings.gaps.append(Gap(what=what))
    return {_PROTECTED: sorted((stayed | set(default)) - worked_on)}


def _tools(decisions: Iterable[Decision], found: Recovered) -> set[str]:
    """Return the names of the tools whose results the decisions are about."""
    ids = [decision.tool_call_id for decision in decisions if decision.tool_call_id]
    calls = calls_by_id(read_messages(found.messages), ids)
    return {call.name for call in calls.values()}
