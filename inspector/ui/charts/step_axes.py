"""The axes of a chart over steps: figures at round numbers, as many as there is room for."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

from inspector.ui import formats
from inspector.ui.charts.step_scale import ticks

_TOKEN_TICK = 26
_STEP_TICK = 90
"""Pixels between two figures of an axis, at least."""


class TokenAxis(pg.AxisItem):
    """Tokens in thousands, none below zero."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [formats.thousands(value) if value >= 0 else "" for value in values]

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        return [ticks(max(minVal, 0), maxVal, size / _TOKEN_TICK)]


class StepAxis(pg.AxisItem):
    """Whole steps."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        told = [formats.number(value) for value in values]
        return [f"step {told[0]}", *told[1:]] if told else []

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        return [ticks(max(minVal, 1), maxVal, size / _STEP_TICK)]
