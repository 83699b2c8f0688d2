"""A context's messages, its life under several users at once, and what faults leave behind."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import STATE_HISTORY
from engine.errors import ContextError, ContextMessageError
from engine.errors.model_calls import ModelCallError
from engine.messages import MESSAGE_ID, Message, UserMessage
from engine.processors.base import ContextEvent, ContextProcessor, ProcessorConfig
from engine.processors.registry import Processor
from engine.window import ContextWindow
from tests.conversations import CONVERSATIONS, contents, conversation
from tests.scripted import Bench, Script, Stuck, bench, cancelled

STORY = conversation("u a:2000 a:2000")
COMPRESSOR = ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5})


class Adder(ContextProcessor[ProcessorConfig]):
    """Puts a message of its own behind those that are added."""

    async def trigger_add_messages(self, context: Any, messages: list[Message]) -> bool:
        return bool(messages)

    async def on_add_messages(
        self, context: Any, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        added = UserMessage(content="mine", metadata={MESSAGE_ID: "0" * 32})
        return ContextEvent("Adder", [0]), [*messages, added]


class Canceller(Adder):
    """Lets no message in."""

    async def on_add_messages(
        self, context: Any, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        return ContextEvent("Canceller", []), []


class Failing(ContextProcessor[ProcessorConfig]):
    """Raises wherever it is told to."""

    def __init__(self, *places: str) -> None:
        super().__init__(ProcessorConfig())
        self._places = places

    def _go(self, place: str) -> bool:
        if place in self._places:
            raise LookupError(f"no {place}")
        return True

    async def trigger_add_messages(self, context: Any, messages: list[Message]) -> bool:
        return self._go("trigger")

    async def on_add_messages(
        self, context: Any, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        self._go("act")
        return None, messages

    async def trigger_get_context_window(self, context: Any, window: ContextWindow) -> bool:
        return self._go("trigger")

    async def on_get_context_window(
        self, context: Any, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        self._go("act")
        return None, window


def with_processors(made: Bench, *processors: Processor) -> Bench:
    made.context.processors = (*processors, *made.context.processors)
    return made


def ids(messages: Sequence[Message]) -> list[str | None]:
    return [message.message_id for message in messages]


# Messages


def test_every_message_gets_an_id_once_and_the_caller_s_stays_as_it_was() -> None:
    mine = conversation("u a")
    made = bench(messages=mine, history=conversation("u"))
    first = ids(made.context.get_messages())
    assert len(set(first)) == 3
    assert all(i is not None and len(i) == 32 for i in first)
    assert ids(mine) == [None, None]
    again = made.context.get_messages()
    made.context.set_messages([*again, UserMessage(content="new")])
    assert ids(made.context.get_messages())[:3] == first


def test_an_id_that_a_message_brings_is_kept() -> None:
    made = bench(messages=[UserMessage(content="x", metadata={MESSAGE_ID: "kept", "more": 1})])
    assert made.context.get_messages()[0].metadata == {MESSAGE_ID: "kept", "more": 1}


@given(CONVERSATIONS, st.integers(0, 20))
def test_what_is_added_is_there_in_order(messages: list[Message], cut: int) -> None:
    made = bench(messages=messages[:cut])
    made.add(*messages[cut:])
    assert contents(made.context.get_messages()) == contents(messages)


def test_one_message_may_be_added_without_a_list() -> None:
    made = bench()
    added = asyncio.run(made.context.add_messages(UserMessage(content="x")))
    assert ids(added) == ids(made.context.get_messages())


@pytest.mark.parametrize("wrong", [None, "text", {"role": "user"}, 5, [None], ["text"], [{}]])
def test_what_is_no_message_is_refused_whole(wrong: Any) -> None:
    made = bench()
    with pytest.raises(ContextMessageError) as caught:
        asyncio.run(made.context.add_messages(wrong))
    assert caught.value.code == 153003
    with pytest.raises(ContextMessageError):
        asyncio.run(made.context.add_messages([UserMessage(content="good"), wrong]))
    with pytest.raises(ContextMessageError):
        made.context.set_messages([wrong])
    assert len(made.context) == 0


def test_negative_sizes_are_refused() -> None:
    made = bench(messages=STORY)
    for ask in (made.context.get_messages, made.context.pop_messages):
        with pytest.raises(ContextError) as caught:
            ask(-1)
        assert caught.value.code == 153001
    assert len(made.context) == 3


def test_history_can_be_left_out_and_cleared_apart() -> None:
    made = bench(messages=conversation("a"), history=conversation("u u"))
    assert contents(made.context.get_messages(with_history=False)) == [("assistant", "a")]
    asyncio.run(made.context.clear_messages(with_history=False))
    assert len(made.context) == 2
    asyncio.run(made.context.clear_messages())
    assert len(made.context) == 0


def test_an_empty_context_has_an_empty_window() -> None:
    made = bench(COMPRESSOR, model=Script())
    made.add()
    assert made.window().messages == []
    assert made.states == []


# Processors that act when messages are added


def test_what_a_processor_adds_enters_the_buffer() -> None:
    made = with_processors(bench(), Adder(ProcessorConfig()))
    made.add(*conversation("u"))
    assert contents(made.context.get_messages()) == [("user", "u"), ("user", "mine")]
    assert made.states == ["Adder started", "Adder completed"]
    assert [(s.before.messages, s.after and s.after.messages) for s in made.context.states] == [
        (1, None),
        (1, 2),
    ]


def test_an_empty_list_cancels_the_append() -> None:
    made = with_processors(bench(), Canceller(ProcessorConfig()))
    made.add(*conversation("u"))
    assert len(made.context) == 0


# Faults


@pytest.mark.parametrize(
    ("place", "states"),
    [
        ("trigger", ["Failing failed"]),
        ("act", ["Failing started", "Failing failed"]),
    ],
)
def test_a_processor_that_fails_is_passed_over(place: str, states: list[str]) -> None:
    made = with_processors(bench(COMPRESSOR, model=Script()), Failing(place))
    made.add(*STORY)
    assert made.states == states
    assert made.context.states[-1].error == f"no {place}"
    made.window()
    assert made.states[len(states) :] == [
        *states,
        "CurrentRoundCompressor started",
        "CurrentRoundCompressor completed",
    ]
    assert len(made.context) == 2


@pytest.mark.parametrize(
    "error",
    [
        ModelCallError("no", status=401),
        ModelCallError("no", status=400),
        ModelCallError("maximum context", status=400),
        ModelCallError("slow down", status=429),
        ModelCallError("down", status=503),
        TimeoutError(),
        ConnectionError("gone"),
        ValueError(),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    ],
    ids=lambda error: repr(error)[:30].encode("ascii", "replace").decode(),
)
def test_a_model_that_only_fails_leaves_everything_as_it_was(error: Exception) -> None:
    made = bench(COMPRESSOR, messages=STORY, model=Script(otherwise=error))
    before = made.context.get_messages()
    window = made.window()
    assert [*map(id, window.context_messages)] == [*map(id, before)]
    assert [*map(id, made.context.get_messages())] == [*map(id, before)]
    assert made.states == ["CurrentRoundCompressor started", "CurrentRoundCompressor noop"]


def test_a_listener_that_raises_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    made = bench(COMPRESSOR, messages=STORY, model=Script())
    heard: list[str] = []

    def broken(state: Any) -> None:
        raise RuntimeError("deaf")

    made.context.listeners += [broken, lambda state: heard.append(state.status)]
    with caplog.at_level(logging.CRITICAL):
        made.window()
    assert heard == ["started", "completed"]
    assert len(made.context) == 2


def test_a_cancelled_compression_leaves_the_buffer_and_a_free_lock() -> None:
    made = bench(COMPRESSOR, messages=STORY, model=(model := Stuck()))
    before = made.context.get_messages()

    async def cancel_in_the_middle() -> ContextWindow:
        task = asyncio.create_task(made.context.get_context_window())
        await model.asked.wait()
        await cancelled(task)
        assert task.cancelled()
        made.context.summarizer = Script()
        return await made.context.get_context_window()

    window = asyncio.run(cancel_in_the_middle())
    assert made.states == [
        "CurrentRoundCompressor started",
        "CurrentRoundCompressor failed",
        "CurrentRoundCompressor started",
        "CurrentRoundCompressor completed",
    ]
    failed = made.context.states[1]
    assert failed.error == "cancelled"
    assert failed.after is not None
    assert failed.after.tokens == failed.before.tokens
    assert window.context_messages[0] is before[0]


def test_a_cancelled_wait_for_the_lock_leaves_no_trace() -> None:
    made = bench(COMPRESSOR, messages=STORY, model=(model := Stuck()))

    async def scene() -> None:
        holder = asyncio.create_task(made.context.get_context_window())
        await model.asked.wait()
        waiting = asyncio.create_task(made.context.add_messages(conversation("u")))
        await asyncio.sleep(0)
        await cancelled(waiting)
        await cancelled(holder)

    asyncio.run(scene())
    assert len(made.context) == 3


# Several at once


def test_messages_added_during_a_compression_come_after_it() -> None:
    made = bench(COMPRESSOR, messages=STORY)
    order: list[str] = []

    class Slow(Script):
        async def summarize(self, call: Any) -> Any:
            await asyncio.sleep(0)
            order.append("summary")
            return await super().summarize(call)

    made.context.summarizer = Slow()

    async def scene() -> None:
        async def add(text: str) -> None:
            await made.context.add_messages([UserMessage(content=text)])
            order.append(text)

        await asyncio.gather(made.context.get_context_window(), add("one"), add("two"))

    asyncio.run(scene())
    assert order == ["summary", "one", "two"]
    assert [message.text for message in made.context.get_messages()[2:]] == ["one", "two"]


@given(CONVERSATIONS, st.integers(1, 6))
def test_windows_and_adds_at_once_lose_nothing(messages: list[Message], windows: int) -> None:
    made = bench()

    async def scene() -> list[ContextWindow]:
        adds = [made.context.add_messages([message]) for message in messages]
        asked = [made.context.get_context_window() for _ in range(windows)]
        results = await asyncio.gather(*adds, *asked)
        return results[len(adds) :]  # type: ignore[return-value]

    for window in asyncio.run(scene()):
        assert len(window.context_messages) <= len(messages)
    assert contents(made.context.get_messages()) == contents(messages)


# State events


def test_the_states_of_a_compression() -> None:
    made = bench(COMPRESSOR, messages=STORY, model=Script())
    made.window()
    started, completed = made.context.states
    assert started.operation_id == completed.operation_id
    assert started.after is None
    assert (started.before.messages, started.before.tokens) == (3, 3 + 7 + 675 + 675)
    assert started.before.context_percent == 100  # never more
    assert completed.after is not None
    assert completed.saved is not None
    assert completed.saved.messages == 1
    assert completed.saved.tokens == completed.before.tokens - completed.after.tokens
    assert completed.context_max == 1000
    assert completed.phase == "get_context_window"
    assert completed.statistic is not None
    assert completed.statistic.total_messages == 2
    assert started.summary == "Compressing 3 messages, ~1.4k tokens"
    assert completed.summary.startswith("Compressed 3 -> 2 messages, ~1.4k -> ~")
    assert completed.before.time < completed.after.time


def test_a_context_remembers_its_latest_states() -> None:
    made = bench(COMPRESSOR, messages=STORY, model=Script(otherwise=""))
    for _ in range(STATE_HISTORY):
        made.window()
    assert len(made.context.states) == STATE_HISTORY


# The request log


@pytest.mark.parametrize("wanted", [True, False])
def test_the_window_about_to_be_sent_is_logged_if_the_setting_says_so(wanted: bool) -> None:
    made = bench(messages=conversation("u a{x} t{x}"), enable_context_debug=wanted)
    made.context.record_request(made.window(), request_id="r", sequence=3)
    if not wanted:
        assert made.records == []
        return
    [record] = made.records
    request = record.to_json()
    assert (request["event"], request["processor"]) == ("pre_call", "llm_request")
    assert (request["request_id"], request["sequence"], request["message_count"]) == ("r", 3, 3)
    assert request["context_window_tokens"] == 1000
    assert request["messages"][1]["tool_calls"][0]["function"] == {"name": "t", "arguments": "{}"}
    assert request["statistic"]["total_messages"] == 3
