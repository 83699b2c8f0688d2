"""Two contexts in one process, many coroutines on each, and cancellation at any moment."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.debug.sinks import MemorySink
from engine.errors.model_calls import ModelCallError
from engine.messages import AssistantMessage, Message, UserMessage
from engine.session import Session
from engine.summarizers.call import SummaryAnswer, SummaryCall
from engine.workspace import Workspace
from tests.conversations import conversation
from tests.scripted import Stuck, cancelled

CHAIN = [
    ("DialogueCompressor", {"trigger_context_ratio": 0.3}),
    ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 1}),
    ("RoundLevelCompressor", {"trigger_context_ratio": 0.7, "keep_recent_messages": 2}),
]


class Hesitant:
    """A model that answers after a while, or fails; it remembers what its summaries stand for."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.targets: dict[str, list[Message]] = {}

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        for _ in range(self._dice.randrange(4)):
            await asyncio.sleep(0)
        if self._dice.random() < 0.3:
            raise ModelCallError("No.", status=self._dice.choice([400, 401, 429, 503]))
        name = f"summary-{len(self.targets)}."
        self.targets[name] = list(call.target)
        return SummaryAnswer(name, "hesitant")

    def covered(self, messages: list[Message]) -> list[str]:
        """Return the texts of messages, those behind summaries included, in order."""
        found: list[str] = []
        for message in messages:
            names = [name for name in self.targets if name in message.text]
            for name in names:
                found += self.covered(self.targets[name])
            if not names:
                found.append(message.text.split(" ")[0])
        return found


class Crowd:
    """Coroutines that do whatever the dice say to one context."""

    def __init__(self, context: ModelContext, dice: random.Random, prefix: str) -> None:
        self.context = context
        self.added: list[str] = []
        """Texts of the messages whose adding has ended, in that order."""
        self._dice = dice
        self._prefix = prefix
        self._count = 0

    async def run(self, tasks: int) -> None:
        started = [asyncio.create_task(self._act()) for _ in range(tasks)]
        for _ in range(tasks // 5):
            for _ in range(self._dice.randrange(12)):
                await asyncio.sleep(0)
            running = [task for task in started if not task.done()]
            if running:
                self._dice.choice(running[:2]).cancel()  # the first ones hold the lock
        for result in await asyncio.gather(*started, return_exceptions=True):
            assert result is None or isinstance(result, asyncio.CancelledError)

    async def _act(self) -> None:
        chance = self._dice.random()
        if chance < 0.6:
            self._count += 1
            name = f"{self._prefix}{self._count}"
            kind = self._dice.choice([UserMessage, AssistantMessage])
            await self.context.add_messages(kind(content=f"{name} " + "x" * 600))
            self.added.append(name)
        elif chance < 0.9:
            await self.context.get_context_window()
        else:
            await self.context.compress_context()


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.booleans())
def test_nothing_is_lost_doubled_or_mixed_up(
    tmp_path_factory: pytest.TempPathFactory, seed: int, recall: bool
) -> None:
    dice = random.Random(seed)
    model = Hesitant(dice)

    async def scene() -> list[Crowd]:
        engine = ContextEngine(
            ContextEngineConfig(
                context_window_tokens=3000,
                compression_recall_config=CompressionRecallConfig(enabled=recall),
            ),
            summarizer=model,
            workspace=Workspace.at(tmp_path_factory.getbasetemp() / f"crowd-{seed}"),
            sink=MemorySink(),
            environment={},
        )
        session = Session("s")
        contexts = [await engine.create_context(i, session, processors=CHAIN) for i in ("a", "b")]
        crowds = [Crowd(context, dice, context.context_id) for context in contexts]
        async with asyncio.timeout(60):
            await asyncio.gather(*(crowd.run(40) for crowd in crowds))
            for context in contexts:
                await context.get_context_window()  # the lock is free
        return crowds

    for crowd in asyncio.run(scene()):
        texts = model.covered(crowd.context.get_messages())
        texts = [text for text in texts if not text.startswith("<")]
        assert len(set(texts)) == len(texts)
        assert all(text.startswith(crowd.context.context_id) for text in texts)
        assert set(crowd.added) <= set(texts)
        assert [text for text in texts if text in crowd.added] == crowd.added


def test_a_context_that_waits_for_its_model_holds_up_no_other() -> None:
    model = Stuck()

    async def scene() -> int:
        engine = ContextEngine(
            ContextEngineConfig(context_window_tokens=1000), summarizer=model, environment={}
        )
        one = await engine.create_context("one", processors=CHAIN)
        other = await engine.create_context("other")
        await one.add_messages(conversation("u a:3000 a:3000 a"))
        waiting = asyncio.create_task(one.get_context_window())
        await model.asked.wait()
        await other.add_messages(UserMessage(content="hello"))
        window = await other.get_context_window()
        await cancelled(waiting)
        await one.add_messages(UserMessage(content="u"))
        return len(window.messages) + len(one)

    assert asyncio.run(scene()) == 1 + 5
