"""Settings to take home: Python for openJiuwen, a chain file, and the matching command line.

Only what differs from the defaults is written, for that is what was decided. What is left out stays
the agent's: the model that writes the summaries, and the switches of debug files.

In Python a chain that is openJiuwen's default one becomes overrides of its rail, which then fills
in the agent's model; any other chain is listed in full, with the default one switched off. The
names of modules and the rules of the rail are those of `engine.md` §2.6 and of openJiuwen's guide.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.config import ContextEngineConfig
from inspector.replay.cases.case import Case
from inspector.replay.settings.chain import Chain
from inspector.replay.settings.edits import effective, same_chain

PROGRAM: Final = "context-inspector"

_AGENT_S: Final = frozenset(
    {
        "model",
        "enable_context_debug",
        "context_debug_dir",
        "enable_compression_dump",
        "compression_dump_dir",
        "enable_debug_dump",
        "debug_dump_dir",
        "enable_kv_cache_affinity",
    }
)
"""Settings that the agent gives its processors, whatever is decided here."""

_PRESET: Final = (
    "MessageSummaryOffloader",
    "SessionMemoryCompressor",
    "ReasoningToolLoopCompactProcessor",
    "DialogueCompressor",
    "CurrentRoundCompressor",
    "RoundLevelCompressor",
)
"""openJiuwen's default chain."""

_SILENT: Final = frozenset({"SessionMemoryCompressor", "ReasoningToolLoopCompactProcessor"})
"""Processors of the default chain that a case may lack: off by default, or not in each version."""

_ENGINE: Final = "openjiuwen.core.context_engine"
_MODULES: Final = {
    "MessageSummaryOffloader": f"{_ENGINE}.processor.forked.offloader.message_offloader",
    "SessionMemoryCompressor": f"{_ENGINE}.processor.forked.compressor.session_memory_compressor",
    "DialogueCompressor": f"{_ENGINE}.processor.forked.compressor.dialogue_compressor",
    "CurrentRoundCompressor": f"{_ENGINE}.processor.forked.compressor.current_round_compressor",
    "RoundLevelCompressor": f"{_ENGINE}.processor.forked.compressor.round_level_compressor",
    "MessageOffloader": f"{_ENGINE}.processor.offloader.message_offloader",
    "ReasoningToolLoopCompactProcessor": (
        f"{_ENGINE}.processor.compressor.reasoning_tool_loop_compact_processor"
    ),
}
"""Where the settings of each processor are defined, as `<processor>Config`."""

_RAIL: Final = "openjiuwen.harness.rails.context_engineer.context_processor_rail"


def decided(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a processor that differ from its defaults.

    Raises:
        CaseError: the processor is unknown or a value is invalid.
    """
    return _differing(effective(name, dict(settings)), effective(name, {}))


def decided_chain(case: Case) -> Chain:
    """Return a case's chain with the settings that differ from the defaults.

    Raises:
        CaseError: a processor is unknown or a value is invalid.
    """
    return [(name, decided(name, settings)) for name, settings in case.processors]


def python_settings(case: Case) -> str:
    """Return Python that makes `config` and `rail` for an agent of openJiuwen.

    Raises:
        CaseError: a processor is unknown or a value is invalid.
    """
    chain = decided_chain(case)
    foreign = [name for name, _ in chain if name not in _MODULES]
    chain = [(name, settings) for name, settings in chain if name in _MODULES]
    preset = not foreign and _is_preset([name for name, _ in chain])
    engine = _differing(case.engine_config().model_dump(), ContextEngineConfig().model_dump())
    recall = engine.pop("compression_recall_config", None)
    lines = [
        f"from {_ENGINE} import {'CompressionRecallConfig, ' * bool(recall)}ContextEngineConfig"
    ]
    if not preset:
        lines.append(f"from {_ENGINE}.processor import forked")
        lines += sorted({f"from {_MODULES[name]} import {name}Config" for name, _ in chain})
    lines += [f"from {_RAIL} import ContextProcessorRail", "", "config = ContextEngineConfig("]
    lines += [f"    {name}={value!r}," for name, value in engine.items()]
    if recall:
        lines.append(
            f"    compression_recall_config=CompressionRecallConfig({_arguments(recall)}),"
        )
    lines += [")", ""]
    lines += [f"# {name} is {PROGRAM}'s own: openJiuwen has nothing like it." for name in foreign]
    lines += _preset_rail(chain) if preset else _own_rail(chain)
    return "\n".join(lines) + "\n"


def command_line(base: Case, case: Case, path: str, chain_path: str = "chain.json") -> str:
    """Return the command that replays the case in a file with other settings.

    Args:
        base: the case in the file.
        case: the same with other settings.
        path: the file.
        chain_path: a chain file with the other chain; named where edits alone do not lead there.

    Raises:
        CaseError: a processor is unknown or a value is invalid.
    """
    words = [PROGRAM, "replay", path]
    edits = _edits(base.processors, case.processors)
    if edits is None:
        words += ["--chain", chain_path]
    words += [word for edit in edits or () for word in ("--set", edit)]
    before, after = base.engine_config().model_dump(), case.engine_config().model_dump()
    for name, value in after.items():
        if value != before[name]:
            words += _engine_words(name, value)
    if case.token_counter != base.token_counter:
        words += ["--counter", case.token_counter]
    return shlex.join(words)


def _differing(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return what differs; of nested settings only what differs in them."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        default: Any = defaults.get(name)
        if name not in _AGENT_S and value != default:
            nested = isinstance(value, dict) and isinstance(default, dict)
            found[name] = _differing(value, default) if nested else value
    return found


def _is_preset(names: list[str]) -> bool:
    expected = [name for name in _PRESET if name in names or name not in _SILENT]
    return names == expected


def _preset_rail(chain: Chain) -> list[str]:
    changed = [(name, settings) for name, settings in chain if settings]
    if not changed:
        return ["rail = ContextProcessorRail(preset=True)"]
    return [
        "rail = ContextProcessorRail(",
        "    preset=True,",
        "    processors=[",
        *(f"        ({name!r}, {settings!r})," for name, settings in changed),
        "    ],",
        ")",
    ]


def _own_rail(chain: Chain) -> list[str]:
    return [
        "forked.activate()  # the processors of today, not those of the same names before",
        "rail = ContextProcessorRail(",
        "    preset=False,",
        "    processors=[",
        *(f"        ({name!r}, {name}Config({_arguments(s)}))," for name, s in chain),
        "    ],",
        ")",
    ]


def _arguments(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())


def _edits(base: Chain, chain: Chain) -> list[str] | None:
    """Return the edits that lead from one chain to another; None where none do."""
    names = [name for name, _ in chain]
    if names != [name for name, _ in base] or len(set(names)) != len(names):
        return [] if same_chain(base, chain) else None
    edits = []
    for (name, before), (_, after) in zip(base, chain, strict=True):
        old, new = effective(name, before), effective(name, after)
        edits += [
            f"{name}.{field}={_json(new[field])}" for field in new if new[field] != old[field]
        ]
    return edits


def _engine_words(name: str, value: Any) -> Iterable[str]:
    if name == "context_window_tokens" and value is not None:
        return "--capacity", str(value)
    if name == "model_name" and value is not None:
        return "--model", value
    return "--set", f"engine.{name}={_json(value)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
