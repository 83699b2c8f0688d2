"""`MessageOffloader`: when the buffer is full, all but the start of large messages goes.

The older offloader (`engine.md` §5.11). It acts as messages are added, on the whole buffer.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from engine.conversation import Conversation
from engine.messages import AssistantMessage, Message, ToolMessage
from engine.processors.base import ContextEvent, ContextProcessor, RecordedConfig
from engine.processors.offloaders.marker import filled_marker
from engine.processors.offloaders.originals import keep_in_file, keep_in_memory
from engine.processors.offloaders.protection import calls_by_id, is_protected
from engine.processors.registry import register


class MessageOffloaderConfig(RecordedConfig):
    """When it acts, and on what."""

    messages_threshold: int | None = Field(None, gt=0)
    """Messages in the buffer above which it acts."""
    tokens_threshold: int = Field(20_000, gt=0)
    """Tokens in the buffer above which it acts."""
    large_message_threshold: int = Field(1_000, gt=0)
    """Characters above which a message is large."""
    offload_message_type: list[str] = Field(default=["tool"])
    """Roles whose messages may go."""
    protected_tool_names: list[str] = Field(default=["read_file"])
    """Tools whose results stay; `tool:glob` for some arguments only."""
    trim_size: int = Field(100, gt=0)
    """Characters kept of a large message."""
    messages_to_keep: int | None = Field(None, gt=0)
    """Newest messages that stay as they are."""
    keep_last_round: bool = True
    """Leave the last answer and what follows it alone."""

    @model_validator(mode="after")
    def _keeps_less_than_it_takes(self) -> Self:
        if self.trim_size >= self.large_message_threshold:
            raise ValueError("trim_size must be less than large_message_threshold")
        kept, limit = self.messages_to_keep, self.messages_threshold
        if kept is not None and limit is not None and kept >= limit:
            raise ValueError("messages_to_keep must be less than messages_threshold")
        return self


@register
class MessageOffloader(ContextProcessor[MessageOffloaderConfig]):
    """Stores large messages and keeps their first characters."""

    config_model = MessageOffloaderConfig

    async def trigger_add_messages(self, context: Conversation, messages: list[Message]) -> bool:
        """Return whether the buffer is over a limit and holds something to offload."""
        everything = [*context.get_messages(), *messages]
        if len(everything) <= (self.config.messages_to_keep or 0):
            return False
        limit = self.config.messages_threshold
        over = limit is not None and len(everything) > limit
        if not over and context.counter.count_messages(everything) <= self.config.tokens_threshold:
            return False
        return bool(self._candidates(everything))

    async def on_add_messages(
        self, context: Conversation, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        """Offload all candidates, in the buffer and among the incoming messages.

        On demand there may be none; the buffer then counts as rewritten all the same.
        """
        buffered = context.get_messages()
        everything = [*buffered, *messages]
        candidates = self._candidates(everything)
        for position in candidates:
            message = everything[position]
            short = everything[position] = self._offloaded(context, message)
            call_id = message.tool_call_id if isinstance(message, ToolMessage) else None
            self.end(
                context,
                "offloaded",
                before=[message],
                after=[short],
                replacement=[short],
                tool_call_id=call_id,
            )
        context.set_messages(everything[: len(buffered)])
        return ContextEvent(self.processor_type(), candidates), everything[len(buffered) :]

    def _candidates(self, messages: list[Message]) -> list[int]:
        """Return the positions of the messages to offload."""
        end = len(messages) - (self.config.messages_to_keep or 0)
        if self.config.keep_last_round:
            answers = (
                i for i, m in enumerate(reversed(messages), 1) if isinstance(m, AssistantMessage)
            )
            end = min(end, len(messages) - next(answers, 0))
        large = [i for i, message in enumerate(messages[:end]) if self._is_large(message)]
        results = {i: m.tool_call_id for i in large if isinstance(m := messages[i], ToolMessage)}
        calls = calls_by_id(messages, results.values())
        protected = {
            i
            for i, call_id in results.items()
            if is_protected(calls.get(call_id), self.config.protected_tool_names)
        }
        return [i for i in large if i not in protected]

    def _is_large(self, message: Message) -> bool:
        return (
            message.role in self.config.offload_message_type
            and isinstance(message.content, str)
            and len(message.content) > self.config.large_message_threshold
            and not message.is_offloaded
        )

    def _offloaded(self, context: Conversation, message: Message) -> Message:
        kept = keep_in_file(context, self.processor_type(), message) or keep_in_memory(
            context, message
        )
        wording = context.wording.legacy
        marker = wording.message_offloader_marker
        return message.revised(
            content=message.text[: self.config.trim_size]
            + wording.message_offloader_omit
            + filled_marker(marker.plain, marker.with_path, kept),
            offload_type=kept.type,
            offload_handle=kept.handle,
        )
