"""A case: a conversation plus settings, ready to replay.

One that was made from a recording also says where it comes from (`origin`), which settings are
guesses (`assumed`) and what could not be recovered (`gaps`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from engine.config import CompressionRecallConfig, ContextEngineConfig, Positive
from engine.messages import Message, SystemMessage, ToolInfo, read_messages
from engine.messages.chat import current_chat
from engine.summarizers.recorded import Reply
from engine.tokens.selection import CounterName
from inspector.replay.cases.actions import Action, WindowLimits
from inspector.replay.cases.notes_reply import NotesReply
from inspector.replay.cases.turn import Turn
from inspector.sources.fault import why

ChatMessages = Annotated[list[dict[str, Any]], AfterValidator(current_chat)]
"""Messages in OpenAI's form; its older and newer roles are put into those of the engine."""

Mode = Literal["step", "each", "bulk"]

DEFAULT_WORKSPACE: Final = "/workspace"

ReadT = TypeVar("ReadT")

_TOOLS: TypeAdapter[list[ToolInfo]] = TypeAdapter(list[ToolInfo])


class CaseError(ValueError):
    """A case cannot be read or replayed; the text says what, where, and what to do."""


class Gap(BaseModel):
    """Something that the recording does not hold."""

    model_config = ConfigDict(frozen=True)

    step: int | None = None
    """1-based window request from which on it is missing; None: from the start."""
    what: str


class Origin(BaseModel):
    """Where a case was recorded."""

    model_config = ConfigDict(frozen=True, extra="allow")

    paths: list[str] = Field(default_factory=list)
    session_id: str | None = None
    context_id: str | None = None
    first_step: int | None = None
    last_step: int | None = None
    """Last window request for which there is evidence."""


class Case(BaseModel):
    """One conversation with settings; unknown keys are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = "case"
    title: str = ""
    workspace: str = DEFAULT_WORKSPACE
    """The path to declare; its length counts wherever a message shows it."""
    workspace_files: dict[str, str] = Field(default_factory=dict)
    """Files present at the start, by relative path."""
    session_id: str = "session"
    context_id: str = "default_context_id"
    session_state: dict[str, Any] = Field(default_factory=dict)
    context_window_tokens: Positive | None = None
    """Capacity in tokens; looked up by model name when None."""
    engine: ContextEngineConfig = ContextEngineConfig()
    processors: list[tuple[str, dict[str, Any]]] = Field(default_factory=list)
    """Name and settings, in the order in which they act."""
    token_counter: CounterName = "string"
    """What counts tokens."""
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Time limit of a model call, in seconds; a day at most."""
    system_messages: ChatMessages = Field(default_factory=list)
    messages: ChatMessages = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    window_kwargs: WindowLimits = WindowLimits()
    mode: Mode = "step"
    groups: list[tuple[NonNegativeInt, bool]] | None = None
    """Messages added at once, and whether a window is asked for then; overrides `mode`."""
    actions: list[Action] = Field(default_factory=list)
    """What happens after the messages, in order."""
    recall: bool | CompressionRecallConfig = False
    """Whether compressions are archived; settings switch it on as well."""
    replies: list[Reply] | None = None
    """Answers of the summary model in order; None: nothing was recorded."""
    notes: list[NotesReply] | None = None
    """What each update of the session's notes came to, in order; None: nobody keeps notes."""
    wording: dict[str, Any] = Field(default_factory=dict)
    origin: Origin | None = None
    assumed: dict[str, Any] = Field(default_factory=dict)
    """Settings that the recording does not show, by `Processor.field`."""
    possible: dict[str, list[float]] = Field(default_factory=dict)
    """For assumed settings, the ends of the range that would have had the same consequences."""
    gaps: list[Gap] = Field(default_factory=list)
    turns: list[Turn] = Field(default_factory=list)
    """What is changed by hand on the way, in the order of steps."""
    parent: str | None = None
    """Id of the case that this is a branch of."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if value is not None}

    @property
    def message_count(self) -> int:
        """How many messages are given, those of actions too."""
        added = (len(action.messages) for action in self.actions if action.do == "add")
        return len(self.messages) + sum(added)

    def engine_config(self) -> ContextEngineConfig:
        """Return the engine's settings with the case's capacity and recall."""
        changes: dict[str, Any] = {}
        if self.context_window_tokens is not None:
            changes["context_window_tokens"] = self.context_window_tokens
        if self.recall:
            recall = CompressionRecallConfig() if self.recall is True else self.recall
            changes["compression_recall_config"] = recall.model_copy(update={"enabled": True})
        return self.engine.model_copy(update=changes)

    def system(self) -> list[SystemMessage]:
        """Return each request's system messages: those given, then those that lead `messages`.

        Raises:
            CaseError: one of them is no message.
        """
        given = self._read(read_messages, "system_messages", self.system_messages)
        leading = self._read(read_messages, "messages", self.messages[: self._head()])
        return [message for message in (*given, *leading) if isinstance(message, SystemMessage)]

    def conversation(self) -> list[Message]:
        """Return the messages to add, leading system messages taken off.

        Raises:
            CaseError: one of them is no message.
        """
        head = self._head()
        return self._read(read_messages, "messages", self.messages[head:], head)

    def tool_list(self) -> list[ToolInfo]:
        """Return the tools offered in each request.

        Raises:
            CaseError: one of them is no tool.
        """
        return self._read(_TOOLS.validate_python, "tools", self.tools)

    def _read(
        self,
        read: Callable[[list[dict[str, Any]]], list[ReadT]],
        name: str,
        data: list[dict[str, Any]],
        offset: int = 0,
    ) -> list[ReadT]:
        """Read a part of the case; `offset` is the position of its first element in the file."""
        try:
            return read(data)
        except ValidationError as error:
            first = error.errors()[0]
            position, *inside = first["loc"]
            where = ".".join(map(str, (name, int(position) + offset, *inside)))
            raise CaseError(f"case {self.id}: {where}: {why(first)}") from error

    def _head(self) -> int:
        roles = (i for i, m in enumerate(self.messages) if m.get("role") != "system")
        return next(roles, len(self.messages))
