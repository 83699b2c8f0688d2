"""A case: a conversation plus settings, ready to replay.

The format is fixed by `conformance/README.md`: one JSON object `{"case": {…}, "expected": {…}}`. A
case that was made from a recording also says where it comes from (`origin`), which settings are
guesses (`assumed`) and what could not be recovered (`gaps`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.config import ContextEngineConfig
from engine.messages import Message, SystemMessage, ToolInfo, read_messages
from engine.summarizers.recorded import Reply

Mode = Literal["step", "each", "bulk"]


class CaseError(ValueError):
    """A case cannot be read or replayed; the text says what, where, and what to do."""


class WindowLimits(BaseModel):
    """Extra arguments of each window request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    window_size: int | None = None
    dialogue_round: int | None = None


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
    workspace: str = "/workspace"
    """The path to declare; its length counts wherever a message shows it."""
    workspace_files: dict[str, str] = Field(default_factory=dict)
    """Files present at the start, by relative path."""
    session_id: str = "session"
    context_id: str = "default_context_id"
    session_state: dict[str, Any] = Field(default_factory=dict)
    context_window_tokens: int | None = Field(None, gt=0)
    """Capacity in tokens; looked up by model name when None."""
    engine: ContextEngineConfig = ContextEngineConfig()
    processors: list[tuple[str, dict[str, Any]]] = Field(default_factory=list)
    """Name and settings, in the order in which they act."""
    token_counter: str | None = None
    timeout: float | None = Field(default=None, gt=0)
    """Time limit of a model call, in seconds."""
    system_messages: list[dict[str, Any]] = Field(default_factory=list)
    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    window_kwargs: WindowLimits = WindowLimits()
    mode: Mode = "step"
    groups: list[tuple[int, bool]] | None = None
    """Messages added at once, and whether a window is asked for then; overrides `mode`."""
    actions: list[dict[str, Any]] = Field(default_factory=list)
    recall: bool | dict[str, Any] = False
    replies: list[Reply] | None = None
    """Answers of the summary model in order; None: nothing was recorded."""
    wording: dict[str, Any] = Field(default_factory=dict)
    origin: Origin | None = None
    assumed: dict[str, Any] = Field(default_factory=dict)
    """Settings that the recording does not show, by `Processor.field`."""
    possible: dict[str, list[float]] = Field(default_factory=dict)
    """For assumed settings, the ends of the range that would have had the same consequences."""
    gaps: list[Gap] = Field(default_factory=list)

    def engine_config(self) -> ContextEngineConfig:
        """Return the engine's settings with the case's capacity."""
        if self.context_window_tokens is None:
            return self.engine
        return self.engine.model_copy(update={"context_window_tokens": self.context_window_tokens})

    def system(self) -> list[SystemMessage]:
        """Return each request's system messages: those given, then those that lead `messages`."""
        leading = self.messages[: self._head()]
        read = read_messages([*self.system_messages, *leading])
        return [message for message in read if isinstance(message, SystemMessage)]

    def conversation(self) -> list[Message]:
        """Return the messages to add, leading system messages taken off."""
        return read_messages(self.messages[self._head() :])

    def tool_list(self) -> list[ToolInfo]:
        """Return the tools offered in each request."""
        return [ToolInfo.model_validate(tool) for tool in self.tools]

    def _head(self) -> int:
        roles = (i for i, m in enumerate(self.messages) if m.get("role") != "system")
        return next(roles, len(self.messages))


class CaseFile(BaseModel):
    """What a case file holds."""

    model_config = ConfigDict(frozen=True, extra="allow")

    case: Case
    expected: dict[str, Any] | None = None
    """What the original did, shortened as `conformance/README.md` says."""


def load_case(path: Path) -> CaseFile:
    """Read a case file.

    Raises:
        CaseError: it cannot be read, is no JSON, or is no case.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{path}: is not JSON: {error}") from error
    try:
        return CaseFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "top level"
        raise CaseError(
            f"{path}: is not a replay case: {where}: {first['msg']} "
            '(expected {"case": {…}} with messages and processors)'
        ) from error
