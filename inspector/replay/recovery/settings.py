"""The chain's settings, from the consequences that were recorded.

A record holds a threshold in tokens, not the ratio behind it; a tail, not the number of messages
that was asked for. The default is taken where it explains what was recorded, else the simplest
value that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from engine.messages import Message, read_messages
from engine.processors.compressors.prefix import PrefixCompressor
from engine.processors.registry import make_processor, processor_class, registered_names
from inspector.replay.case import Gap
from inspector.replay.recovery.conversation import Recovered
from inspector.replay.recovery.evidence import Evidence
from inspector.trace.decision import Decision
from inspector.trace.recording import Recording

_MOST_KEPT = 200
"""Values of `keep_recent_messages` that are tried."""


@dataclass
class RecoveredSettings:
    """A chain, and how sure its settings are."""

    chain: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    assumed: dict[str, Any] = field(default_factory=dict)
    """Settings that no file states, by `Processor.field`."""
    possible: dict[str, list[float]] = field(default_factory=dict)
    """First and last value that would have had the same consequences."""
    gaps: list[Gap] = field(default_factory=list)


def recover_settings(trace: Recording, evidence: Evidence, found: Recovered) -> RecoveredSettings:
    """Return the settings of every processor that has records, in the order of their checks."""
    settings = RecoveredSettings()
    for name in dict.fromkeys([*trace.thresholds, *trace.decisions.processors]):
        if not _replayable(name):
            what = f"{name} acted too, but is not in the case: its settings are in no file"
            settings.gaps.append(Gap(what=what))
        if not _replayable(name) or name not in trace.thresholds:
            continue
        decisions = [d for d in evidence.decisions if d.processor == name]
        values = _ratios(name, decisions, settings)
        values |= _keep_recent(name, evidence, found, settings)
        settings.chain.append((name, values))
        for field_name in _fields(name):
            value = values.get(field_name, _default(name, field_name))
            settings.assumed[f"{name}.{field_name}"] = value
    return settings


def _replayable(name: str) -> bool:
    """Return whether the settings of a processor can be told from its records."""
    return name in registered_names() and issubclass(processor_class(name), PrefixCompressor)


def simplest_ratio(capacity: int, tokens: int, default: float, least: int = 0) -> float | None:
    """Return the ratio that gives so many tokens: the default, else the shortest decimal.

    Args:
        capacity: tokens of the window.
        tokens: `max(int(capacity * ratio), least)`.
        default: the setting's default.
        least: floor of the product.
    """

    def gives(ratio: float) -> bool:
        return 0 <= ratio < 1 and max(int(capacity * ratio), least) == tokens

    if gives(default):
        return default
    for digits in range(1, 18):
        nearest = tokens * 10**digits // capacity
        for numerator in (nearest, nearest + 1):
            ratio = float(Fraction(numerator, 10**digits))
            if gives(ratio):
                return ratio
    return None


def _ratios(
    name: str, decisions: Sequence[Decision], settings: RecoveredSettings
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field_name, least, recorded in (
        ("trigger_context_ratio", 1, _thresholds(decisions)),
        ("min_target_context_ratio", 0, _min_targets(decisions)),
    ):
        if not recorded:
            continue
        (capacity, tokens), _times = recorded.most_common(1)[0]
        if len(recorded) > 1:
            what = f"{name}.{field_name} or the capacity changed; {tokens} of {capacity} is used"
            settings.gaps.append(Gap(what=what))
        default = _default(name, field_name)
        ratio = simplest_ratio(capacity, tokens, default, least)
        key = f"{name}.{field_name}"
        settings.possible[key] = [tokens / capacity, (tokens + 1) / capacity]
        if ratio is None:
            settings.gaps.append(Gap(what=f"{key}: no ratio gives {tokens} of {capacity} tokens"))
        elif ratio != default:
            values[field_name] = ratio
    return values


def _thresholds(decisions: Sequence[Decision]) -> Counter[tuple[int, int]]:
    tokens = (d.tokens for d in decisions if d.tokens)
    return Counter((t.capacity, t.threshold) for t in tokens if t.capacity and t.threshold)


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
    default = _default(name, "keep_recent_messages")
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


def _default(name: str, field_name: str) -> Any:
    return processor_class(name).config_model.model_fields[field_name].default
