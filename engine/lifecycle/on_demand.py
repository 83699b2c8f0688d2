"""Compression on demand: which processors it asks, and what comes of it (`engine.md` §4.4).

Offloaders come first, then compressors, each in the order of the chain. An offloader that works on
windows and the dialogue compressor still ask their trigger; the others act whatever there is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.conversation import Conversation
from engine.conversation.states import ContextCompressionState, SkipReason, skipped_state
from engine.lifecycle.processor_run import ProcessorRun
from engine.processors.base import ContextEvent, ContextProcessor
from engine.processors.registry import Processor
from engine.window import ContextWindow, without_leading_results

ENGINE = "ContextEngine"
"""Under this name stand the records of what no processor got to see."""

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
    offloaders = [p for p in chosen if _is_offloader(p)]
    compressors = [p for p in chosen if _is_compressor(p)]
    return offloaders + [p for p in compressors if p not in offloaders]


async def compress(
    context: Conversation, chain: Sequence[Processor], preserve_instruction: str
) -> ActiveCompression:
    """Let processors act on a context's whole buffer, one after the other.

    Args:
        context: the context, whose lock the caller holds.
        chain: whom to ask, in order.
        preserve_instruction: what the summaries must not lose.
    """
    window = ContextWindow(context_messages=context.get_messages())
    states: list[ContextCompressionState] = []
    compressed = False
    for processor in chain:
        run = _turn(context, processor, preserve_instruction)
        window = await run(window)
        states += run.states
        compressed = compressed or run.event is not None
    summarised = [s for s in states if s.status == "completed" and s.compact_summary]
    state = next(reversed(summarised or states), None)
    return ActiveCompression("compressed" if compressed else "noop", state)


def skipped(context: Conversation, reason: SkipReason) -> ContextCompressionState:
    """Tell of a compression that nobody got to see, and return its state."""
    before, statistic = context.measure(context.get_messages())
    state = skipped_state(before, statistic, context.capacity.tokens, reason)
    context.emit(state)
    context.debug.end(ENGINE, context.config.debug, "skipped", reason, phase="active_compress")
    return state


def _turn(
    context: Conversation, processor: Processor, preserve_instruction: str
) -> ProcessorRun[ContextWindow]:

    async def trigger(window: ContextWindow) -> bool:
        if not _asks_its_trigger(processor):
            return True
        return await processor.trigger_get_context_window(context, window)

    async def act(window: ContextWindow) -> tuple[ContextEvent | None, ContextWindow]:
        if not _rewrites_windows(processor):
            event, _ = await processor.on_add_messages(context, [])
            window.context_messages = context.get_messages()
            return event, window
        event, window = await processor.on_get_context_window(context, window)
        if event is not None:
            kept = without_leading_results(window.context_messages)
            window.context_messages = context.set_messages(kept)
        return event, window

    return ProcessorRun(
        context,
        processor,
        "active_compress",
        trigger=trigger,
        act=act,
        messages=lambda window: window.context_messages,
        preserve_instruction=preserve_instruction,
    )


def _asks_its_trigger(processor: Processor) -> bool:
    """Return whether a processor may decline although it was asked to act."""
    offloader = _is_offloader(processor) and _rewrites_windows(processor)
    return offloader or processor.processor_type() == "DialogueCompressor"


def _rewrites_windows(processor: Processor) -> bool:
    return type(processor).on_get_context_window is not ContextProcessor.on_get_context_window


def _is_offloader(processor: Processor) -> bool:
    """Return whether a processor moves content out of the window, by its name or folder."""
    return "offload" in processor.processor_type().lower() or _in_folder(processor, "offloaders")


def _is_compressor(processor: Processor) -> bool:
    name = processor.processor_type().lower()
    return "compressor" in name or "compact" in name or _in_folder(processor, "compressors")


def _in_folder(processor: Processor, folder: str) -> bool:
    return f".processors.{folder}." in f"{type(processor).__module__}."
