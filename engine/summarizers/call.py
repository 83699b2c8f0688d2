"""The call of a compressor to whoever writes its summary."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from engine.messages import Message, ToolInfo, ToolMessage, UsageMetadata
from engine.wording import BlockKind


@dataclass(frozen=True)
class SummaryCall:
    """What is asked: the messages to send, and which of them the summary will replace."""

    processor: str
    kind: BlockKind
    messages: Sequence[Message]
    """System messages, prefix, target, and the prompt as last user message."""
    target: Sequence[Message]
    """The messages that the summary will stand for."""
    tools: Sequence[ToolInfo]
    operation_id: str | None = None
    """Id of the compression in the context's state events, for the log of who sends the call."""
    cache_id: str | None = None
    """Key for the provider's prompt cache; None where cache affinity is off."""

    @cached_property
    def target_digest(self) -> str:
        """Digest of the target's content; ids given by the engine do not count."""
        return messages_digest(self.target)


@dataclass(frozen=True)
class SummaryAnswer:
    """What came back."""

    content: str | None
    summarizer: str
    """Who answered: `recorded`, `extractive`, …"""
    usage: UsageMetadata | None = None


class Summarizer(Protocol):
    """Writes a summary, or raises what a model client would raise."""

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the answer to a call."""
        ...


_CHANGING = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])|(?<!\d)\d{8}T\d{12}Z|(?<!\d)1[78]\d{11}(?=_)"
)
"""What markers hold that is new in each run: handles, memory ids, epoch milliseconds."""

_LONG_NUMBER = re.compile(r"[0-9a-f]{12}")
"""Stands in each of these; looking for it is quicker by far."""


def messages_digest(messages: Sequence[Message]) -> str:
    """Return 16 hex digits over roles, contents, calls and call ids; the same in each run."""
    digest = hashlib.sha256()
    for message in messages:
        identity = [
            message.role,
            message.content,
            [[call.id, call.name, call.arguments] for call in message.calls],
            message.tool_call_id if isinstance(message, ToolMessage) else None,
        ]
        text = json.dumps(identity, ensure_ascii=True)
        if _LONG_NUMBER.search(text):
            text = _CHANGING.sub("", text)
        digest.update(text.encode("ascii"))
    return digest.hexdigest()[:16]
