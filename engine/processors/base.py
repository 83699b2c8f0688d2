"""The hooks of a processor (`engine.md` §4.1).

A processor may act when messages are added and when a window is built. Its trigger says whether it
wants to; its `on_…` hook does the work and returns an event if it changed anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from engine.conversation import Conversation
from engine.debug.directories import DebugSetting
from engine.debug.records import DebugRecord, End, ThresholdCheck
from engine.messages import Message
from engine.window import ContextWindow

REACHED, BELOW = "reached_threshold", "below_threshold"
"""Reasons of a check that compares the window's tokens with the threshold."""


class ProcessorConfig(BaseModel):
    """Settings of a processor; unknown ones are ignored, as the original does."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write records."""
        return DebugSetting(False, None)


class RecordedConfig(ProcessorConfig):
    """Settings with a switch for records of the usual name."""

    enable_context_debug: bool = False
    """Write a record of each decision."""
    context_debug_dir: str | None = None
    """Where; may hold `{session_id}` and `{context_id}`."""

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write records."""
        return DebugSetting(self.enable_context_debug, self.context_debug_dir)


@dataclass(frozen=True)
class ContextEvent:
    """A processor changed something."""

    event_type: str
    """Name of the processor."""
    messages_to_modify: Sequence[int]
    """Positions of the messages that were replaced, before the change."""
    compact_summary: str = ""
    compression_usage: dict[str, Any] | None = None


ConfigT = TypeVar("ConfigT", bound=ProcessorConfig)


class ContextProcessor(Generic[ConfigT]):
    """Base of all processors; every hook passes through what it is given."""

    config_model: ClassVar[type[BaseModel]] = ProcessorConfig
    """Settings of the class, from which forms and documentation are made."""

    def __init__(self, config: ConfigT) -> None:
        """Keep the settings."""
        self.config = config

    @classmethod
    def watches_additions(cls) -> bool:
        """Return whether the class has a trigger of its own for messages that are added."""
        return cls.trigger_add_messages is not ContextProcessor.trigger_add_messages

    @classmethod
    def watches_windows(cls) -> bool:
        """Return whether the class has a trigger of its own for windows."""
        return cls.trigger_get_context_window is not ContextProcessor.trigger_get_context_window

    @classmethod
    def processor_type(cls) -> str:
        """Return the name that chains and records use."""
        return cls.__name__

    async def trigger_add_messages(self, context: Conversation, messages: list[Message]) -> bool:
        """Return whether to act on messages that are about to enter the buffer."""
        return False

    async def on_add_messages(
        self, context: Conversation, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        """Act on incoming messages; an empty list cancels the append."""
        return None, messages

    async def trigger_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> bool:
        """Return whether to act on a window that is being built."""
        return False

    async def on_get_context_window(
        self, context: Conversation, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Act on the window."""
        return None, window

    def record(
        self, context: Conversation, kind: Callable[..., DebugRecord], **payload: Any
    ) -> None:
        """Write a record, if the settings want one; `kind` makes it, if somebody looks at it."""
        context.debug.write(kind, self.processor_type(), self.config.debug, **payload)

    def check(
        self,
        context: Conversation,
        total: int,
        threshold: int,
        reason: str,
        *,
        capacity: int | None = None,
        **figures: int,
    ) -> bool:
        """Record a comparison of the window with the threshold; return whether it was passed.

        Args:
            context: whose window it is.
            total: tokens of the window.
            threshold: tokens from which on the processor acts.
            reason: `reached_threshold`, or what the processor does not act for.
            capacity: tokens of the model's window; the context's by default.
            figures: what was measured besides.
        """
        hit = reason == REACHED
        self.record(
            context,
            ThresholdCheck,
            phase="get_context_window",
            total_tokens=total,
            context_max=capacity or context.capacity.tokens,
            threshold=threshold,
            hit=hit,
            reason=reason,
            **figures,
        )
        return hit

    def end(
        self,
        context: Conversation,
        outcome: End,
        reason: str | None = None,
        *,
        before: Sequence[Message] = (),
        after: Sequence[Message] = (),
        replaced: Sequence[Message] = (),
        replacement: Sequence[Message] = (),
        **facts: Any,
    ) -> None:
        """Write how a turn, or its work on one message, ended, if the settings want it.

        Args:
            context: what it was about.
            outcome: the end.
            reason: why nothing came of it; None when it worked.
            before: the messages whose tokens are told, as they were.
            after: the same as they are now.
            replaced: the messages that went, where no other file keeps them.
            replacement: those that came in their place.
            facts: further fields of `Outcome`.
        """
        setting = self.config.debug
        if not setting.enabled:
            return
        for name, counted in (("before_tokens", before), ("after_tokens", after)):
            if counted:
                facts[name] = context.counter.count_messages(counted)
        for name, told in (("replaced", replaced), ("replacement", replacement)):
            if told:
                facts[name] = [message.to_chat() for message in told]
        context.debug.end(self.processor_type(), setting, outcome, reason, **facts)
