"""Chains to start from: the default one, the two ways to compact in the articles, each alone."""

from __future__ import annotations

from typing import NamedTuple

from engine.config import ContextEngineConfig
from engine.processors.preset import preset_chain
from engine.processors.registry import registered_names
from inspector.ui.models.replay.settings.setup import Link


class Preset(NamedTuple):
    """A chain with a name."""

    name: str
    links: tuple[Link, ...]


def presets() -> list[Preset]:
    """Return all presets, in the order of the menu."""
    default = [name for name, _ in preset_chain(ContextEngineConfig())]
    return [
        Preset("Default chain", _chain(*default)),
        Preset("Masking", _chain("ObservationMasking")),
        Preset("Minimal summary", _chain("BudgetedSummary")),
        Preset("None", ()),
        *(Preset(f"{name} alone", _chain(name)) for name in registered_names()),
    ]


def _chain(*names: str) -> tuple[Link, ...]:
    return tuple(Link(name, {}) for name in names)
