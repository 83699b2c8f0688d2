"""How many tokens a model's window holds, and who says so (`engine.md` §3.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from engine.config import ContextEngineConfig
from engine.resources import resource_path

DEFAULT_CAPACITY = 200_000
"""Tokens assumed for a model that nobody knows."""


class Capacity(NamedTuple):
    """A capacity and where it comes from."""

    tokens: int
    source: str
    """`setting`, `model override`, `model mapping`, `model table`, `online` or `default`."""

    def share(self, ratio: float) -> int:
        """Return a share of it as thresholds are made of: in whole tokens, 1 at least."""
        return max(int(self.tokens * ratio), 1)


def resolve_capacity(
    config: ContextEngineConfig,
    model_name: str | None = None,
    online: Mapping[str, int] = MappingProxyType({}),
) -> Capacity:
    """Return the capacity: the first answer of setting, override, mapping, table, network, default.

    Args:
        config: the engine's settings.
        model_name: the model asked for; the setting's own model when None.
        online: capacities in tokens that were looked up on the network, by model name.
    """
    if config.context_window_tokens:
        return Capacity(config.context_window_tokens, "setting")
    if (config.model_context_window_tokens_override or 0) > 0:
        return Capacity(config.model_context_window_tokens_override or 0, "model override")
    name = model_name or config.model_name
    if name:
        for figures, source in (
            (config.model_context_window_tokens or {}, "model mapping"),
            (_model_table(), "model table"),
            (online, "online"),
        ):
            tokens = _look_up(figures, name)
            if tokens:
                return Capacity(tokens, source)
    return Capacity(DEFAULT_CAPACITY, "default")


def _look_up(figures: Mapping[str, int], name: str) -> int | None:
    exact = figures.get(name, 0)
    if exact > 0:
        return exact
    folded = name.lower()
    return next((n for key, n in figures.items() if key.lower() == folded and n > 0), None)


@cache
def _model_table() -> Mapping[str, int]:
    table = json.loads(resource_path("model_windows.json").read_text(encoding="utf-8"))
    return {str(name): int(tokens) for name, tokens in table["tokens"].items()}
