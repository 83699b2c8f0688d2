"""What a case does after its messages are fed: one class for each action, by its `do`.

An action is data in the case and plays itself on a running replay. A new one is a class here and an
entry in `Action`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, field_validator

from engine.clock import Clock
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.messages import Message, read_messages
from engine.session import Session
from engine.session_memory.notes import notes_path
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.workspace.files import replace_file

Result = str | int | None
"""What a report says about an action: how a compression ended, how many messages were removed."""


class WindowLimits(BaseModel):
    """Extra arguments of a window request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    window_size: PositiveInt | None = None
    dialogue_round: PositiveInt | None = None


class Stage(Protocol):
    """The running replay, as far as actions touch it."""

    engine: ContextEngine
    session: Session
    clock: Clock
    context: ModelContext

    async def add(self, messages: Sequence[Message]) -> None:
        """Add messages to the current context."""
        ...

    async def window(self, limits: WindowLimits) -> None:
        """Ask the current context for a window."""
        ...

    async def open(self, context_id: str) -> None:
        """Create a context, again or anew, and make it the current one."""
        ...


class _Action(BaseModel, ABC):
    model_config = ConfigDict(frozen=True)

    @abstractmethod
    async def play(self, stage: Stage) -> Result:
        """Do it."""


class WindowAction(_Action):
    """Asks for a window."""

    do: Literal["window"]
    kwargs: WindowLimits = WindowLimits()
    """Limits of this window; those of the case's other requests do not count here."""

    async def play(self, stage: Stage) -> Result:
        """Ask with these limits."""
        await stage.window(self.kwargs)
        return None


class AddAction(_Action):
    """Adds messages at once."""

    do: Literal["add"]
    messages: list[dict[str, Any]]

    @field_validator("messages")
    @classmethod
    def _are_messages(cls, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        read_messages(messages)
        return messages

    async def play(self, stage: Stage) -> Result:
        """Add them."""
        await stage.add(read_messages(self.messages))
        return None


class CompressArguments(BaseModel):
    """Extra arguments of a compression on demand."""

    model_config = ConfigDict(frozen=True)

    preserve_instruction: str = ""


class CompressAction(_Action):
    """Compresses on demand."""

    do: Literal["compress"]
    processor_types: list[str] | None = None
    kwargs: CompressArguments = CompressArguments()
    busy: bool = False
    """Another request holds the context's lock meanwhile."""

    async def play(self, stage: Stage) -> Result:
        """Compress, and tell how it ended."""
        if self.busy:
            async with stage.context.exclusive():
                return await self._compress(stage)
        return await self._compress(stage)

    async def _compress(self, stage: Stage) -> Result:
        done = await stage.engine.compress_context(
            stage.context.context_id,
            session_id=stage.session.session_id,
            processor_types=self.processor_types,
            preserve_instruction=self.kwargs.preserve_instruction,
        )
        return done.result


class AgeAccessAction(_Action):
    """Pretends that the last window was asked for some time ago."""

    do: Literal["age_access"]
    seconds: float

    async def play(self, stage: Stage) -> Result:
        """Move the time of the last request into the past."""
        stage.context.last_context_window_access_at = stage.clock.now() - self.seconds
        return None


class NotesAction(_Action):
    """Writes the session's notes and says which messages they cover."""

    do: Literal["notes"]
    text: str
    upto_index: int | None = None
    """Position in the buffer of the last message covered, counted as in Python; None: no anchor."""

    async def play(self, stage: Stage) -> Result:
        """Write the file and set the anchor."""
        workspace = stage.context.workspace
        assert workspace is not None  # a replay always has one
        path = notes_path(workspace, stage.session.session_id)
        replace_file(workspace.physical(path), self.text.encode())
        runtime = SessionMemoryRuntime.of(stage.session)
        runtime.notes_upto_message_id = self._anchor(stage.context.get_messages())
        runtime.keep(stage.session)
        return None

    def _anchor(self, messages: Sequence[Message]) -> str | None:
        if self.upto_index is None or not messages:
            return None
        last = len(messages) - 1
        return messages[max(min(self.upto_index, last), -len(messages))].message_id


class PopAction(_Action):
    """Removes the newest messages."""

    do: Literal["pop"]
    size: int = Field(1, ge=0)

    async def play(self, stage: Stage) -> Result:
        """Remove them and tell how many there were."""
        return len(stage.context.pop_messages(self.size))


class SaveAction(_Action):
    """Saves contexts to the session."""

    do: Literal["save"]
    context_ids: list[str] | None = None
    """All of the session's when None."""

    async def play(self, stage: Stage) -> Result:
        """Save them."""
        await stage.engine.save_contexts(stage.session, self.context_ids)
        return None


class OpenAction(_Action):
    """Creates a context again or anew; the case goes on with it."""

    do: Literal["open"]
    context_id: str

    async def play(self, stage: Stage) -> Result:
        """Open it."""
        await stage.open(self.context_id)
        return None


Action = Annotated[
    WindowAction
    | AddAction
    | CompressAction
    | AgeAccessAction
    | NotesAction
    | PopAction
    | SaveAction
    | OpenAction,
    Field(discriminator="do"),
]
