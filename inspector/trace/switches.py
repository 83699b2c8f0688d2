"""Which debug switches of openJiuwen were evidently off, and the settings that switch them on.

Each part of the engine has a switch of its own (`engine.md` §6.1), and off it writes nothing at
all. What is missing beside what is there tells which one it was, if its place was opened; a
compressor that is silent while others write may also have no model or not be in the chain, so
nothing is said about it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from inspector.sources.documents.notes import NotesHead
from inspector.sources.documents.offload_file import OffloadFileHead
from inspector.sources.lines.offload_log import OFFLOADER
from inspector.sources.scan import Source
from inspector.trace.compressions.attempts import NOT_PREFIX
from inspector.trace.evidence.folders import PART_FOLDERS
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

_LOG_KINDS = frozenset({"offloader_debug", "rule_dump"})


@dataclass(frozen=True)
class SwitchedOff:
    """A switch that was off, or whatever else left the same gap."""

    what: str
    """What is missing, as a sentence."""
    lines: tuple[str, ...]
    """Settings that switch it on, to be copied; none where no switch would help."""
    nothing: bool = False
    """There is nothing to be seen without it."""


def switched_off(sources: Sequence[Source]) -> list[SwitchedOff]:
    """Tell what the opened files lack; nothing where all of it is there, or none of the engine's.

    Conversations of other tools lack nothing. Where only a file or one of the engine's folders was
    opened, no switch is to blame for what lies beside it.
    """
    kinds = {source.kind for source in sources}
    if any(kind.startswith("conversation:") for kind in kinds) and not kinds & _ENGINE_KINDS:
        return []
    processors = _processors(sources)
    compressors = "compression_dump" in kinds or bool(processors - NOT_PREFIX)
    logged = bool(kinds & _LOG_KINDS) or OFFLOADER in processors
    decided = compressors or logged or bool(processors - _NO_PROCESSORS)
    if kinds & _ENGINE_KINDS and all(_is_part(s) for s in sources if s.kind in _ENGINE_KINDS):
        return [SwitchedOff(_PART, ()) if decided else SwitchedOff(_PART + _ELSE, _LINES, True)]
    return list(_gaps(sources, compressors, logged)) if decided else [_nothing(kinds)]


_NO_PROCESSORS = frozenset({"", "llm_request"})
"""In place of a processor, in records that tell of none."""
_LINES = (*ALL, "# or, without the rail:", *COMPRESSORS, *OFFLOADS)
_PART = (
    "Only a part of what the engine writes was opened. What else it recorded lies in the other "
    "folders of the session: open that, or the workspace, to see it together."
)
_ELSE = " If nothing lies there, the debug files of all processors were off."


def _is_part(source: Source) -> bool:
    """Tell whether what belongs to a file would lie outside the opened path."""
    root = PurePath(source.root)
    return root == PurePath(source.path) or not PART_FOLDERS.isdisjoint(root.parts[-2:])


def _gaps(sources: Sequence[Source], compressors: bool, logged: bool) -> Iterator[SwitchedOff]:
    kinds, processors = {source.kind for source in sources}, _processors(sources)
    if not compressors:
        what = (
            "No compressor left a record: their dumps were off, or none of them is in the chain or "
            "has a model."
        )
        yield SwitchedOff(what, COMPRESSORS)
    elif not processors - NOT_PREFIX:
        what = (
            "Compressions left their dumps, but the checks before them are not here, although one "
            "switch writes both: they lie in another folder."
        )
        yield SwitchedOff(what, ())
    if not logged and _offloaded(sources):
        what = "Tool results were offloaded, but the offloader's log was off."
        yield SwitchedOff(what, OFFLOADS)
    if _has_notes(sources) and UPDATER not in processors:
        what = "The session has notes, but the records of their updates were off."
        yield SwitchedOff(what, NOTES)
    if compressors and "llm_request" not in kinds:
        what = (
            "The agent's own requests are not recorded: the engine's switch was off, or the agent "
            "is no ReAct agent of this version."
        )
        yield SwitchedOff(what, REQUESTS)


def _nothing(kinds: set[str]) -> SwitchedOff:
    """Say what was off where no processor wrote anything about itself."""
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
        what = "No compressor or offloader wrote about its decisions: their debug files were off."
    else:
        what = "There are no files of the context engine here."
    return SwitchedOff(what, _LINES, nothing=True)


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
