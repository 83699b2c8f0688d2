"""Records the sample workspace: one agent session, played through the engine.

    python resources/sample/record.py [OUTPUT_DIR]

`agent.toml` holds the agent and its settings, `conversation/` what was said (a chapter a request),
`replies.toml` what the summary model answered, faults included. As a live agent does, the player
asks for a window before each assistant message. Time is the story's and ids are seeded, so every
run writes the same bytes.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

from engine.clock import VirtualClock
from engine.config import ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.debug.directories import DebugPlace
from engine.debug.records import DebugRecord, Outcome, ThresholdCheck
from engine.debug.sinks import FileSink
from engine.messages import AssistantMessage, Message, SystemMessage, ToolInfo, read_messages
from engine.session import Session
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.summarizers.extractive import ExtractiveSummarizer
from engine.summarizers.recorded import RecordedSummarizer, Reply
from engine.workspace import Workspace

HERE = Path(__file__).parent
WORKSPACE = HERE / "workspace"

SECONDS_PER_MESSAGE = 5.0
CHARACTERS_PER_SECOND = 60.0
"""How fast the story goes: what a message takes to come, besides its length."""
SECONDS_PER_SUMMARY = 6.0


@dataclass
class Recording:
    """What happened while recording, give-up reasons included, which the files do not state."""

    windows: int = 0
    replies: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    declines: list[ThresholdCheck] = field(default_factory=list)

    def counts(self) -> Counter[tuple[str, str]]:
        """Return how often each processor came to each end."""
        ends = [(r.processor, r.reason) for r in self.declines]
        ends += [(r.processor, r.reason or r.outcome) for r in self.outcomes]
        return Counter(ends)


class _Sink(FileSink):
    """Writes the files that the original would, and notes the ends of all decisions."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(additions=False)
        self.recording = recording

    def write(self, record: DebugRecord, place: DebugPlace, setting: str | None) -> None:
        if isinstance(record, Outcome):
            self.recording.outcomes.append(record)
        elif isinstance(record, ThresholdCheck) and not record.hit:
            self.recording.declines.append(record)
        super().write(record, place, setting)


@dataclass
class _SummaryModel:
    """Takes its time before it answers."""

    answers: Summarizer
    clock: VirtualClock

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        await self.clock.sleep(SECONDS_PER_SUMMARY)
        return await self.answers.summarize(call)


def main() -> None:
    """Record into the folder named on the command line, or anew into the one that ships."""
    recording = record(Path(sys.argv[1]) if len(sys.argv) > 1 else WORKSPACE)
    lines = [f"{recording.windows} windows, {recording.replies} calls of the summary model"]
    lines += [f"{n:4} {name} {end}" for (name, end), n in sorted(recording.counts().items())]
    sys.stdout.write("\n".join(lines) + "\n")


def record(output: Path) -> Recording:
    """Record the session and put it in place of an earlier recording.

    Args:
        output: the workspace to make. It may exist if it holds an earlier recording or nothing.

    Raises:
        SystemExit: the folder holds something else, or the scripted replies do not fit the session.
    """
    with tempfile.TemporaryDirectory(dir=_parent(output)) as scratch:
        fresh = Path(scratch) / "workspace"
        recording = asyncio.run(_play(fresh))
        asked = sum(outcome.model_calls for outcome in recording.outcomes)
        if asked != recording.replies:
            raise SystemExit(
                f"the summary model was asked {asked} times, but replies.toml holds "
                f"{recording.replies} replies: edit it, or the conversation"
            )
        if output.exists():
            strange = {p.name for p in output.iterdir()} - {p.name for p in fresh.iterdir()}
            if strange:
                raise SystemExit(f"{output} is no earlier recording: it holds {min(strange)}")
            output.rename(Path(scratch) / "earlier")
        fresh.rename(output)
    return recording


def chapters() -> Iterator[tuple[datetime, list[Message]]]:
    """Yield when each request came, and what was said from there on."""
    for path in sorted((HERE / "conversation").glob("*.toml")):
        chapter = _read(f"conversation/{path.name}")
        yield chapter["starts"], read_messages(chapter["messages"])


async def _play(folder: Path) -> Recording:
    agent = _read("agent.toml")
    story = list(chapters())
    replies = _replies()
    recording = Recording(replies=len(replies))
    clock = VirtualClock(story[0][0].timestamp())
    ids = random.Random(agent["session_id"])
    system = [SystemMessage(content=agent["system"])]
    tools = [ToolInfo.model_validate(tool) for tool in agent["tools"]]
    with patch("engine.context.uuid4", lambda: UUID(int=ids.getrandbits(128), version=4)):
        context = await _context(
            agent,
            workspace=_workspace(agent, folder),
            summarizer=RecordedSummarizer(replies, ExtractiveSummarizer(), clock),
            clock=clock,
            sink=_Sink(recording),
        )
        for starts, messages in story:
            await clock.sleep(max(starts.timestamp() - clock.now(), 0))
            for message in messages:
                if isinstance(message, AssistantMessage):
                    await context.get_context_window(system, tools)
                    recording.windows += 1
                await clock.sleep(SECONDS_PER_MESSAGE + len(message.text) / CHARACTERS_PER_SECOND)
                await context.add_messages(message)
    return recording


def _workspace(agent: dict[str, Any], folder: Path) -> Workspace:
    """Return the agent's workspace with the files that were there before the session."""
    workspace = Workspace(agent["workspace"], folder)
    for relative, text in agent["workspace_files"].items():
        path = workspace.physical(workspace.declared(relative))
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return workspace


async def _context(
    agent: dict[str, Any],
    *,
    workspace: Workspace,
    summarizer: Summarizer,
    clock: VirtualClock,
    sink: FileSink,
) -> ModelContext:
    engine = ContextEngine(
        ContextEngineConfig.model_validate(agent["engine"]),
        workspace=workspace,
        summarizer=_SummaryModel(summarizer, clock),
        clock=clock,
        sink=sink,
        environment={},
    )
    return await engine.create_context(
        session=Session(agent["session_id"]),
        processors=[
            (processor["name"], {"enable_compression_dump": True, **processor["settings"]})
            for processor in agent["processors"]
        ],
    )


def _replies() -> list[Reply]:
    """Return the answers and faults in the order in which the compressors get them."""
    return [
        Reply.model_validate(entry)
        for entry in _read("replies.toml")["replies"]
        for _ in range(entry.get("times", 1))
    ]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _parent(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.parent


if __name__ == "__main__":
    main()
