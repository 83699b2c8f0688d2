"""Compression on demand: who is asked, in which order, and what happens meanwhile."""

import asyncio
from pathlib import Path
from typing import Any

from engine.conversation import Conversation
from engine.messages import Message, UserMessage
from engine.processors.base import ContextEvent, ContextProcessor, ProcessorConfig
from engine.window import ContextWindow
from tests.conversations import conversation
from tests.patience import PATIENCE
from tests.scripted import Bench, Script, Stuck, bench, cancelled

STORY = conversation("u:600 a:600 u:600 a:600")
ROUND = ("RoundLevelCompressor", {"keep_recent_messages": 1, "trigger_context_ratio": 0.99})
DIALOGUE = ("DialogueCompressor", {"trigger_context_ratio": 0.99})
CURRENT = ("CurrentRoundCompressor", {"trigger_context_ratio": 0.99})


class _Logged(ContextProcessor[ProcessorConfig]):
    """Notes that it was asked; `log` is shared by all."""

    log: list[str]
    wants = True

    def __init__(self, log: list[str], *, wants: bool = True) -> None:
        super().__init__(ProcessorConfig())
        self.log = log
        self.wants = wants


class OffloadOnGet(_Logged):
    async def trigger_get_context_window(self, context: Any, window: ContextWindow) -> bool:
        self.log.append("OffloadOnGet asked")
        return self.wants

    async def on_get_context_window(
        self, context: Any, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        self.log.append("OffloadOnGet acts")
        return None, window


class CompactOnAdd(_Logged):
    """Drops the oldest message as messages are added, and cancels the append."""

    async def trigger_add_messages(self, context: Any, messages: list[Message]) -> bool:
        raise AssertionError("nobody asks whether it wants to")

    async def on_add_messages(
        self, context: Conversation, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        self.log.append(f"CompactOnAdd acts on {messages}")
        context.set_messages(context.get_messages()[1:])
        return ContextEvent("CompactOnAdd", [0], "dropped"), []


class CompactBadly(_Logged):
    async def on_get_context_window(
        self, context: Any, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        raise LookupError("no")


class Bystander(_Logged):
    async def on_get_context_window(
        self, context: Any, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        raise AssertionError("neither an offloader nor a compressor")


class Held(Script):
    """Answers when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def summarize(self, call: Any) -> Any:
        self.asked.set()
        await self.go.wait()
        return await super().summarize(call)


def compress(made: Bench, *names: str, **options: Any) -> Any:
    return asyncio.run(made.context.compress_context(names or None, **options))


def test_offloaders_come_first_and_others_are_left_alone() -> None:
    made = bench(messages=STORY)
    log: list[str] = []
    made.context.processors = (
        CompactOnAdd(log),
        Bystander(log),
        OffloadOnGet(log, wants=False),
    )
    done = compress(made)
    assert log == ["OffloadOnGet asked", "CompactOnAdd acts on []"]
    assert (done.result, done.compact_summary) == ("compressed", "dropped")
    assert len(made.context) == 3
    assert made.states == ["CompactOnAdd started", "CompactOnAdd completed"]


def test_compressors_are_forced_but_dialogue_still_asks_its_trigger() -> None:
    made = bench(DIALOGUE, CURRENT, messages=STORY, model=Script())
    done = compress(made)
    assert made.story[0] == "threshold_check below_threshold"
    assert made.story[1:] == ["span_built"], "the current round asks for no ratio and no minimum"
    assert done.result == "compressed"
    assert {state.phase for state in made.context.states} == {"active_compress"}
    assert [outcome.phase for outcome in made.outcomes] == ["active_compress"]


def test_an_offloader_that_works_on_what_is_added_is_forced(tmp_path: Path) -> None:
    limits = {"tokens_threshold": 90_000, "large_message_threshold": 100, "trim_size": 5}
    made = bench(("MessageOffloader", limits), messages=STORY, folder=tmp_path)
    assert compress(made).result == "compressed"
    assert made.states == ["MessageOffloader started", "MessageOffloader completed"]


def test_a_dialogue_that_declines_leaves_no_state() -> None:
    made = bench(DIALOGUE, messages=STORY, model=Script())
    assert compress(made).state is None
    assert made.states == []


def test_the_window_has_neither_system_messages_nor_tools() -> None:
    model = Script()
    made = bench(ROUND, messages=STORY, model=model)
    compress(made)
    [call] = model.calls
    assert [m.role for m in call.messages] == ["user", "assistant", "user", "user"]
    assert call.tools == []


def test_what_is_to_be_kept_stands_at_the_end_of_the_prompt() -> None:
    model = Script()
    made = bench(ROUND, messages=STORY, model=model)
    compress(made, preserve_instruction="  the port 8443 ")
    prompt = model.calls[0].messages[-1].text
    plain = made.context.wording.block("round").prompt
    assert prompt.startswith(plain.rstrip())
    assert prompt == plain.rstrip() + made.context.wording.preserve_instruction("the port 8443")
    asyncio.run(made.context.get_context_window())
    made.context.set_messages(STORY)
    compress(made, preserve_instruction=" ")
    assert model.calls[-1].messages[-1].text == plain, "it holds for one compression only"


def test_the_operation_s_id_goes_with_the_model_call() -> None:
    model = Script()
    made = bench(ROUND, messages=STORY, model=model)
    compress(made)
    assert {state.operation_id for state in made.context.states} == {model.calls[0].operation_id}
    assert model.calls[0].cache_id is None


def test_cache_affinity_gives_each_compressor_its_key() -> None:
    model = Script()
    name, settings = ROUND
    made = bench(
        (name, {**settings, "enable_kv_cache_affinity": True}), messages=STORY, model=model
    )
    compress(made)
    assert model.calls[0].cache_id == "s:RoundLevelCompressor"


def test_the_result_tells_the_last_summary() -> None:
    made = bench(CURRENT, ROUND, messages=STORY, model=Script("ONE", None))
    done = compress(made)
    assert done.result == "compressed"
    assert done.compact_summary is not None
    assert "ONE" in done.compact_summary, "the empty answer of the second one does not count"
    assert done.state is not None
    assert done.state.processor == "CurrentRoundCompressor"


def test_only_the_wanted_processors_act() -> None:
    made = bench(CURRENT, ROUND, messages=STORY, model=Script())
    compress(made, "RoundLevelCompressor")
    assert made.states == ["RoundLevelCompressor started", "RoundLevelCompressor completed"]


def test_nobody_to_ask_is_one_skipped_state() -> None:
    made = bench(CURRENT, messages=STORY)
    done = compress(made, "RoundLevelCompressor")
    [state] = made.context.states
    assert done.result == "noop"
    assert done.state is state
    assert (state.processor, state.status, state.after) == ("", "skipped", None)
    assert state.summary.endswith("no_matching_processor")
    assert state.before.messages == 4


def test_a_busy_context_is_told_at_once() -> None:
    made = bench(ROUND, messages=STORY, model=(model := Stuck()))

    async def story() -> None:
        task = asyncio.create_task(made.context.compress_context())
        await model.asked.wait()
        done = await asyncio.wait_for(made.context.compress_context(), PATIENCE)
        assert done.result == "busy"
        assert made.states[-1] == " skipped"
        await cancelled(task)

    asyncio.run(story())


def test_messages_that_arrive_meanwhile_are_neither_held_up_nor_lost() -> None:
    made = bench(ROUND, messages=STORY, model=(model := Held()))

    async def story() -> None:
        task = asyncio.create_task(made.context.compress_context())
        await model.asked.wait()
        await asyncio.wait_for(made.context.add_messages(UserMessage(content="late")), PATIENCE)
        assert made.context.get_messages()[-1].text == "late"
        model.go.set()
        assert (await task).result == "compressed"
        assert [m.text for m in made.context.get_messages()][-1] == "late"
        assert len(made.context) == 3

    asyncio.run(story())
    made.context.set_messages(made.context.get_messages()[:1])
    assert len(made.context) == 1, "what arrived then is no longer put back"


def test_a_cancelled_compression_leaves_everything_and_frees_the_context() -> None:
    made = bench(ROUND, messages=STORY, model=(model := Stuck()))

    async def story() -> None:
        task = asyncio.create_task(made.context.compress_context())
        await model.asked.wait()
        await made.context.add_messages(UserMessage(content="late"))
        await cancelled(task)
        assert made.states[-1] == "RoundLevelCompressor failed"
        assert [m.text for m in made.context.get_messages()][-1] == "late"
        assert len(made.context) == 5
        assert (await made.context.compress_context(["nobody"])).result == "noop"

    asyncio.run(story())


def test_a_processor_that_fails_does_not_stop_the_next() -> None:
    made = bench(ROUND, messages=STORY, model=Script())
    made.context.processors = (CompactBadly([]), *made.context.processors)
    assert compress(made).result == "compressed"
    assert made.states == [
        "CompactBadly started",
        "CompactBadly failed",
        "RoundLevelCompressor started",
        "RoundLevelCompressor completed",
    ]


def test_the_lock_is_free_after_the_block() -> None:
    made = bench(ROUND, messages=STORY, model=Script())

    async def story() -> str:
        async with made.context.exclusive():
            assert (await made.context.compress_context()).result == "busy"
        return (await made.context.compress_context()).result

    assert asyncio.run(story()) == "compressed"
