"""The default chain, and what an agent may want otherwise."""

import asyncio
import logging
from typing import Any

import pytest
from pydantic import BaseModel

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.context_engine import ContextEngine
from engine.processors.compressors.dialogue import DialogueCompressorConfig
from engine.processors.offloaders.message import MessageOffloaderConfig
from engine.processors.offloaders.message_summary import MessageSummaryOffloaderConfig
from engine.processors.preset import preset_chain

ORDER = [
    "MessageSummaryOffloader",
    "SessionMemoryCompressor",
    "ReasoningToolLoopCompactProcessor",
    "DialogueCompressor",
    "CurrentRoundCompressor",
    "RoundLevelCompressor",
]
PLAIN = ContextEngineConfig()
DEBUG = ContextEngineConfig(enable_context_debug=True, context_debug_dir="/d/{session_id}")
RECALL = ContextEngineConfig(compression_recall_config=CompressionRecallConfig(enabled=True))


def settings(config: ContextEngineConfig = PLAIN, *overrides: Any, **options: Any) -> Any:
    return dict(preset_chain(config, overrides, **options))


def test_the_order_is_the_articles() -> None:
    assert [name for name, _ in preset_chain(PLAIN)] == ORDER


def test_session_memory_is_off_and_debugging_too() -> None:
    chain = settings()
    assert not chain["SessionMemoryCompressor"].enabled
    assert not chain["MessageSummaryOffloader"].enable_debug_dump
    assert not chain["RoundLevelCompressor"].enable_compression_dump


def test_the_engine_s_switch_holds_for_every_processor() -> None:
    chain = settings(DEBUG)
    for name in ORDER[3:]:
        assert chain[name].enable_compression_dump
        assert chain[name].compression_dump_dir == "/d/{session_id}"
    assert chain["MessageSummaryOffloader"].enable_debug_dump
    assert chain["SessionMemoryCompressor"].enable_context_debug
    assert chain["SessionMemoryCompressor"].memory.debug_dump_dir == "/d/{session_id}"


def test_values_are_laid_over_and_an_object_takes_the_place() -> None:
    chain = settings(
        DEBUG,
        ("RoundLevelCompressor", {"keep_recent_messages": 9}),
        (
            "DialogueCompressor",
            DialogueCompressorConfig.model_validate({"trigger_context_ratio": 0.5}),
        ),
    )
    assert chain["RoundLevelCompressor"].keep_recent_messages == 9
    assert chain["RoundLevelCompressor"].enable_compression_dump
    assert chain["DialogueCompressor"].trigger_context_ratio == 0.5
    assert not chain["DialogueCompressor"].enable_compression_dump, "the object says nothing of it"
    assert list(chain) == ORDER


def test_other_processors_stand_at_the_end() -> None:
    added = MessageOffloaderConfig.model_validate({})
    chain = settings(PLAIN, ("ObservationMasking", {"keep_recent": 2}), ("MessageOffloader", added))
    assert list(chain) == [*ORDER, "ObservationMasking", "MessageOffloader"]
    assert chain["ObservationMasking"].keep_recent == 2
    assert chain["MessageOffloader"] is added


def test_without_the_preset_only_what_is_wanted_remains() -> None:
    assert list(settings(PLAIN, ("RoundLevelCompressor", {}), preset=False)) == [
        "RoundLevelCompressor"
    ]


@pytest.mark.parametrize(
    "override",
    [("Nobody", {}), ("RoundLevelCompressor", {"keep_recent_messages": -1})],
)
def test_what_does_not_exist_is_named(override: Any) -> None:
    with pytest.raises(ValueError, match=r"Nobody|keep_recent_messages"):
        settings(PLAIN, override)


def test_cache_affinity_is_the_agent_s_decision() -> None:
    own = ("DialogueCompressor", {"enable_kv_cache_affinity": True})
    assert not settings(PLAIN, own)["DialogueCompressor"].enable_kv_cache_affinity
    chain = settings(enable_kv_cache_affinity=True)
    assert all(chain[name].enable_kv_cache_affinity for name in ORDER[3:])


def test_answers_of_the_recall_tool_are_not_offloaded() -> None:
    own = (
        "MessageSummaryOffloader",
        MessageSummaryOffloaderConfig.model_validate({"protected_tool_names": ["x"]}),
    )
    assert settings(RECALL)["MessageSummaryOffloader"].protected_tool_names == [
        "read_file",
        "recall_compressed_context",
    ]
    assert settings(RECALL, own)["MessageSummaryOffloader"].protected_tool_names == [
        "x",
        "recall_compressed_context",
    ]
    assert own[1].protected_tool_names == ["x"]


def test_recall_without_anything_that_archives_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        settings(RECALL, ("MessageSummaryOffloader", {}), preset=False)
    assert "no processor of the chain archives" in caplog.text


def test_a_context_takes_the_chain() -> None:
    context = asyncio.run(ContextEngine().create_context(processors=preset_chain(PLAIN)))
    assert [processor.processor_type() for processor in context.processors] == ORDER
    assert all(isinstance(processor.config, BaseModel) for processor in context.processors)
