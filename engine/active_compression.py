"""Compression on demand: which processors it asks, and what comes of it (`engine.md` §4.4).

Offloaders come first, then compressors, each in the order of the chain. An offloader and the
dialogue compressor still ask their trigger; the others act whatever the window holds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.processors.base import ContextProcessor
from engine.processors.registry import Processor
from engine.states import ContextCompressionState

CompressionResult = Literal["compressed", "noop", "busy"]


@dataclass(frozen=True)
class ActiveCompression:
    """How a compression on demand ended."""

    result: CompressionResult
    state: ContextCompressionState | None = None
    """The latest completed state with a summary, else the latest one; None when all declined."""

    @property
    def compact_summary(self) -> str | None:
        """The summary that took the messages' place, if one did."""
        return self.state.compact_summary if self.state else None


def on_demand(processors: Sequence[Processor], wanted: Collection[str] | None) -> list[Processor]:
    """Return the processors to ask, in order.

    Args:
        processors: the chain.
        wanted: names of those that may act; all of them when None.
    """
    chosen = [p for p in processors if wanted is None or p.processor_type() in wanted]
    offloaders = [p for p in chosen if is_offloader(p)]
    compressors = [p for p in chosen if _is_compressor(p)]
    return offloaders + [p for p in compressors if p not in offloaders]


def asks_its_trigger(processor: Processor) -> bool:
    """Return whether a processor may decline although it was asked to act."""
    return is_offloader(processor) or processor.processor_type() == "DialogueCompressor"


def is_offloader(processor: Processor) -> bool:
    """Return whether a processor moves content out of the window, by its name or folder."""
    return "offload" in processor.processor_type().lower() or _in_folder(processor, "offloaders")


def rewrites_windows(processor: Processor) -> bool:
    """Return whether a processor has a window hook of its own."""
    return type(processor).on_get_context_window is not ContextProcessor.on_get_context_window


def ending(states: Sequence[ContextCompressionState], *, compressed: bool) -> ActiveCompression:
    """Return the end of a compression that emitted these states, oldest first."""
    summarised = [s for s in states if s.status == "completed" and s.compact_summary]
    state = next(reversed(summarised or states), None)
    return ActiveCompression("compressed" if compressed else "noop", state)


def _is_compressor(processor: Processor) -> bool:
    name = processor.processor_type().lower()
    return "compressor" in name or "compact" in name or _in_folder(processor, "compressors")


def _in_folder(processor: Processor, folder: str) -> bool:
    return f".processors.{folder}." in f"{type(processor).__module__}."
