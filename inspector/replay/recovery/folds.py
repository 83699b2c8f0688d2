"""The settings by which loops of tool calls were folded into one warning.

The original keeps no record of it. This project's engine states each fold with what it tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from engine.processors.compressors.reasoning_tool_loop import ReasoningToolLoopCompactProcessor
from inspector.replay.recovery.ratios import RecoveredSettings, default_of
from inspector.replay.recovery.recorded import Change
from inspector.trace.decision import Decision

FOLDER = ReasoningToolLoopCompactProcessor.processor_type()
_THRESHOLDS = {
    "reasoning_tools": "consecutive_threshold",
    "tool_args": "tool_args_consecutive_threshold",
}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def folding_settings(
    decisions: Iterable[Decision], changes: Iterable[Change], settings: RecoveredSettings
) -> None:
    """Add the processor that folds loops to a chain."""
    values: dict[str, Any] = {}
    for decision in decisions:
        for gate in decision.gates:
            if gate.gate in _THRESHOLDS and gate.limit is not None:
                values[_THRESHOLDS[gate.gate]] = int(gate.limit)
    texts = [str(chat.get("content")) for c in changes if c.adding for chat in c.left]
    if texts and not any(map(_CHINESE.search, texts)):
        values["language"] = "en"
    values = {name: value for name, value in values.items() if value != default_of(FOLDER, name)}
    settings.add(FOLDER, values, (*_THRESHOLDS.values(), "language", "bailout_threshold"))
