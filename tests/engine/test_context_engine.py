"""The engine's pool: contexts by session and id, saved, loaded, bound to other models."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.errors import ContextError
from engine.messages import AssistantMessage, Message, UsageMetadata, UserMessage
from engine.processors import registry
from engine.processors.base import ContextEvent, ContextProcessor, ProcessorConfig
from engine.session import Session
from engine.tokens.counters import StringLengthCounter
from engine.tokens.tiktoken import TiktokenCounter
from engine.tokens.usage import valid_usage
from engine.window import ContextWindow
from engine.workspace import Workspace
from tests.conversations import conversation
from tests.scripted import Script

ROUND = ("RoundLevelCompressor", {"keep_recent_messages": 1})


def engine(**settings: Any) -> ContextEngine:
    return ContextEngine(ContextEngineConfig(**settings), summarizer=Script())


def texts(context: ModelContext) -> list[str]:
    return [message.text for message in context.get_messages()]


class Committed(Session):
    """A session that counts how often it was told to last."""

    commits = 0

    async def commit(self) -> None:
        self.commits += 1


def test_a_context_is_found_by_session_and_id() -> None:
    async def story() -> None:
        pool = engine()
        one = await pool.create_context("a.b", Session("s"))
        assert one.context_id == "a_b"
        assert pool.get_context("a.b", "s") is one
        assert await pool.create_context("a_b", Session("s")) is one
        assert await pool.create_context("a_b", Session("t")) is not one
        default = await pool.create_context()
        assert pool.get_context() is default
        assert pool.get_context("nobody", "s") is None

    asyncio.run(story())


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ({"session_id": "s"}, ["t c1"]),
        ({"session_id": "s", "context_id": "c.1"}, ["s c2", "t c1"]),
        ({}, []),
        ({"context_id": "c1"}, []),
        ({"session_id": "nobody"}, ["s c_1", "s c2", "t c1"]),
    ],
)
def test_contexts_are_forgotten(arguments: dict[str, str], left: list[str]) -> None:
    async def story() -> list[str]:
        pool = engine()
        for session, name in (("s", "c_1"), ("s", "c2"), ("t", "c1")):
            await pool.create_context(name, Session(session))
        await pool.clear_context(**arguments)
        named = [("s", "c_1"), ("s", "c2"), ("t", "c1")]
        return [f"{s} {c}" for s, c in named if pool.get_context(c, s) is not None]

    assert asyncio.run(story()) == left


def test_an_open_context_goes_back_to_what_was_saved() -> None:
    async def story() -> None:
        pool, session = engine(), Session("s")
        c1 = await pool.create_context("c1", session)
        c2 = await pool.create_context("c2", session)
        await c1.add_messages(UserMessage(content="one"))
        await c2.add_messages(UserMessage(content="two"))
        saved = await pool.save_contexts(session, ["c1"])
        assert list(saved) == ["c1"]
        await c1.add_messages(UserMessage(content="unsaved"))
        assert await pool.create_context("c1", session) is c1
        assert texts(c1) == ["one"]
        assert texts(await pool.create_context("c2", session)) == []
        assert c1.get_messages(with_history=False) == [], "all that is loaded is history"

    asyncio.run(story())


def test_without_saved_contexts_an_open_one_stays_as_it_is() -> None:
    async def story() -> None:
        pool = engine()
        context = await pool.create_context("c", Session("s"))
        await context.add_messages(UserMessage(content="one"))
        again = await pool.create_context("c", session := Session("s", {"other": 1}))
        assert again.session is session
        assert texts(again) == ["one"]

    asyncio.run(story())


def test_a_new_engine_takes_over_what_a_session_saved() -> None:
    async def story() -> None:
        session = Session("s")
        context = await engine().create_context("c", session)
        await context.add_messages(conversation("u a{x} t{x} a"))
        context.offload_messages("h", conversation("t{x}:900"))
        context.last_context_window_access_at = 5.0
        await engine().save_contexts(session)
        assert session.state["context"] == {}, "an engine saves its own contexts only"
        pool = engine()
        pool._contexts[("s", "c")] = context
        await pool.save_contexts(session)
        stored = session.state["context"]["c"]
        session.state["context"]["c"] = {
            "messages": [message.to_chat() for message in stored["messages"]],
            "offload_messages": {"h": [m.to_chat() for m in stored["offload_messages"]["h"]]},
            "last_context_window_access_at": 5.0,
        }
        other = await engine(max_context_message_num=3).create_context("c", session)
        assert texts(other) == texts(context)[1:]
        assert [m.message_id for m in other.get_messages()] == [
            m.message_id for m in context.get_messages()[1:]
        ]
        assert [m.text for m in other.offloaded["h"]] == ["x" * 900]
        assert other.last_context_window_access_at == 5.0

    asyncio.run(story())


def test_a_history_wins_over_what_was_saved() -> None:
    async def story() -> None:
        session = Session("s", {"context": {"c": {"messages": conversation("u a")}}})
        context = await engine().create_context("c", session, history=conversation("u:5"))
        assert texts(context) == ["xxxxx"]
        context = await engine().create_context("d", session, history=conversation("u:6"))
        assert texts(context) == ["xxxxxx"]

    asyncio.run(story())


@pytest.mark.parametrize("given", [True, False])
def test_a_context_is_compressed_by_its_id_and_saved(given: bool) -> None:
    async def story() -> None:
        pool, session = engine(context_window_tokens=1000), Committed("s")
        context = await pool.create_context("c", session, processors=[ROUND])
        await context.add_messages(conversation("u:900 a:900 u a"))
        owner = session if given else None
        done = await pool.compress_context("c", owner, session_id="s")
        assert done.result == "compressed"
        assert session.commits == 1
        assert session.state["context"]["c"]["messages"] == context.get_messages()
        assert (await pool.compress_context("c", session)).result == "noop"
        assert session.commits == 1
        with pytest.raises(ContextError, match="'d' in session 's'"):
            await pool.compress_context("d", session_id="s")

    asyncio.run(story())


@pytest.mark.parametrize(
    ("text", "streamed", "recovered"),
    [
        ("maximum context length exceeded", False, True),
        ("maximum context length exceeded", True, False),
        ("rate limit", False, False),
    ],
)
def test_an_agent_s_call_is_worth_a_second_try(text: str, streamed: bool, recovered: bool) -> None:
    async def story() -> bool:
        pool, session = engine(context_window_tokens=1000), Session("s")
        context = await pool.create_context("c", session, processors=[ROUND])
        await context.add_messages(conversation("u:900 a:900 u a"))
        return await pool.recover_from_model_exception(
            Exception(text), "c", session, streamed=streamed
        )

    assert asyncio.run(story()) is recovered


def test_another_model_has_another_capacity_and_counts_anew() -> None:
    async def story() -> None:
        pool, session = engine(model_name="gpt-4o", max_context_message_num=5), Session("s")
        context = await pool.create_context("c", session)
        usage = UsageMetadata(input_tokens=5, total_tokens=6)
        await context.add_messages(AssistantMessage(content="a", usage_metadata=usage))
        assert valid_usage(context.get_messages()[-1]) is not None
        assert context.capacity.tokens == 128_000
        assert pool.update_model_context("gpt-4.1", model_provider="openai") == 1
        assert context.capacity.tokens == 1_047_576
        assert context.config.max_context_message_num == 5
        assert valid_usage(context.get_messages()[-1]) is None
        assert pool.update_model_context("gpt-4.1", model_provider="openai") == 0
        assert pool.update_model_context("mine", 777) == 1
        assert context.capacity.tokens == 777
        assert pool.update_model_context("mine", 0) == 1
        assert context.capacity.tokens == 200_000

    asyncio.run(story())


def test_a_capacity_of_the_whole_engine_stays_in_force() -> None:
    async def story() -> int:
        pool = engine(context_window_tokens=1000)
        context = await pool.create_context("c")
        pool.update_model_context("gpt-4.1", 5000)
        return context.capacity.tokens

    assert asyncio.run(story()) == 1000


def test_only_the_chosen_contexts_are_bound_anew() -> None:
    async def story() -> None:
        pool = engine()
        contexts = [
            await pool.create_context(name, Session(session))
            for session, name in (("s", "a.b"), ("s", "c"), ("t", "a_b"))
        ]
        other = ContextEngineConfig(context_window_tokens=99, max_context_message_num=3)
        assert pool.rebind_context_model(other, session_id="s", context_id="a.b") == 1
        assert [c.capacity.tokens for c in contexts] == [99, 200_000, 200_000]
        assert pool.rebind_context_model(other, summarizer=Script()) == 3
        with pytest.raises(TypeError, match="dict"):
            pool.rebind_context_model({})  # type: ignore[arg-type]

    asyncio.run(story())


def test_a_chosen_counter_outlives_a_change_of_model() -> None:
    async def story() -> None:
        pool = engine(enable_tiktoken_counter=True)
        default = await pool.create_context("a")
        chosen = await pool.create_context("b", counter=TiktokenCounter("o200k_base"))
        assert isinstance(default.counter, TiktokenCounter)
        pool.update_model_context("gpt-4.1")
        assert isinstance(default.counter, StringLengthCounter), "a named model needs its own"
        assert chosen.counter.name == "tiktoken_o200k"

    asyncio.run(story())


def test_mutators_have_the_last_word_on_a_window(caplog: pytest.LogCaptureFixture) -> None:
    async def without_first(window: ContextWindow) -> ContextWindow:
        window.context_messages = window.context_messages[1:]
        return window

    async def failing(window: ContextWindow) -> ContextWindow:
        window.context_messages.clear()
        raise LookupError("no")

    async def story() -> None:
        pool = engine()
        context = await pool.create_context()
        await context.add_messages(conversation("u a{x} t{x} a"))
        pool.register_window_mutator(without_first)
        pool.register_window_mutator(failing)
        window = await context.get_context_window()
        assert [m.role for m in window.context_messages] == ["assistant", "tool", "assistant"]
        assert window.statistic.total_messages == 3
        window = await context.get_context_window(window_mutators=[without_first])
        assert [m.role for m in window.context_messages] == ["assistant"], "no result leads"
        assert len(context) == 4, "the buffer stays as it is"
        change = context.detect_context_window_change(window)
        assert change is None
        pool.clear_window_mutators()
        window = await context.get_context_window()
        assert len(window.context_messages) == 4
        change = context.detect_context_window_change(window)
        assert change is not None
        assert change.msg_start == 0

    with caplog.at_level(logging.ERROR):
        asyncio.run(story())
    assert "a window mutator failed" in caplog.text


# The articles' examples, in our words


def test_a_message_is_added_and_read_back() -> None:
    async def story() -> tuple[int, Any]:
        context = await ContextEngine(ContextEngineConfig()).create_context(history=[])
        added = await context.add_messages(UserMessage(content="你好"))
        return len(added), context.get_messages()[0].content

    assert asyncio.run(story()) == (1, "你好")


class CountingConfig(ProcessorConfig):
    threshold: int = Field(default=5, gt=0)


def test_an_agent_registers_a_processor_of_its_own(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_PROCESSORS", dict(registry._PROCESSORS))
    seen: list[int] = []

    @ContextEngine.register_processor()
    class Counting(ContextProcessor[CountingConfig]):
        def __init__(self, config: CountingConfig) -> None:
            super().__init__(config)

        async def trigger_add_messages(self, context: Any, messages: list[Message]) -> bool:
            return len(messages) >= self.config.threshold

        async def on_add_messages(
            self, context: Any, messages: list[Message]
        ) -> tuple[ContextEvent | None, list[Message]]:
            seen.append(len(messages))
            return None, messages

    async def story() -> None:
        pool = ContextEngine()
        context = await pool.create_context(processors=[("Counting", CountingConfig(threshold=2))])
        await context.add_messages(conversation("u"))
        await context.add_messages(conversation("u a u"))

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert seen == [3]
    assert not caplog.records


def test_without_a_workspace_nothing_is_written(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)

    async def story() -> ModelContext:
        pool = engine(context_window_tokens=1000, compression_recall_config={"enabled": True})
        chain = [
            ("MessageSummaryOffloader", {"enable_debug_dump": True}),
            ("SessionMemoryCompressor", {"enabled": True, "enable_context_debug": True}),
            ("RoundLevelCompressor", {"enable_compression_dump": True}),
        ]
        context = await pool.create_context("c", Session("s"), processors=chain)
        await context.add_messages(conversation("u:900 a{x} t{x}:9000 a:900 u a"))
        await context.get_context_window()
        return context

    context = asyncio.run(story())
    assert any("memory_block_round" in text for text in texts(context))
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_holds_everything_that_is_written(tmp_path: Path) -> None:
    async def story() -> None:
        pool = ContextEngine(
            ContextEngineConfig(
                context_window_tokens=1000,
                compression_recall_config=CompressionRecallConfig(enabled=True),
            ),
            workspace=Workspace.at(tmp_path),
            summarizer=Script(),
        )
        chain = [("RoundLevelCompressor", {"enable_compression_dump": True})]
        context = await pool.create_context("c", Session("s"), processors=chain)
        await context.add_messages(conversation("u:900 a:900 a:900 u a"))
        await context.get_context_window()

    asyncio.run(story())
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {"RoundLevelCompressor.jsonl", "manifest.json", "turns.jsonl"} <= names
    assert not [name for name in names if name.endswith(".tmp")]
