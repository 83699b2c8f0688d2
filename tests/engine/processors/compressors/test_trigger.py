"""When a compressor fires (`engine.md` §5.3, Ex 6, Ex 7)."""

from typing import Any

import pytest

from engine.debug.records import SpanBuilt, ThresholdCheck
from engine.errors import ContextError
from engine.messages import AssistantMessage, Message, SystemMessage, ToolInfo, UsageMetadata
from tests.conversations import calling, conversation
from tests.scripted import Bench, Script, bench


def checked(name: str, messages: list[Message], **options: Any) -> Bench:
    made = bench((name, options.pop("settings", {})), messages=messages, model=Script(), **options)
    made.window()
    return made


def check(made: Bench) -> ThresholdCheck:
    record = made.records[0]
    assert isinstance(record, ThresholdCheck)
    return record


@pytest.mark.parametrize(
    ("name", "notation", "reason", "total", "target", "least"),
    [
        ("CurrentRoundCompressor", "u:2369", "below_threshold", 799, None, None),
        ("CurrentRoundCompressor", "u:2370", "no_compressible_span", 800, None, None),
        ("CurrentRoundCompressor", "u:2400 a:240", "target_below_min", 898, 91, 100),
        ("CurrentRoundCompressor", "u:1700 a:1000", "reached_threshold", 918, 345, None),
        ("DialogueCompressor", "u:240 a:240 u:2400", "reached_threshold", 985, 178, None),
        ("DialogueCompressor", "u:60 a:60 u:2400", "target_below_min", 865, 58, 100),
        ("DialogueCompressor", "u:2400 a:2400", "no_compressible_span", 1618, None, None),
        ("RoundLevelCompressor", "u a a a:2400", "no_compressible_span", 836, None, None),
        ("RoundLevelCompressor", "u:9 a a a a:2400", "target_below_min", 848, 13, 100),
        ("RoundLevelCompressor", "u:900 a a a a:2400", "reached_threshold", 1145, 310, None),
    ],
)
def test_reasons_in_the_order_of_the_tests(
    name: str, notation: str, reason: str, total: int, target: int | None, least: int | None
) -> None:
    record = check(checked(name, conversation(notation)))
    assert (record.reason, record.total_tokens) == (reason, total)
    assert (record.target_tokens, record.min_target_tokens) == (target, least)
    assert record.hit == (reason == "reached_threshold")
    assert (record.threshold, record.context_max) == (800, 1000)


@pytest.mark.parametrize(("length", "hit"), [(93, True), (89, False)])
def test_usage_is_where_the_total_starts(length: int, hit: bool) -> None:
    usage = UsageMetadata(input_tokens=700, output_tokens=70, total_tokens=770)
    asking = calling("a").revised(usage_metadata=usage)
    messages: list[Message] = [*conversation("u"), asking, *conversation(f"t{{a}}:{length}")]
    made = checked("CurrentRoundCompressor", messages, settings={"min_target_context_ratio": 0})
    assert check(made).total_tokens == 770 + length // 3
    assert check(made).hit == hit
    made.context.set_messages(made.context.get_messages())
    made.window()
    assert made.records[-1].model_dump()["total_tokens"] < 150


def test_system_messages_and_tools_count_as_lists_of_their_own() -> None:
    made = bench(("RoundLevelCompressor", {}), messages=conversation("u"), model=Script())
    made.system, made.tools = [SystemMessage(content="s" * 37)], [ToolInfo(name="a")]
    made.window()
    assert check(made).total_tokens == (3 + 20 + 7) + 28


def test_a_later_compressor_sees_the_window_of_the_one_before() -> None:
    made = bench(
        ("DialogueCompressor", {}),
        ("CurrentRoundCompressor", {}),
        ("RoundLevelCompressor", {}),
        messages=conversation("u a:1800 u:6 a:1500"),
        model=Script(),
        capacity=1000,
    )
    made.window()
    assert made.story == [
        "threshold_check reached_threshold",
        "span_built",
        "threshold_check below_threshold",
        "threshold_check below_threshold",
    ]


def test_a_span_shows_content_without_parts_as_empty() -> None:
    messages = [*conversation("u a:3000"), AssistantMessage(content=[])]
    made = bench(("CurrentRoundCompressor", {}), messages=messages, model=Script(), capacity=1000)
    made.window()
    span = next(record for record in made.records if isinstance(record, SpanBuilt))
    assert [m.tokens for m in span.messages_to_compress] == [1000, 1]
    assert [len(m.preview) for m in span.messages_to_compress] == [200, 0]


@pytest.mark.parametrize(("settings", "model"), [({"model": None}, Script()), ({}, None)])
def test_without_a_model_nothing_is_recorded(
    settings: dict[str, Any], model: Script | None
) -> None:
    made = bench(
        ("CurrentRoundCompressor", settings), messages=conversation("u a:3000"), model=model
    )
    window = made.window()
    assert made.records == []
    assert made.states == []
    assert [len(message.text) for message in window.context_messages] == [1, 3000]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("Nobody", {}, "cannot find processor type 'Nobody'"),
        ("DialogueCompressor", {"trigger_context_ratio": 1}, "init processor type"),
        ("DialogueCompressor", {"trigger_context_ratio": 0}, "trigger_context_ratio"),
        ("DialogueCompressor", {"min_target_context_ratio": 1.0}, "min_target_context_ratio"),
        ("RoundLevelCompressor", {"keep_recent_messages": -1}, "keep_recent_messages"),
        (
            "DialogueCompressor",
            {"recall_chunk_size_tokens": 1, "enable_recall": True},
            "enable_recall, recall_chunk_size_tokens: .*compression_recall_config",
        ),
    ],
)
def test_settings_that_cannot_be(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ContextError, match=message) as caught:
        bench((name, settings))
    assert caught.value.code == 153001


def test_unknown_settings_are_ignored_and_defaults_are_the_original_s() -> None:
    made = bench(("RoundLevelCompressor", {"nonsense": 1}), ("CurrentRoundCompressor", {}))
    round_level, current = (processor.config for processor in made.context.processors)
    assert (round_level.keep_recent_messages, current.keep_recent_messages) == (4, 0)
    assert (current.trigger_context_ratio, current.min_target_context_ratio) == (0.8, 0.1)


def test_a_usage_of_a_truncated_window_still_counts() -> None:
    usage = UsageMetadata(input_tokens=850, total_tokens=850)
    messages: list[Message] = [
        *conversation("u:3000"),
        AssistantMessage(content="a", usage_metadata=usage),
        *conversation("u"),
    ]
    made = checked("RoundLevelCompressor", messages, default_window_message_num=2)
    assert check(made).total_tokens == 850
