"""The hooks of a processor (`engine.md` §4.1).

A processor may act when messages are added and when a window is built. Its trigger says whether it
wants to; its `on_…` hook does the work and returns an event if it changed anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from engine.messages import Message
from engine.window import ContextWindow

if TYPE_CHECKING:
    from engine.context import ModelContext


class ProcessorConfig(BaseModel):
    """Settings of a processor; unknown ones are ignored, as the original does."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


@dataclass(frozen=True)
class ContextEvent:
    """A processor changed something."""

    event_type: str
    """Name of the processor."""
    messages_to_modify: Sequence[int]
    """Positions of the messages that were replaced, before the change."""
    compact_summary: str = ""
    compression_usage: dict[str, Any] | None = None


ConfigT = TypeVar("ConfigT", bound=BaseModel)


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

    async def trigger_add_messages(self, context: ModelContext, messages: list[Message]) -> bool:
        """Return whether to act on messages that are about to enter the buffer."""
        return False

    async def on_add_messages(
        self, context: ModelContext, messages: list[Message]
    ) -> tuple[ContextEvent | None, list[Message]]:
        """Act on incoming messages; an empty list cancels the append."""
        return None, messages

    async def trigger_get_context_window(
        self, context: ModelContext, window: ContextWindow
    ) -> bool:
        """Return whether to act on a window that is being built."""
        return False

    async def on_get_context_window(
        self, context: ModelContext, window: ContextWindow
    ) -> tuple[ContextEvent | None, ContextWindow]:
        """Act on the window."""
        return None, window
