"""The chain's settings, from the consequences that were recorded.

A record holds a threshold in tokens, not the ratio behind it; a tail, not the number of messages
that was asked for. The default is taken where it explains what was recorded, else the simplest
value that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from engine.messages import Message, read_messages
from engine.processors.compressors.prefix import PrefixCompressor
from engine.processors.registry import make_processor, processor_class
from inspector.replay.case import Gap
from inspector.replay.recovery.conversation import Recovered
from inspector.replay.recovery.evidence import Evidence, is_prefix
from inspector.replay.recovery.notes import COMPRESSOR, UPDATER, notes_settings
from inspector.replay.recovery.offloads import OFFLOADER, offloader_settings
from inspector.replay.recovery.ratios import RecoveredSettings, default_of, thresholds
from inspector.trace.decision import Decision
from inspector.trace.recording import Recording

_MOST_KEPT = 200
"""Values of `keep_recent_messages` that are tried."""


def recover_settings(trace: Recording, evidence: Evidence, found: Recovered) -> RecoveredSettings:
    """Return the settings of every processor that has records, in the order in which they act."""
    settings = RecoveredSettings()
    names = [*trace.thresholds, *trace.decisions.processors]
    for name in sorted(dict.fromkeys(names), key=lambda name: name != OFFLOADER):
        others = evidence.others.get(name, [])
        if is_prefix(name):
            if name in trace.thresholds:
                _take_compressor(name, evidence, found, settings)
        elif name == OFFLOADER:
            offloader_settings(others, trace.capacity, found, settings)
        elif name == COMPRESSOR:
            notes_settings(others, evidence.others.get(UPDATER, []), settings)
        elif name != UPDATER:
            what = f"{name} acted too, but is not in the case: its settings are in no file"
            settings.gaps.append(Gap(what=what))
    return settings


def _take_compressor(
    name: str, evidence: Evidence, found: Recovered, settings: RecoveredSettings
) -> None:
    decisions = [d for d in evidence.decisions if d.processor == name]
    values: dict[str, Any] = {
        **settings.ratio(name, "trigger_context_ratio", thresholds(decisions)),
        **settings.ratio(name, "min_target_context_ratio", _min_targets(decisions), least=0),
        **_keep_recent(name, evidence, found, settings),
    }
    settings.add(name, values, _fields(name))


def _min_targets(decisions: Sequence[Decision]) -> Counter[tuple[int, int]]:
    tokens = (d.tokens for d in decisions if d.tokens and d.reason == "target_below_min")
    return Counter(
        (t.capacity, t.min_target) for t in tokens if t.capacity and t.min_target is not None
    )


class _Tail(NamedTuple):
    """A window that was split, and the lengths of prefix, target and tail that came of it."""

    messages: Sequence[Message]
    sizes: tuple[int, int, int]


def _keep_recent(
    name: str, evidence: Evidence, found: Recovered, settings: RecoveredSettings
) -> dict[str, Any]:
    if "keep_recent_messages" not in _fields(name):
        return {}
    default = default_of(name, "keep_recent_messages")
    tails = list(_tails(name, evidence, found))
    explaining = [
        keep for keep in range(_MOST_KEPT) if all(_sizes(name, keep, t) == t.sizes for t in tails)
    ]
    key = f"{name}.keep_recent_messages"
    if not tails:
        return {}
    if not explaining:
        settings.gaps.append(Gap(what=f"{key}: no number of messages explains all recorded tails"))
        return {}
    settings.possible[key] = [explaining[0], explaining[-1]]
    return {} if default in explaining else {"keep_recent_messages": explaining[0]}


def _tails(name: str, evidence: Evidence, found: Recovered) -> Iterator[_Tail]:
    """Yield the splits whose window is known."""
    windows = {step.number: step.state for step in found.steps}
    for attempt in evidence.attempts:
        window = windows.get(attempt.step)
        if window is None:
            continue
        span = attempt.span
        if attempt.decision.processor == name and span is not None:
            sizes = (
                len(span.preserved_prefix),
                len(span.messages_to_compress),
                len(span.protected_tail),
            )
            if sum(sizes) == len(window):
                yield _Tail(window, sizes)
        if attempt.dump is not None:
            windows[attempt.step] = read_messages(attempt.dump.context_after.messages)


def _sizes(name: str, keep: int, tail: _Tail) -> tuple[int, int, int]:
    processor = make_processor(name, {"keep_recent_messages": keep})
    assert isinstance(processor, PrefixCompressor)
    span = processor.split(tail.messages)
    return len(span.prefix), len(span.target), len(span.tail)


def _fields(name: str) -> list[str]:
    known = processor_class(name).config_model.model_fields
    wanted = ("trigger_context_ratio", "min_target_context_ratio", "keep_recent_messages")
    return [field_name for field_name in wanted if field_name in known]
