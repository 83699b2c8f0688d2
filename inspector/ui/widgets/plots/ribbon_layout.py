"""Where each message of the ribbon lies: a pure struct between messages and pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SMALLEST = 3.0
"""Pixels that a message gets at least, as long as there is room for all."""


@dataclass(frozen=True)
class RibbonLayout:
    """The edges of cells that share a width by their tokens."""

    edges: NDArray[np.float64]
    """Left edge of each cell and the right edge of the last, in pixels."""

    @classmethod
    def of(cls, tokens: Sequence[int], width: float) -> RibbonLayout:
        """Share a width among messages.

        Every message gets a little, the rest is shared by tokens, so that an empty message can
        still be pointed at.

        Args:
            tokens: Tokens of each message.
            width: Pixels to share.
        """
        weights = np.maximum(np.asarray(tokens, np.float64), 0)
        count = len(weights)
        if not count:
            return cls(np.zeros(1))
        least = min(_SMALLEST, width / count / 2)
        total = weights.sum()
        shares = weights / total if total else np.full(count, 1 / count)
        widths = least + shares * (width - least * count)
        return cls(np.concatenate(([0.0], np.cumsum(widths))))

    def __len__(self) -> int:
        return len(self.edges) - 1

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return both edges of the cells from `first` up to and without `last`, in pixels."""
        return float(self.edges[first]), float(self.edges[last])

    def middle(self, at: int) -> float:
        """Return the middle of a cell, in pixels."""
        return float(self.edges[at] + self.edges[at + 1]) / 2

    def at(self, x: float) -> int | None:
        """Return the message at a pixel, None beside the ribbon."""
        if not len(self) or not 0 <= x < self.edges[-1]:
            return None
        return int(np.searchsorted(self.edges, x, side="right")) - 1

    def columns(self) -> NDArray[np.int64]:
        """Return the message at each whole pixel; what a crowded ribbon is painted from."""
        pixels = np.arange(round(self.edges[-1])) + 0.5
        return np.clip(np.searchsorted(self.edges, pixels, side="right") - 1, 0, len(self) - 1)
