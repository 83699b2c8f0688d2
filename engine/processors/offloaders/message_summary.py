"""`MessageSummaryOffloader`: large tool results are shortened by rules, the originals stored.

It acts twice (`engine.md` §5.8, E): on tool results as they arrive, and, when the agent comes back
after a pause (TTL), on those of the whole buffer that are large by a stricter measure. What happens
to one tool result is in `shortening`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from engine.conversation import Conversation
from engine.debug.directories import DebugSetting
from engine.debug.offload_records import AddTriggered, OffloadCheck, PassName
from engine.debug.records import TestedGate
from engine.messages import Message, ToolMessage
from engine.processors.base import ContextEvent, ContextProcessor, ProcessorConfig
from engine.processors.offloaders.protection import calls_by_id, is_protected
from engine.processors.offloaders.shortening import Limits, Shortening
from engine.processors.registry import register
from engine.tokens.counters import LIST_FRAME
from engine.tokens.usage import usage_with_tail
from engine.window import ContextWindow

CHARS_PER_TOKEN = 3
"""Characters that a share of the capacity allows for each token."""


class MessageSummaryOffloaderConfig(ProcessorConfig):
    """What is large, when the second pass comes, and what stays."""

    add_message_threshold_ratio: float = Field(0.1, gt=0, allow_inf_nan=False)
    """Share of the capacity above which an incoming tool result is large."""
    ttl_seconds: float = Field(300, ge=0)
    """Seconds without a window request after which the buffer is gone through; 0: never."""
    ttl_context_occupancy_ratio: float = Field(0.5, gt=0, allow_inf_nan=False)
    """Share of the capacity that the buffer must hold for that."""
    ttl_message_threshold_ratio: float = Field(0.05, gt=0, allow_inf_nan=False)
    """Share of the capacity above which a tool result is large then."""
    protected_tool_names: list[str] = Field(default=["read_file"])
    """Tools whose results stay; `tool:glob` for calls with an argument like the glob."""
    enable_debug_dump: bool = False
    """Write the offloader's log and a dump of each rule's work."""
    debug_dump_dir: str | None = None
    """Directory of both; may hold `{session_id}` and `{context_id}`."""

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write the log, dumps and records."""
        return DebugSetting(self.enable_debug_dump, self.debug_dump_dir)


@register
class MessageSummaryOffloader(ContextProcessor[MessageSummaryOffloaderConfig]):
    """Shortens large tool results and stores their originals."""

    config_model = MessageSummaryOffloaderConfig
    _ttl_gates: Sequence[TestedGate] = ()
    """What the trigger found of the pause that led to the pass."""

    async def trigger_add_messages(self, context: Conversation, messages: list[Message]) -> bool:
        """Return whether a tool result is large; each one leaves a record."""
        limits = _limits(context, "add", self.config.add_message_threshold_ratio)
        hit = False
        for index, message in enumerate(messages):
            if not isinstance(message, ToolMessage) or not isinstance(message.content, str):
                continue
            tokens = _tokens(context, message)
            large = tokens > limits.tokens
            hit = hit or large
            self._record_check(context, message, index, tokens, limits)
        return hit

    async def on_add_messages(
        self, context: Conversation, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        """Shorten the large tool results among the incoming messages."""
        buffered = context.get_messages()
        limits = _limits(context, "add", self.config.add_message_threshold_ratio)
        shorter = self._shorter(context, messages, [*buffered, *messages], limits)
        if not shorter:
            return None, messages
        event = ContextEvent(self.processor_type(), [len(buffered) + i for i in shorter])
        return event, [shorter.get(i, message) for i, message in enumerate(messages)]

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether the pause was long enough and the buffer is full enough."""
        now, previous = context.clock.now(), context.last_context_window_access_at
        context.last_context_window_access_at = now
        ttl = self.config.ttl_seconds
        if not ttl or previous is None or now - previous < ttl:
            return False
        messages = context.get_messages()
        occupied = usage_with_tail(messages)
        if occupied is None:
            occupied = context.counter.count_messages(messages)
        least = context.capacity.share(self.config.ttl_context_occupancy_ratio)
        full = occupied >= least
        idle = round(now - previous, 3)
        self._ttl_gates = [
            TestedGate.of("idle", True, idle, ttl, "seconds"),
            TestedGate.of("occupancy", full, occupied, least, "tokens"),
        ]
        if not full:
            self.end(context, "declined", "ttl_occupancy_low", gates=self._ttl_gates)
        return full

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Shorten the large tool results of the buffer, and those of the window with them."""
        messages = context.get_messages()
        limits = _limits(context, "ttl", self.config.ttl_message_threshold_ratio)
        shorter = self._shorter(context, messages, messages, limits)
        if not shorter:
            return None, window
        context.set_messages([shorter.get(i, message) for i, message in enumerate(messages)])
        by_id = {message.message_id: message for message in shorter.values()}
        window.context_messages = [
            by_id.get(message.message_id, message) for message in window.context_messages
        ]
        return ContextEvent(self.processor_type(), list(shorter)), window

    def _shorter(
        self,
        context: Conversation,
        messages: Sequence[Message],
        conversation: Sequence[Message],
        limits: Limits,
    ) -> dict[int, Message]:
        """Return what takes the place of large tool results, by their position in `messages`."""
        adding = limits.pass_name == "add"
        gates = () if adding else self._ttl_gates
        large = [
            (i, message)
            for i, message in enumerate(messages)
            if isinstance(message, ToolMessage)
            and isinstance(message.content, str)
            and (adding or not message.is_offloaded)
            and _tokens(context, message) > limits.tokens
        ]
        if not large and not adding:
            self.end(context, "declined", "message_below_threshold", gates=gates)
        calls = calls_by_id(conversation, (message.tool_call_id for _, message in large))
        shortening = Shortening(self, context, limits, conversation, gates)
        shorter: dict[int, Message] = {}
        for i, message in large:
            call = calls.get(message.tool_call_id)
            if message.is_offloaded:
                shortening.decline(message, "already_offloaded")
            elif is_protected(call, self.config.protected_tool_names):
                shortening.decline(message, "protected_tool")
            else:
                new = shortening.shortened(message, call)
                if new is not message:
                    shorter[i] = new
        return shorter

    def _record_check(
        self,
        context: Conversation,
        message: ToolMessage,
        index: int,
        tokens: int,
        limits: Limits,
    ) -> None:
        setting = self.config.debug
        if not setting.enabled:
            return
        figures = {
            "message_index": index,
            "threshold_tokens": limits.tokens,
            "content_tokens": tokens,
        }
        if tokens <= limits.tokens:
            context.debug.offload(OffloadCheck, message, setting, **figures)
            return
        context.debug.offload(
            AddTriggered,
            message,
            setting,
            **figures,
            content_chars=len(message.text),
            original_content=message.text,
        )


def _limits(context: Conversation, name: PassName, ratio: float) -> Limits:
    chars = int(context.capacity.tokens * CHARS_PER_TOKEN * ratio)
    return Limits(name, context.capacity.share(ratio), max(chars, 1))


def _tokens(context: Conversation, message: Message) -> int:
    """Return the tokens of a message as a list of its own."""
    return context.counter.count_message(message) + LIST_FRAME
