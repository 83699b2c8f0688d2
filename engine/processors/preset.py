"""The chain that an agent gets unless it says otherwise, and the laying over of what it says.

Offloading and compression are on; session memory is off, since it needs somebody who keeps the
notes. The order is the one in which the processors act (`engine.md` §2.6).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from engine.config import ContextEngineConfig
from engine.errors import ContextError
from engine.processors.compressors.current_round import CurrentRoundCompressorConfig
from engine.processors.compressors.dialogue import DialogueCompressorConfig
from engine.processors.compressors.prefix import PrefixCompressorConfig
from engine.processors.compressors.reasoning_tool_loop import (
    ReasoningToolLoopCompactProcessorConfig,
)
from engine.processors.compressors.round_level import RoundLevelCompressorConfig
from engine.processors.compressors.session_memory import SessionMemoryCompressorConfig
from engine.processors.offloaders.message_summary import MessageSummaryOffloaderConfig
from engine.processors.registry import Settings, processor_class
from engine.recall.tool import RECALL_TOOL
from engine.session_memory.config import SessionMemoryConfig

_LOG = logging.getLogger(__name__)

ARCHIVING = frozenset(
    {
        "SessionMemoryCompressor",
        "DialogueCompressor",
        "CurrentRoundCompressor",
        "RoundLevelCompressor",
    }
)
"""Processors that archive what they replace, where recall is on."""


def preset_chain(
    config: ContextEngineConfig,
    overrides: Sequence[tuple[str, Settings]] = (),
    *,
    preset: bool = True,
    enable_kv_cache_affinity: bool = False,
) -> list[tuple[str, BaseModel]]:
    """Return the chain for an engine, in order.

    Args:
        config: the engine's settings; its debug switch and directory hold for every processor, and
            its recall keeps the answers of the recall tool out of the offloader's hands.
        overrides: what the agent wants otherwise. Values for a processor of the chain are laid over
            its settings; an object of settings takes their place as a whole. Other processors are
            added at the end.
        preset: whether to start from the default chain; without it only the overrides remain.
        enable_kv_cache_affinity: whether the compressors' calls get cache keys of their own.

    Raises:
        ValueError: an override names a processor that does not exist, or has an invalid value.
    """
    chain: dict[str, BaseModel] = _default_chain(config) if preset else {}
    for name, settings in overrides:
        chain[name] = _merged(name, chain.get(name), settings)
    for name, chosen in chain.items():
        if isinstance(chosen, PrefixCompressorConfig):
            affine = {"enable_kv_cache_affinity": enable_kv_cache_affinity}
            chain[name] = chosen.model_copy(update=affine)
    if config.compression_recall_config.enabled:
        _protect_recall(chain)
    return list(chain.items())


def _default_chain(config: ContextEngineConfig) -> dict[str, BaseModel]:
    debug, directory = config.enable_context_debug, config.context_debug_dir
    dumps: dict[str, Any] = {"enable_debug_dump": debug, "debug_dump_dir": directory}
    records: dict[str, Any] = {"enable_context_debug": debug, "context_debug_dir": directory}
    compression: dict[str, Any] = {
        "enable_compression_dump": debug,
        "compression_dump_dir": directory,
    }
    return {
        "MessageSummaryOffloader": MessageSummaryOffloaderConfig(**dumps),
        "SessionMemoryCompressor": SessionMemoryCompressorConfig(
            memory=SessionMemoryConfig(**dumps), **records
        ),
        "ReasoningToolLoopCompactProcessor": ReasoningToolLoopCompactProcessorConfig(**records),
        "DialogueCompressor": DialogueCompressorConfig(**compression),
        "CurrentRoundCompressor": CurrentRoundCompressorConfig(**compression),
        "RoundLevelCompressor": RoundLevelCompressorConfig(**compression),
    }


def _merged(name: str, current: BaseModel | None, settings: Settings) -> BaseModel:
    if isinstance(settings, BaseModel):
        return settings
    try:
        model = processor_class(name).config_model
    except ContextError as error:
        raise ValueError(str(error)) from error
    return model.model_validate({**dict(current or {}), **settings})


def _protect_recall(chain: dict[str, BaseModel]) -> None:
    if not ARCHIVING & chain.keys():
        _LOG.warning("compression recall is on, but no processor of the chain archives anything")
        return
    for name, settings in chain.items():
        if isinstance(settings, MessageSummaryOffloaderConfig):
            protected = [*settings.protected_tool_names]
            if RECALL_TOOL.name not in protected:
                protected.append(RECALL_TOOL.name)
            chain[name] = settings.model_copy(update={"protected_tool_names": protected})
