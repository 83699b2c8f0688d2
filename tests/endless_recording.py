"""Records into a folder until it is killed: `python -m tests.endless_recording FOLDER`."""

import asyncio
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.context_engine import ContextEngine
from engine.messages import AssistantMessage, Message, SystemMessage, ToolInfo
from engine.processors.preset import preset_chain
from engine.session import Session
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.updater import SessionMemoryUpdater
from engine.workspace import Workspace
from tests import tool_results
from tests.conversations import conversation, reading
from tests.scripted import Script

NOTES_END = "the end of the notes"
SETTINGS = {"trigger_context_ratio": 0.3, "min_target_context_ratio": 0.0}


class Notes:
    """A model that writes long notes."""

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        return AssistantMessage(content="note " * 20_000 + NOTES_END)


async def record(folder: Path) -> None:
    """Go through one session after another, with everything that is ever written."""
    config = ContextEngineConfig(
        context_window_tokens=4000,
        compression_recall_config=CompressionRecallConfig(enabled=True),
        enable_context_debug=True,
    )
    compressors = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
    engine = ContextEngine(
        config, workspace=Workspace.at(folder), summarizer=Script(), environment={}
    )
    chain = preset_chain(config, [(name, SETTINGS) for name in compressors])
    memory = SessionMemoryConfig(
        update_trigger_context_ratio=0.01, update_mode="direct_replace", enable_debug_dump=True
    )
    updater = SessionMemoryUpdater(Notes(), memory)
    for number in count():
        context = await engine.create_context("c", Session(f"s{number % 3}"), processors=chain)
        await context.add_messages([*conversation("u:900 a:900"), *reading("1", "x" * 60_000, "t")])
        await context.add_messages([*reading("2", tool_results.log(400), "t"), *conversation("a")])
        update = updater.schedule(context)
        window = await context.get_context_window([SystemMessage(content="s")])
        context.record_request(window, request_id="r", sequence=number)
        await context.add_messages(conversation("u:2000 a:2000 a:2000 a"))
        await context.get_context_window()
        if update is not None:
            await update
        await context.clear_messages()


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1])))
