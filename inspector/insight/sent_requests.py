"""What went to a model: requests as lists of token counts with the identity of each part.

A request is tools, system messages and context messages in the order in which a provider reads
them. Each part has a digest, so that two requests can be compared from the front without their
texts; that comparison is all that prefix caching depends on.

Counts are the counter's, part by part; with the frame that a counter adds once per list they sum to
what it counts for the whole request. A provider's own usage covers a whole request and cannot be
split, so it is not used here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.messages import Message, ToolInfo
from engine.summarizers.call import messages_digest
from engine.tokens.counters import LIST_FRAME, TokenCounter


class Part(NamedTuple):
    """A message, or all tools together."""

    digest: str
    tokens: int


@dataclass(frozen=True)
class SentRequest:
    """One request to a model."""

    step: int
    """1-based window request; a summary call belongs to the one during which it was made."""
    parts: tuple[Part, ...]
    """In the order in which they are sent: tools, system messages, context."""
    head: int = 0
    """How many of the parts are tools and system messages."""
    frame: int = 0
    """Tokens behind the last part, which open the answer."""
    processor: str | None = None
    """The compressor that asked for a summary; None for a request of the agent."""
    output: int = 0
    """Tokens of the summary that came back; 0 for a request of the agent."""
    model: str | None = None
    """Who answered, where it was another model than the agent's."""

    @property
    def tokens(self) -> int:
        """Input tokens of the whole request."""
        return sum(part.tokens for part in self.parts) + self.frame


class RequestWriter:
    """Writes the requests of one conversation; a message object is measured once.

    This is how a replay hands its windows and summary calls to `inspector.insight.cost`.
    """

    def __init__(self, counter: TokenCounter) -> None:
        """Count with the counter that the engine counted with."""
        self._counter = counter
        self._parts: dict[int, tuple[Message, Part]] = {}
        self._tools: tuple[tuple[ToolInfo, ...], Part] = ((), Part("", 0))

    def window(
        self,
        step: int,
        system: Sequence[Message],
        context: Sequence[Message],
        tools: Sequence[ToolInfo] = (),
    ) -> SentRequest:
        """Return the agent's request of a step.

        Args:
            step: 1-based window request.
            system: system messages that were sent.
            context: context messages after the whole chain.
            tools: tools that were offered.
        """
        return self._request(step, [*system, *context], tools)

    def summary_call(
        self,
        step: int,
        processor: str,
        messages: Sequence[Message],
        tools: Sequence[ToolInfo] = (),
        *,
        answer: str = "",
        output_tokens: int | None = None,
        model: str | None = None,
    ) -> SentRequest:
        """Return a compressor's call that was answered; a call that failed costs nothing.

        Args:
            step: the window request during which it was made.
            processor: name of the compressor.
            messages: system messages, prefix, target and prompt, as they were sent.
            tools: tools that were sent along.
            answer: the whole answer, what is not used of it included.
            output_tokens: output that the provider reported; the answer is counted when None.
            model: who answered, where it was another model than the agent's.
        """
        output = self._counter.count(answer) if output_tokens is None else output_tokens
        return self._request(step, messages, tools, processor, output, model)

    def _request(
        self,
        step: int,
        messages: Sequence[Message],
        tools: Sequence[ToolInfo],
        processor: str | None = None,
        output: int = 0,
        model: str | None = None,
    ) -> SentRequest:
        parts = [self._part(message) for message in messages]
        head = next((i for i, m in enumerate(messages) if m.role != "system"), len(parts))
        if tools:
            parts.insert(0, self._tools_part(tuple(tools)))
        frame = LIST_FRAME if messages else 0
        head += bool(tools)
        return SentRequest(step, tuple(parts), head, frame, processor, output, model)

    def _part(self, message: Message) -> Part:
        known = self._parts.get(id(message))
        if known is None:
            part = Part(messages_digest([message]), self._counter.count_message(message))
            known = self._parts[id(message)] = (message, part)
        return known[1]

    def _tools_part(self, tools: tuple[ToolInfo, ...]) -> Part:
        if self._tools[0] != tools:
            text = json.dumps([tool.model_dump() for tool in tools], sort_keys=True)
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            self._tools = (tools, Part(digest, self._counter.count_tools(tools)))
        return self._tools[1]
