"""Records the sample workspace: two days of an agent, played through the engine.

    python resources/sample/record.py [OUTPUT_DIR]

`agent.toml` holds the agent. Each session has a folder: `session.toml` with its settings,
`conversation/` with what was said (a chapter a request), `replies.toml` with what the models of
summaries and notes answered, faults included. As a live agent does, the player asks for a window
before each assistant message. Time is the story's and ids are seeded, so every run writes the same
bytes.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

from pydantic import BaseModel

from engine.clock import VirtualClock
from engine.config import ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.debug.directories import DebugFile
from engine.debug.records import Outcome, ThresholdCheck
from engine.debug.sinks import FileSink, Line
from engine.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolInfo,
    ToolMessage,
    read_messages,
)
from engine.processors.compressors.session_memory import SessionMemoryCompressorConfig
from engine.processors.offloaders.protection import calls_by_id
from engine.processors.preset import preset_chain
from engine.recall.tool import RECALL_TOOL, recall_compressed_context
from engine.session import Session
from engine.session_memory.updater import SessionMemoryUpdater
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.summarizers.extractive import ExtractiveSummarizer
from engine.summarizers.recorded import RecordedSummarizer, Reply
from engine.workspace import Workspace

HERE = Path(__file__).parent
WORKSPACE = HERE / "workspace"
SESSIONS = ("0319", "0320")
"""Folders of the sessions, in order."""

SECONDS_PER_MESSAGE = 5.0
CHARACTERS_PER_SECOND = 60.0
"""How fast the story goes: what a message takes to come, besides its length."""
SECONDS_PER_SUMMARY = 6.0


@dataclass
class Recording:
    """What happened in a session, give-up reasons included, which not all files state."""

    windows: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    declines: list[ThresholdCheck] = field(default_factory=list)

    def counts(self) -> Counter[tuple[str, str]]:
        """Return how often each processor came to each end."""
        ends = [(r.processor, r.reason) for r in self.declines]
        ends += [(r.processor, r.reason or r.outcome) for r in self.outcomes]
        return Counter(ends)


class _Sink(FileSink):
    """Writes the files, and notes the ends of all decisions."""

    def __init__(self, recording: Recording, *, additions: bool) -> None:
        super().__init__(additions=additions)
        self.recording = recording

    def line(self, build: Callable[[], Line], file: DebugFile) -> None:
        record = build()
        if isinstance(record, Outcome):
            self.recording.outcomes.append(record)
        elif isinstance(record, ThresholdCheck) and not record.hit:
            self.recording.declines.append(record)
        super().line(lambda: record, file)


@dataclass
class _SummaryModel:
    """Takes its time before it answers."""

    answers: Summarizer
    clock: VirtualClock

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        await self.clock.sleep(SECONDS_PER_SUMMARY)
        return await self.answers.summarize(call)


@dataclass
class _NotesModel:
    """Writes the notes: the answers of a list, one after the other."""

    answers: Iterator[Reply]
    clock: VirtualClock

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        await self.clock.sleep(SECONDS_PER_SUMMARY)
        reply = next(self.answers, None)
        if reply is None:
            raise SystemExit(f"an update of the notes has no answer; it is about\n{messages[-2]}")
        answer = await reply.play(self.clock, SECONDS_PER_SUMMARY)
        return AssistantMessage(content=answer.content or "")


class _Script:
    """What was written down of a session."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.agent = _read("agent.toml")
        self.session = _read(f"{folder}/session.toml")
        self.session_id: str = self.session["session_id"]
        self.config = ContextEngineConfig.model_validate(self.session["engine"])
        self.system = [SystemMessage(content=self.agent["system"])]
        self.tools = [ToolInfo.model_validate(tool) for tool in self.agent["tools"]]
        if self.config.compression_recall_config.enabled:
            self.tools.append(RECALL_TOOL)
        self.chapters = list(chapters(folder))
        replies = _read(f"{folder}/replies.toml")
        self.summaries = _replies(replies["replies"])
        self.notes = _replies(replies.get("notes", ()))


def main() -> None:
    """Record into the folder named on the command line, or anew into the one that ships."""
    recordings = record(Path(sys.argv[1]) if len(sys.argv) > 1 else WORKSPACE)
    for session, recording in recordings.items():
        lines = [f"{session}: {recording.windows} windows"]
        lines += [f"{n:4} {name} {end}" for (name, end), n in sorted(recording.counts().items())]
        sys.stdout.write("\n".join(lines) + "\n")


