"""Settings that are shares of the capacity, from the tokens that came of them.

A record holds a threshold in tokens, not the ratio behind it. The default is taken where it
explains what was recorded, else the simplest value that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from engine.processors.registry import processor_class
from inspector.replay.cases.case import Gap
from inspector.trace.decision import Decision


@dataclass
class RecoveredSettings:
    """A chain, and how sure its settings are."""

    chain: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    assumed: dict[str, Any] = field(default_factory=dict)
    """Settings that no file states, by `Processor.field`."""
    possible: dict[str, list[float]] = field(default_factory=dict)
    """First and last value that would have had the same consequences."""
    gaps: list[Gap] = field(default_factory=list)

    def add(self, name: str, values: dict[str, Any], assumed: Iterable[str]) -> None:
        """Add a processor with its settings; defaults stand for the assumed ones among the rest."""
        self.chain.append((name, values))
        for field_name in assumed:
            value = values.get(field_name, default_of(name, field_name))
            self.assumed[f"{name}.{field_name}"] = value

    def ratio(
        self,
        name: str,
        field_name: str,
        recorded: Counter[tuple[int, int]],
        least: int = 1,
        default: float | None = None,
    ) -> dict[str, float]:
        """Return a ratio that differs from its default, as a setting; empty where none does.

        Args:
            name: the processor.
            field_name: the setting.
            recorded: how often which tokens came of which capacity.
            least: floor of the tokens.
            default: the setting's default, where it is not one of the processor's own fields.
        """
        if not recorded:
            return {}
        key = f"{name}.{field_name}"
        (capacity, tokens), _times = recorded.most_common(1)[0]
        if len(recorded) > 1:
            what = f"{key} or the capacity changed; {tokens} of {capacity} is used"
            self.gaps.append(Gap(what=what))
        usual = default_of(name, field_name) if default is None else default
        self.possible[key] = [tokens / capacity, (tokens + 1) / capacity]
        ratio = simplest_ratio(capacity, tokens, usual, least)
        if ratio is None:
            self.gaps.append(Gap(what=f"{key}: no ratio gives {tokens} of {capacity} tokens"))
        return {} if ratio in (None, usual) else {field_name: ratio}


def thresholds(decisions: Iterable[Decision]) -> Counter[tuple[int, int]]:
    """Return how often which threshold came of which capacity, both in tokens."""
    tokens = (d.tokens for d in decisions if d.tokens)
    return Counter((t.capacity, t.threshold) for t in tokens if t.capacity and t.threshold)


def default_of(name: str, field_name: str) -> Any:
    """Return the default of a processor's setting."""
    return processor_class(name).config_model.model_fields[field_name].get_default()


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
