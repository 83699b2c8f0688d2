"""Where the thresholds of a chain stand in the chart, and what a ratio comes to there.

The chart counts with the case's counter. The minimal loops estimate by characters instead, so their
thresholds are drawn where that estimate reaches them in windows like the largest one of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from engine.processors.budget import BudgetConfig, estimated_tokens
from engine.processors.registry import processor_class
from inspector.replay.fields import ProcessorCard
from inspector.replay.runner import Run
from inspector.ui.models.replay.settings.setup import FieldKey

TRIGGER: Final = "trigger_context_ratio"
"""The setting that makes a compressor act at a share of the capacity."""
BUDGET: Final = "soft_ratio"
"""The one that makes a minimal loop act at a share of its window."""
HUNDREDTHS: Final = 100
"""Steps of a ratio between 0 and 1, for sliders and lines."""


class Threshold(NamedTuple):
    """One threshold."""

    key: FieldKey
    ratio: float
    whole: float
    """Tokens in the chart at a ratio of 1."""
    estimated: bool = False
    """The processor counts otherwise, so its place in the chart is an estimate."""

    @property
    def tokens(self) -> int:
        """Where it stands in the chart."""
        return max(int(self.ratio * self.whole), 1)

    @property
    def position(self) -> int:
        """The ratio in hundredths."""
        return round(self.ratio * HUNDREDTHS)

    def position_at(self, tokens: float) -> int:
        """Return the ratio, in hundredths, that puts it at so many tokens."""
        return round(tokens / self.whole * HUNDREDTHS)

    @property
    def told(self) -> str:
        """Name and ratio, as they stand at the line."""
        name = self.key.owner.removesuffix("Compressor")
        return f"{'~' if self.estimated else ''}{name} {self.ratio:.3g}"


def thresholds_of(
    cards: Iterable[ProcessorCard], capacity: int, estimate: float
) -> Mapping[str, Threshold]:
    """Return the thresholds of a chain, by processor.

    Args:
        cards: The processors that are on.
        capacity: Tokens of the window.
        estimate: Tokens of the chart for one that is estimated by characters.
    """
    found = {}
    for card in cards:
        values = {field.name: field.value for field in card.fields}
        if values.get(TRIGGER) is not None:
            found[card.name] = Threshold(FieldKey(card.name, TRIGGER), values[TRIGGER], capacity)
        elif issubclass(processor_class(card.name).config_model, BudgetConfig):
            whole = (values["window"] or capacity) * estimate
            found[card.name] = Threshold(
                FieldKey(card.name, BUDGET), values[BUDGET], whole, estimated=True
            )
    return found


def estimate_of(run: Run) -> float:
    """Return how many tokens the counter counts for one that is estimated by characters.

    That is so in the run's largest window; 1 where it has none.
    """
    windows = [step.window for step in run.steps if step.window is not None]
    if not windows:
        return 1.0
    largest = max(windows, key=lambda window: window.tokens)
    estimated = estimated_tokens([*run.case.system(), *largest.messages])
    return largest.tokens / estimated if estimated and largest.tokens else 1.0
