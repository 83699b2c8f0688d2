"""Where the thresholds of a chain stand in the chart, and what a ratio comes to there.

The chart counts with the case's counter. The minimal loops estimate by characters instead, so their
thresholds are drawn where the conversation, as far as nothing was taken out of it, is estimated to
reach them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from engine.processors.budget import BudgetConfig, estimated_tokens
from engine.processors.registry import processor_class
from engine.tokens.selection import make_counter
from engine.tokens.usage import window_tokens
from inspector.replay.cases.case import Case
from inspector.replay.settings.fields import ProcessorCard
from inspector.ui.models.replay.settings.setup import FieldKey

TRIGGER: Final = "trigger_context_ratio"
"""The setting that makes a compressor act at a share of the capacity."""
BUDGET: Final = "soft_ratio"
"""The one that makes a minimal loop act at a share of its window."""
HUNDREDTHS: Final = 100
"""Steps of a ratio between 0 and 1, for sliders and lines."""
_FAR: Final = 1_000
"""How far beyond the conversation's end its mean holds, as a multiple of it."""


class EstimateScale:
    """What a growing conversation is counted to where it is estimated to so many tokens."""

    def __init__(self, case: Case) -> None:
        """Measure a case's conversation once.

        Raises:
            CaseError: the case holds something that is no message.
        """
        counter, system = make_counter(case.token_counter), case.system()
        estimated = [0, estimated_tokens(system)]
        counted = [0, window_tokens(counter, system, [], case.tool_list())]
        for message in case.conversation():
            estimated.append(estimated[-1] + estimated_tokens([message]))
            counted.append(counted[-1] + counter.count_message(message))
        self._estimated = np.array([*estimated, _FAR * max(estimated[-1], 1)], np.float64)
        self._counted = np.array([*counted, _FAR * max(counted[-1], 1)], np.float64)

    def counted(self, estimated: float) -> float:
        """Return the tokens of the counter."""
        return float(np.interp(estimated, self._estimated, self._counted))

    def estimated(self, counted: float) -> float:
        """Return the tokens of the estimate."""
        return float(np.interp(counted, self._counted, self._estimated))


class Threshold(NamedTuple):
    """One threshold."""

    key: FieldKey
    ratio: float
    whole: int
    """Tokens at a ratio of 1, as the processor counts them."""
    scale: EstimateScale | None = None
    """How its tokens are found in the chart, where it counts otherwise."""

    @property
    def tokens(self) -> int:
        """Where it stands in the chart."""
        own = int(self.ratio * self.whole)
        return max(round(self.scale.counted(own)) if self.scale is not None else own, 1)

    @property
    def position(self) -> int:
        """The ratio in hundredths."""
        return round(self.ratio * HUNDREDTHS)

    def position_at(self, tokens: float) -> int:
        """Return the ratio, in hundredths, that puts it at so many tokens."""
        own = self.scale.estimated(tokens) if self.scale is not None else tokens
        return round(own / self.whole * HUNDREDTHS)

    @property
    def told(self) -> str:
        """Name and ratio, as they stand at the line."""
        name = self.key.owner.removesuffix("Compressor")
        return f"{'~' if self.scale is not None else ''}{name} {self.ratio:.3g}"


def thresholds_of(
    cards: Iterable[ProcessorCard], capacity: int, scale: EstimateScale | None
) -> Mapping[str, Threshold]:
    """Return the thresholds of a chain, by processor.

    Args:
        cards: The processors that are on.
        capacity: Tokens of the window.
        scale: That of the conversation; without one, estimates have no place in the chart.
    """
    found = {}
    for card in cards:
        values = {field.name: field.value for field in card.fields}
        if values.get("enabled") is False:
            continue
        if values.get(TRIGGER) is not None:
            found[card.name] = Threshold(FieldKey(card.name, TRIGGER), values[TRIGGER], capacity)
        elif scale is not None and issubclass(
            processor_class(card.name).config_model, BudgetConfig
        ):
            key, whole = FieldKey(card.name, BUDGET), values["window"] or capacity
            found[card.name] = Threshold(key, values[BUDGET], whole, scale)
    return found
