"""The tool by which an agent's model asks for what a compression replaced."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from engine.conversation import Conversation
from engine.messages import ToolInfo
from engine.recall.archive import CompressionRecallError
from engine.recall.result import RecallResult
from engine.recall.retrieval import recall

RECALL_TOOL = ToolInfo(
    name="recall_compressed_context",
    description=(
        "Find passages of this conversation that were replaced by a summary. A summary whose "
        "messages can be searched ends in a marker [[COMPRESSION_RECALL: id=...]]."
    ),
    parameters={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words that the passage is likely to contain: names, paths, errors.",
            },
            "memory_id": {
                "type": "string",
                "description": "The id of one marker; without it, everything is searched.",
            },
        },
        "required": ["query"],
    },
)


@dataclass(frozen=True)
class ToolOutput:
    """What a tool hands back to the agent."""

    success: bool
    data: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


async def recall_compressed_context(
    context: Conversation, query: str, memory_id: str | None = None
) -> ToolOutput:
    """Answer a call of the tool: the result's keys, and `content` for the model to read.

    Where nothing matches, `content` and `hint` say what could be asked instead.
    """
    try:
        result = await asyncio.to_thread(
            recall, context.workspace, context.session.session_id, query, memory_id or None
        )
    except CompressionRecallError as error:
        return ToolOutput(False, error=str(error))
    data = result.model_dump(exclude_none=True)
    if result.chunks:
        return ToolOutput(True, {**data, "content": _passages(result)})
    hint = _hint(result)
    return ToolOutput(True, {**data, "content": hint, "hint": hint})


def _passages(result: RecallResult) -> str:
    parts = [
        f"[{chunk.memory_id} {chunk.chunk_id}]\n{chunk.content.strip()}" for chunk in result.chunks
    ]
    if result.truncated:
        parts.append("[More passages match, but not all of them fit into one answer.]")
    return "\n\n".join(parts)


def _hint(result: RecallResult) -> str:
    if result.matched_turns:
        return "The passages that match are too long for one answer; ask for something narrower."
    lines = [
        f"- {archive.memory_id}: {archive.turn_count} turns, written {archive.created_at}"
        for archive in result.archives_in_session
    ]
    return "\n".join(["Nothing matches these words. This session's archives are:", *lines])
