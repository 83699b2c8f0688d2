"""Which debug switches of openJiuwen were evidently off, and the settings that switch them on.

Each part of the engine has a switch of its own (`engine.md` §6.1), and off it writes nothing at
all. What is missing beside what is there tells which one it was; a compressor that is silent while
others write may also have no model or not be in the chain, so nothing is said about it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.sources.notes import NotesHead
from inspector.sources.offload_file import OffloadFileHead
from inspector.sources.offload_log import OFFLOADER
from inspector.sources.scan import Source
from inspector.trace.session_memory.story import UPDATER

ALL = (
    'ContextEngineConfig(enable_context_debug=True, context_debug_dir="…")',
    "ContextProcessorRail(preset=True)  # hands the switch on to every processor of its chain",
)
"""Everything at once, in an agent that uses the rail."""
COMPRESSORS = tuple(
    f'{name}Config(enable_compression_dump=True, compression_dump_dir="…")'
    for name in ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
)
"""The three compressors one by one."""
OFFLOADS = ('MessageSummaryOffloaderConfig(enable_debug_dump=True, debug_dump_dir="…")',)
NOTES = (
    "SessionMemoryCompressorConfig(enable_context_debug=True, "
    "memory=SessionMemoryConfig(enable_debug_dump=True))",
)
REQUESTS = ("ContextEngineConfig(enable_context_debug=True)",)

_ENGINE_KINDS = frozenset(
    {
        "context_debug",
        "offloader_debug",
        "llm_request",
        "compression_dump",
        "rule_dump",
        "offload",
        "recall",
        "session_memory",
        "session_memory_log",
        "session_state",
    }
)


@dataclass(frozen=True)
class SwitchedOff:
    """A switch that was off, or whatever else left the same gap."""

    what: str
    """What is missing, as a sentence."""
    lines: tuple[str, ...]
    """Settings that switch it on, to be copied."""
    nothing: bool = False
    """There is nothing to be seen without it."""


def switched_off(sources: Sequence[Source]) -> list[SwitchedOff]:
    """Tell what the opened files lack; nothing where all of it is there, or none of the engine's.

    Conversations of other tools lack nothing.
    """
    kinds = {source.kind for source in sources}
    if any(kind.startswith("conversation:") for kind in kinds) and not kinds & _ENGINE_KINDS:
        return []
    return list(_gaps(sources, kinds))


def _gaps(sources: Sequence[Source], kinds: set[str]) -> Iterator[SwitchedOff]:
    records = "context_debug" in kinds or "compression_dump" in kinds
    logged = "offloader_debug" in kinds or "rule_dump" in kinds
    if not records and not logged:
        yield _nothing(kinds)
        return
    if not records:
        what = (
            "No compressor left a record: their dumps were off, or none of them is in the chain or "
            "has a model."
        )
        yield SwitchedOff(what, COMPRESSORS)
    if not logged and _offloaded(sources):
        what = "Tool results were offloaded, but the offloader's log was off."
        yield SwitchedOff(what, OFFLOADS)
    if _has_notes(sources) and UPDATER not in _processors(sources):
        what = "The session has notes, but the records of their updates were off."
        yield SwitchedOff(what, NOTES)
    if records and "llm_request" not in kinds:
        what = (
            "The agent's own requests are not recorded: the engine's switch was off, or the agent "
            "is no ReAct agent of this version."
        )
        yield SwitchedOff(what, REQUESTS)


def _nothing(kinds: set[str]) -> SwitchedOff:
    """Say what was off where no processor wrote anything about itself."""
    lines = (*ALL, "# or, without the rail:", *COMPRESSORS, *OFFLOADS)
    if "llm_request" in kinds:
        what = (
            "Only the agent's requests are recorded. The engine's switch does nothing for the "
            "processors unless the rail hands it on, or it is set in each of them."
        )
    elif "offload" in kinds:
        what = (
            "Only offloaded originals are here. The debug files of all processors were off, or "
            "the processors are the older classes, which write none."
        )
    elif kinds & _ENGINE_KINDS:
        what = "No processor wrote about its decisions: all debug files were off."
    else:
        what = "There are no files of the context engine here."
    return SwitchedOff(what, lines, nothing=True)


def _offloaded(sources: Iterable[Source]) -> bool:
    heads = (source.head for source in sources)
    return any(isinstance(h, OffloadFileHead) and h.processor == OFFLOADER for h in heads)


def _has_notes(sources: Iterable[Source]) -> bool:
    heads = (source.head for source in sources)
    return any(isinstance(head, NotesHead) and head.role != "template" for head in heads)


def _processors(sources: Iterable[Source]) -> set[str]:
    """Return the processors that left records."""
    indexes = [source.index for source in sources if source.index is not None]
    return {index.pool.heads[code].processor for index in indexes for code in index.codes}
