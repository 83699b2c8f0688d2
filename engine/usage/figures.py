"""The figures of one window: as they were counted here, and beside the provider's total."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.usage.measure import FALLBACK, Measured, reconciled
from engine.usage.report import (
    ComponentSignatures,
    Source,
    UsageMeasurement,
    UsagePart,
    WindowUsage,
)

_MEASUREMENT_SOURCES = {"string": f"string_length{FALLBACK}"}
_ATTACHED = "message:"
"""Begins the names of parts that a message carries for the agent."""


@dataclass(frozen=True)
class Figures:
    """What a window was counted as."""

    tokenizer: str
    """Name of the counter."""
    local: Sequence[Measured]
    """The parts, as they were counted here."""
    provider: int | None
    """Input tokens that the provider counted for the window, if it did."""

    @cached_property
    def local_total(self) -> int:
        """Tokens of all parts, as they were counted here."""
        return sum(part.tokens for part in self.local)

    @property
    def total(self) -> int:
        """The provider's total, else the one made here."""
        return self.local_total if self.provider is None else self.provider

    @property
    def total_source(self) -> Literal["provider", "local"]:
        """Whose total it is."""
        return "local" if self.provider is None else "provider"

    @property
    def origin(self) -> str:
        """The counter as reports name it."""
        return _MEASUREMENT_SOURCES.get(self.tokenizer, self.tokenizer)

    @property
    def is_estimate(self) -> bool:
        """Whether the counter knows no tokens and only estimates them."""
        return self.origin.endswith(FALLBACK)

    @cached_property
    def reconciled(self) -> tuple[Sequence[Measured], Source]:
        """The parts, brought to the provider's total if there is one, and where they come from."""
        if self.provider is not None:
            return reconciled(self.local, self.provider, self.origin)
        missing = any(part.source == "not_reported" for part in self.local)
        return self.local, "not_reported" if missing else "measured"

    def window(self, capacity: int, snapshot_id: str) -> WindowUsage:
        """Return the window as a whole, in a capacity of so many tokens."""
        return WindowUsage(
            limit_tokens=capacity,
            input_tokens=self.total,
            occupancy_rate=round(self.total / capacity, 6),
            tokens_source=self.total_source,
            local_estimated_input_tokens=self.local_total,
            reconciliation_delta_tokens=self.total - self.local_total,
            context_snapshot_id=snapshot_id,
        )

    def parts(self, capacity: int) -> dict[str, UsagePart]:
        """Return the parts by name, in a capacity of so many tokens."""
        parts, _ = self.reconciled
        return {
            part.name: UsagePart(
                category=part.category,
                tokens=part.tokens,
                percentage_of_window=_percent(part.tokens, capacity),
                percentage_of_input=_percent(part.tokens, self.total),
                estimated=self.is_estimate,
                tokenizer=self.tokenizer,
                carrier=part.carrier,
                source=part.source,
                measurement_source=self.origin,
                fallback_reason="model_tokenizer_missing" if self.is_estimate else None,
                order=order,
                stable_id=_digest(part.name, part.text)[:16],
            )
            for order, part in enumerate(parts)
        }

    def measurement(self, snapshot_id: str) -> UsageMeasurement:
        """Return how the figures were made."""
        _, source = self.reconciled
        return UsageMeasurement(
            category_source=source,
            total_source=self.total_source,
            tokenizer=self.tokenizer,
            estimated=self.is_estimate,
            authoritative_total=self.provider is not None,
            context_snapshot_id=snapshot_id,
        )

    def signatures(self) -> ComponentSignatures:
        """Return what tells each component from another text of it."""
        attached = [part for part in self.local if part.name.startswith(_ATTACHED)]
        own = [part for part in self.local if not part.name.startswith(_ATTACHED)]

        def of(category: str) -> str:
            return _digest(*(part.text for part in own if part.category == category))

        return ComponentSignatures(
            system_prompt=of("system_prompt"),
            skills=of("skills"),
            attachments=_digest(*(part.text for part in attached)),
            tools=of("tools"),
            messages=of("messages"),
        )


def _digest(*texts: str) -> str:
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _percent(tokens: int, of: int) -> float:
    return round(tokens / of * 100, 2) if of else 0.0
