"""Where a replay with other settings may begin: behind the steps that they cannot change.

A prefix compressor below its threshold does nothing. So as long as every compressor whose settings
differ stays below both thresholds, the old one and the new one, a run goes exactly as the one
before: its steps are taken over, with the new thresholds in their records, and the engine starts
with the buffer as it was then.

That holds for chains of prefix compressors and an offloader that stays as it is, which keep nothing
but messages. Where the chain itself differs, where others act in it, where the buffer forgets
messages, or where something changes on the way, there is no short cut and the replay is a whole
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from engine.debug.records import ThresholdCheck
from engine.debug.sinks import Line
from engine.messages import Message
from engine.processors.compressors.prefix import PrefixCompressor, PrefixCompressorConfig
from engine.processors.compressors.session_memory import SessionMemoryCompressor
from engine.processors.offloaders import MessageSummaryOffloader
from engine.processors.offloaders.message_summary import MessageSummaryOffloaderConfig
from engine.processors.registry import make_processor
from engine.summarizers.recorded import Cassette
from engine.tokens.capacity import resolve_capacity
from inspector.replay.cases.case import Case
from inspector.replay.runs.run import Head, Run, Step


class _Setting(NamedTuple):
    config: PrefixCompressorConfig | MessageSummaryOffloaderConfig
    capacity: int

    @property
    def threshold(self) -> int | None:
        """Tokens below which a change of the setting is not felt; None where there are none."""
        if not isinstance(self.config, PrefixCompressorConfig) or self.config.model is None:
            return None
        return max(int(self.capacity * self.config.trigger_context_ratio), 1)


def common_head(run: Run, case: Case) -> Head:
    """Return what a replay of a case with other settings takes over from a run.

    Its last window is never part of that, so that there is always one to ask for. The very same
    case takes nothing over, for it plays its replies in order, from the first one on.

    Args:
        run: an earlier run, of the case or of the same with other settings.
        case: what is to be replayed.
    """
    old, new = _settings(run.case), _settings(case)
    if old is None or new is None or case == run.case or not _alike(run.case, case):
        return Head()
    changed = {name: new[name] for name in new if new[name] != old[name]}
    if any(setting.threshold is None for setting in changed.values()):
        return Head()
    windows = [at for at, step in enumerate(run.steps) if step.window is not None]
    count = 0
    for step in run.steps[: windows[-1] if windows else 0]:
        if not (_is_quiet(step, changed) and _gets_same_answers(step, run.cassette)):
            break
        count += 1
    capacity = resolve_capacity(case.engine_config()).tokens
    kept = [_told_anew(step, changed, capacity) for step in run.steps[:count]]
    return Head(kept, _buffer_before(run.steps[count:]) if count else ())


def _settings(case: Case) -> Mapping[str, _Setting] | None:
    """Return the chain by name; None where a processor keeps more than messages."""
    config = case.engine_config()
    if config.compression_recall_config.enabled or config.max_context_message_num is not None:
        return None
    capacity = resolve_capacity(config).tokens
    found: dict[str, _Setting] = {}
    for name, settings in case.processors:
        processor = make_processor(name, settings)
        if isinstance(processor, SessionMemoryCompressor) and not processor.config.enabled:
            continue
        known = isinstance(processor, PrefixCompressor | MessageSummaryOffloader)
        if not known or name in found:
            return None
        found[name] = _Setting(processor.config, capacity)
    return found


def _alike(case: Case, other: Case) -> bool:
    """Return whether the cases differ in nothing but thresholds, settings and capacity."""
    if (
        case.actions
        or case.turns
        or case.notes is not None
        or [n for n, _ in case.processors] != [n for n, _ in other.processors]
    ):
        return False
    return _rest(case) == _rest(other)


def _rest(case: Case) -> dict[str, Any]:
    engine = case.engine_config().model_copy(update={"context_window_tokens": None})
    left_out = {"processors": [], "engine": engine, "context_window_tokens": None, "recall": False}
    return vars(case.model_copy(update=left_out))


def _is_quiet(step: Step, changed: Mapping[str, _Setting]) -> bool:
    """Return whether the changed compressors stay below their thresholds, old and new."""
    if step.window is None:
        return True
    checks = [record for record in step.records if record.processor in changed]
    below = (
        isinstance(check, ThresholdCheck)
        and check.reason == "below_threshold"
        and check.total_tokens < (changed[check.processor].threshold or 0)
        for check in checks
    )
    return len(checks) == len(changed) and all(below)


def _gets_same_answers(step: Step, cassette: Cassette | None) -> bool:
    """Return whether a replay by the cassette answers the step's calls as they were answered."""
    return cassette is None or all(
        sent.answer is None
        or sent.answer.summarizer == "recorded"
        or cassette.answer(sent.call, 0) is None
        for sent in step.calls
    )


def _told_anew(step: Step, changed: Mapping[str, _Setting], capacity: int) -> Step:
    return replace(
        step,
        lines=[partial(_with_threshold, line, changed) for line in step.told],
        window=step.window and replace(step.window, capacity=capacity),
    )


def _with_threshold(line: Line, changed: Mapping[str, _Setting]) -> Line:
    if not isinstance(line, ThresholdCheck) or line.processor not in changed:
        return line
    setting = changed[line.processor]
    figures = {"threshold": setting.threshold, "context_max": setting.capacity}
    return line.model_copy(update=figures)


def _buffer_before(steps: Sequence[Step]) -> Sequence[Message]:
    """Return the buffer before the first of these steps added its messages."""
    added = 0
    for step in steps:
        added += len(step.new)
        if step.window is not None:
            return step.before[: len(step.before) - added]
    return ()
