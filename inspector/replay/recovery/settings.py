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
from engine.tokens.counters import TokenCounter
from inspector.replay.cases.case import Gap
from inspector.replay.recovery.conversation import Recovered
from inspector.replay.recovery.evidence import ON_DEMAND, Evidence, is_prefix
from inspector.replay.recovery.folds import FOLDER, folding_settings
from inspector.replay.recovery.notes import COMPRESSOR, UPDATER, notes_settings
from inspector.replay.recovery.offloads import OFFLOADER, offloader_settings
from inspector.replay.recovery.ratios import RecoveredSettings, default_of, thresholds
from inspector.trace.decision import Decision
from inspector.trace.recording import Recording

_MIN_TARGET, _KEEP = "min_target_context_ratio", "keep_recent_messages"
_MOST_KEPT = 200
"""Values of `keep_recent_messages` that are tried."""


def recover_settings(trace: Recording, evidence: Evidence, found: Recovered) -> RecoveredSettings:
    """Return the settings of every processor that has records, in the order in which they act."""
    settings = RecoveredSettings()
    names = [*trace.thresholds, *trace.decisions.processors]
    for name in sorted(dict.fromkeys(names), key=_rank):
        others = evidence.others.get(name, [])
        if is_prefix(name):
            if name in trace.thresholds:
                _take_compressor(name, evidence, found, settings)
        elif name == OFFLOADER:
            offloader_settings(others, trace.capacity, found, settings)
        elif name == COMPRESSOR:
            notes_settings(others, evidence.others.get(UPDATER, []), settings)
        elif name == FOLDER and any(decision.gates for decision in others):
            changes = [change for step in evidence.steps for change in step.changes]
            folding_settings(others, changes, settings)
        elif name != UPDATER:
            what = f"{name} acted too, but is not in the case: its settings are in no file"
            settings.gaps.append(Gap(what=what))
    return settings


def _rank(name: str) -> int:
    """Return what puts those first that act while messages are added."""
    return {OFFLOADER: 0, FOLDER: 1}.get(name, 2)


def _take_compressor(
    name: str, evidence: Evidence, found: Recovered, settings: RecoveredSettings
) -> None:
    decisions = [d for d in evidence.decisions if d.processor == name]
    values: dict[str, Any] = {
        **settings.ratio(name, "trigger_context_ratio", thresholds(decisions)),
        **_min_target(name, decisions, settings),
        **_keep_recent(name, evidence, found, settings),
    }
    settings.add(name, values, _fields(name))


def _min_target(
    name: str, decisions: Sequence[Decision], settings: RecoveredSettings
) -> dict[str, float]:
    """Return the least share that a span must hold, as a setting, unless it is the default.

    A decline for it names its tokens. Without one, the smallest span that was tried tells how much
    it can be at most.
    """
    checked = [d.tokens for d in decisions if d.tokens and d.tokens.threshold is not None]
    declined = (d.tokens for d in decisions if d.tokens and d.reason == "target_below_min")
    recorded = Counter(
        (t.capacity, t.min_target) for t in declined if t.capacity and t.min_target is not None
    )
    if recorded:
        return settings.ratio(name, _MIN_TARGET, recorded, least=0)
    tried = [t for t in checked if t.target is not None and t.capacity]
    smallest = min(tried, key=lambda t: t.target or 0, default=None)
    if smallest is None:
        return {}
    share = (smallest.target or 0) / (smallest.capacity or 1)
    settings.possible[f"{name}.{_MIN_TARGET}"] = [0.0, share]
    if default_of(name, _MIN_TARGET) <= share:
        return {}
    return {_MIN_TARGET: next((n / 100 for n in range(100, 0, -1) if n / 100 <= share), 0.0)}


class _Split(NamedTuple):
    """A window, and what is known of how a compressor split it; None: not known."""

    messages: Sequence[Message]
    sizes: tuple[int, int, int] | None = None
    """Lengths of prefix, target and tail."""
    target: int | None = None
    """Tokens of the target; 0 where there was none."""


def _keep_recent(
    name: str, evidence: Evidence, found: Recovered, settings: RecoveredSettings
) -> dict[str, Any]:
    if _KEEP not in _fields(name):
        return {}
    default = default_of(name, _KEEP)
    splits = list(_splits(name, evidence, found))
    if not splits:
        return {}
    counter = found.frame.tokens()
    longest = min(max(len(split.messages) for split in splits) + 1, _MOST_KEPT)
    explaining = [
        keep
        for keep in {*range(longest), default}
        if all(_explains(name, keep, split, counter) for split in splits)
    ]
    key = f"{name}.{_KEEP}"
    if not explaining:
        settings.gaps.append(Gap(what=f"{key}: no number of messages explains all recorded tails"))
        return {}
    settings.possible[key] = [min(explaining), max(explaining)]
    return {} if default in explaining else {_KEEP: min(explaining)}


def _splits(name: str, evidence: Evidence, found: Recovered) -> Iterator[_Split]:
    """Yield the splits whose window is known."""
    windows = {(s.number, bool(s.step.on_demand)): s.state for s in found.steps}
    attempts = {id(attempt.decision): attempt for attempt in evidence.attempts}
    for decision in evidence.decisions:
        place = decision.step or 0, decision.phase == ON_DEMAND
        window, attempt = windows.get(place), attempts.get(id(decision))
        if window is None:
            continue
        if decision.processor == name and decision.reason == "no_compressible_span":
            yield _Split(window, target=0)
        elif decision.processor == name and decision.tokens and decision.tokens.target is not None:
            yield _Split(window, target=decision.tokens.target)
        if decision.processor == name and attempt is not None and attempt.span is not None:
            sizes = (
                len(attempt.span.preserved_prefix),
                len(attempt.span.messages_to_compress),
                len(attempt.span.protected_tail),
            )
            if sum(sizes) == len(window):
                yield _Split(window, sizes)
        if attempt is not None and attempt.dump is not None:
            windows[place] = read_messages(attempt.dump.context_after.messages)


def _explains(name: str, keep: int, split: _Split, counter: TokenCounter) -> bool:
    processor = make_processor(name, {_KEEP: keep})
    assert isinstance(processor, PrefixCompressor)
    span = processor.split(split.messages)
    sizes = len(span.prefix), len(span.target), len(span.tail)
    if split.sizes is not None and sizes != split.sizes:
        return False
    if split.target is None:
        return True
    return (counter.count_messages(span.target) if span.target else 0) == split.target


def _fields(name: str) -> list[str]:
    known = processor_class(name).config_model.model_fields
    wanted = ("trigger_context_ratio", _MIN_TARGET, _KEEP)
    return [field_name for field_name in wanted if field_name in known]