def record(output: Path) -> dict[str, Recording]:
    """Record the sessions and put them in place of an earlier recording.

    Args:
        output: the workspace to make. It may exist if it holds an earlier recording or nothing.

    Returns:
        What happened, by the folder of each session.

    Raises:
        SystemExit: the folder holds something else, or the scripted replies do not fit a session.
    """
    with tempfile.TemporaryDirectory(dir=_parent(output)) as scratch:
        fresh = Path(scratch) / "workspace"
        recordings = {name: asyncio.run(_play(_Script(name), fresh)) for name in SESSIONS}
        if output.exists():
            strange = {p.name for p in output.iterdir()} - {p.name for p in fresh.iterdir()}
            if strange:
                raise SystemExit(f"{output} is no earlier recording: it holds {min(strange)}")
            output.rename(Path(scratch) / "earlier")
        fresh.rename(output)
    return recordings


def chapters(session: str) -> Iterator[tuple[datetime, list[Message]]]:
    """Yield when each request of a session came, and what was said from there on."""
    for path in sorted((HERE / session / "conversation").glob("*.toml")):
        chapter = _read(f"{session}/conversation/{path.name}")
        yield chapter["starts"], read_messages(chapter["messages"])


async def _play(script: _Script, folder: Path) -> Recording:
    recording = Recording()
    clock = VirtualClock(script.chapters[0][0].timestamp())
    chain = preset_chain(
        script.config,
        [(processor["name"], processor["settings"]) for processor in script.session["processors"]],
        preset=script.session["preset"],
    )
    summaries = RecordedSummarizer(script.summaries, ExtractiveSummarizer(), clock)
    engine = ContextEngine(
        script.config,
        workspace=_workspace(script, folder),
        summarizer=_SummaryModel(summaries, clock),
        clock=clock,
        sink=_Sink(recording, additions=script.session["additions"]),
        environment={},
    )
    updater = _updater(script, chain, clock)
    with _seeded_ids(script.session_id):
        context = await engine.create_context(session=Session(script.session_id), processors=chain)
        for starts, messages in script.chapters:
            await clock.sleep(max(starts.timestamp() - clock.now(), 0))
            for message in messages:
                if isinstance(message, AssistantMessage):
                    recording.windows += 1
                    window = await context.get_context_window(script.system, script.tools)
                    number = recording.windows
                    context.record_request(window, request_id=f"request-{number}", sequence=number)
                said = await _said(context, message)
                await clock.sleep(SECONDS_PER_MESSAGE + len(said.text) / CHARACTERS_PER_SECOND)
                await context.add_messages(said)
                if updater and isinstance(message, AssistantMessage):
                    update = updater.schedule(context, script.system, script.tools)
                    await (update or clock.sleep(0))
    asked = sum(outcome.model_calls for outcome in recording.outcomes)
    if asked != len(script.summaries):
        raise SystemExit(
            f"{script.folder}: the summary model was asked {asked} times, but replies.toml holds "
            f"{len(script.summaries)} replies: edit it, or the conversation"
        )
    return recording


@contextmanager
def _seeded_ids(seed: str) -> Iterator[None]:
    """Draw the ids of messages and of stored originals from a seed."""
    ids = random.Random(seed)

    def drawn() -> UUID:
        return UUID(int=ids.getrandbits(128), version=4)

    with (
        patch("engine.conversation.conversation.token_hex", lambda _: drawn().hex),
        patch("engine.processors.offloaders.originals.uuid4", drawn),
    ):
        yield


async def _said(context: ModelContext, message: Message) -> Message:
    """Return a message; a search of the archives is answered by the engine."""
    if not isinstance(message, ToolMessage):
        return message
    call_id = message.tool_call_id
    call = calls_by_id(context.get_messages(), [call_id]).get(call_id)
    if call is None or call.name != RECALL_TOOL.name:
        return message
    found = await recall_compressed_context(context, **json.loads(call.arguments))
    return message.revised(content=found.data["content"])


def _updater(
    script: _Script, chain: Sequence[tuple[str, BaseModel]], clock: VirtualClock
) -> SessionMemoryUpdater | None:
    """Return who keeps the notes, if the session has any."""
    for _, settings in chain:
        if isinstance(settings, SessionMemoryCompressorConfig):
            return SessionMemoryUpdater(_NotesModel(iter(script.notes), clock), settings.memory)
    return None


def _workspace(script: _Script, folder: Path) -> Workspace:
    """Return the agent's workspace with the files that were there before the session."""
    workspace = Workspace(script.agent["workspace"], folder)
    for relative, text in script.session["workspace_files"].items():
        path = workspace.physical(workspace.declared(relative))
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return workspace


def _replies(entries: Sequence[dict[str, Any]]) -> list[Reply]:
    """Return the answers and faults in the order in which they are given."""
    return [Reply.model_validate(e) for e in entries for _ in range(e.get("times", 1))]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _parent(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.parent


if __name__ == "__main__":
    main()
