"""Recorded answers, in order and by what was asked."""

import asyncio
from typing import Any

import pytest

from engine.clock import VirtualClock
from engine.errors.model_calls import ModelCallError, error_kind
from engine.messages import AssistantMessage, Message, UserMessage
from engine.summarizers.call import SummaryCall, messages_digest
from engine.summarizers.recorded import (
    Cassette,
    CassetteSummarizer,
    RecordedSummarizer,
    Reply,
)
from tests.conversations import conversation
from tests.scripted import START, Script


def replies(*given: dict[str, Any]) -> list[Reply]:
    return [Reply.model_validate(reply) for reply in given]


def call(target: str, processor: str = "DialogueCompressor") -> SummaryCall:
    messages: list[Message] = [UserMessage(content=target)]
    return SummaryCall(processor, "dialogue", messages, messages, [])


def ask(summarizer: RecordedSummarizer | CassetteSummarizer, *calls: SummaryCall) -> list[str]:
    """Return what each call gets: the answer, or the fault's kind in angle brackets."""
    got: list[str] = []
    for asked in calls:
        try:
            answer = asyncio.run(summarizer.summarize(asked))
            got.append(f"{answer.summarizer}: {answer.content}")
        except ModelCallError as error:
            got.append(f"{error.summarizer}: <{error_kind(error)}>")
    return got


def baseline(*given: dict[str, Any]) -> RecordedSummarizer:
    return RecordedSummarizer(replies(*given), Script(otherwise="else"), VirtualClock(START))


def edited(cassette: Cassette) -> CassetteSummarizer:
    return CassetteSummarizer(cassette, Script(otherwise="else"), VirtualClock(START))


def test_a_baseline_plays_replies_in_order_and_then_asks_another() -> None:
    model = baseline({"content": "one"}, {"content": None}, {"drop": True})
    assert ask(model, call("a"), call("a"), call("b"), call("c")) == [
        "recorded: one",
        "recorded: None",
        "recorded: <unknown>",
        "script: else",
    ]


def test_the_same_call_gets_the_same_answer_or_fault() -> None:
    model = baseline({"content": "one"}, {"error": {"status": 429}}, {"content": "two"})
    ask(model, call("a"), call("b"), call("b"))
    other = edited(model.cassette)
    assert ask(other, call("b"), call("b"), call("a"), call("c")) == [
        "recorded: <rate_limit>",
        "recorded: two",
        "recorded: one",
        "script: else",
    ]


def test_a_call_asked_more_often_than_recorded_gets_its_last_answer_again() -> None:
    model = baseline({"content": "one"}, {"content": "two"})
    ask(model, call("a"), call("a"))
    assert ask(edited(model.cassette), *[call("a")] * 4) == [
        "recorded: one",
        "recorded: two",
        "recorded: two",
        "recorded: two",
    ]


def test_the_same_span_of_another_processor_is_another_call() -> None:
    model = baseline({"content": "one"})
    ask(model, call("a"))
    assert ask(edited(model.cassette), call("a", "RoundLevelCompressor")) == ["script: else"]


def test_calls_that_the_baseline_gave_to_another_are_not_on_the_cassette() -> None:
    model = baseline()
    ask(model, call("a"))
    assert model.cassette.answer(call("a"), 0) is None


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"timeout": True}, "timeout"),
        ({"drop": True}, "unknown"),
        ({"error": {}}, "unknown"),
        ({"error": {"status": 500, "message": None}}, "server_unstable"),
        ({"error": {"status": "413"}}, "context_overflow"),
        ({"error": {"status": 400, "message": "x", "code": 429, "param": "413"}}, "rate_limit"),
        ({"error": {"status": 400, "code": "context_length_exceeded"}}, "context_overflow"),
    ],
)
def test_faults(fault: dict[str, Any], kind: str) -> None:
    assert ask(baseline(fault), call("a")) == [f"recorded: <{kind}>"]


def test_a_time_out_passes_on_the_clock_alone() -> None:
    clock = VirtualClock(START)
    model = RecordedSummarizer(replies({"timeout": True}), Script(), clock, timeout=86_400)
    ask(model, call("a"))
    assert clock.now() > START + 86_400


def test_usage_is_read_in_the_provider_s_names() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9, "more": {"x": 1}}
    answer = asyncio.run(baseline({"content": "x", "usage": usage}).summarize(call("a")))
    assert answer.usage is not None
    read = answer.usage
    assert (read.input_tokens, read.output_tokens, read.total_tokens) == (7, 2, 9)


def test_a_digest_tells_contents_apart_and_ignores_the_engine_s_ids() -> None:
    labelled = UserMessage(content="x", metadata={"context_message_id": "1"})
    assert messages_digest([labelled]) == messages_digest([UserMessage(content="x")])
    different = ["u", "a", "t{u}", "s", "a{x}", "a{y}", "u u", "t{x}"]
    digests = {messages_digest(conversation(line)) for line in different}
    assert len(digests) == len(different)
    assert messages_digest([AssistantMessage(content="\ud800")])
    assert messages_digest([UserMessage(content=["a"])]) != messages_digest(conversation("a"))
