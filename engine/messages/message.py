"""The message union of a conversation, and its forms on the wire and on disk.

Messages are frozen: a change is a new message (`revised`), so whatever was computed from one, such
as its token count, stays true for as long as the object lives. Only `metadata` is a live
dictionary, because the engine labels messages (`context_message_id`, `context_usage_stale`) without
changing what they say.

Two shapes of tool calls exist: *flat* inside the engine (`ToolCall`), *nested* in OpenAI chat and
in debug files (`{"id", "type", "function": {"name", "arguments"}}`). Both are read; `to_chat`
writes the nested one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    model_validator,
)

from engine.messages.chat import current_chat
from engine.messages.json_text import read_json

MESSAGE_ID = "context_message_id"
"""Metadata key of a message's identity: 32 hex digits, given once, kept through every rewrite."""

USAGE_STALE = "context_usage_stale"
"""Metadata key: the provider's usage no longer describes the messages before this one."""

Content = str | list[str | dict[str, Any]]


def _present(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that have a value: chats write null for what is absent."""
    return {key: value for key, value in data.items() if value is not None}


def _flat(data: Any) -> Any:
    """Return a call or a tool with what OpenAI nests in `function` beside its other keys."""
    if not isinstance(data, Mapping):
        return data
    function = data.get("function")
    if isinstance(function, Mapping):
        data = {**{key: value for key, value in data.items() if key != "function"}, **function}
    return _present(data)


class ToolCall(BaseModel):
    """One call of a tool by the assistant; `arguments` is JSON text."""

    model_config = ConfigDict(frozen=True)

    id: str | None = None
    type: str = "function"
    name: str = ""
    arguments: str = ""
    index: int | None = None
    """Position among the calls of a streamed answer."""
    response_item_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_nested(cls, data: Any) -> Any:
        return _flat(data)

    @property
    def named_arguments(self) -> dict[str, Any]:
        """The arguments by name; none where they are no JSON object."""
        given = read_json(self.arguments)
        return given if isinstance(given, dict) else {}

    def to_chat(self) -> dict[str, Any]:
        """Return the nested form that OpenAI chat and the debug files use."""
        nested: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "function": {"name": self.name, "arguments": self.arguments},
        }
        if self.response_item_id is not None:
            nested["response_item_id"] = self.response_item_id
        return nested


class UsageMetadata(BaseModel):
    """Token numbers that the provider reported with an answer."""

    model_config = ConfigDict(frozen=True, extra="allow")

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_tokens: int = 0
    model_name: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_openai(cls, data: Any) -> Any:
        """Accept OpenAI's names (`prompt_tokens`, `completion_tokens`) too."""
        if not isinstance(data, Mapping):
            return data
        named = {
            "input_tokens": data.get("prompt_tokens"),
            "output_tokens": data.get("completion_tokens"),
        }
        return {**_present(named), **_present(data)}


class BaseMessage(BaseModel):
    """What all messages share."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    content: Content = ""
    name: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    offload_type: str | None = None
    """Where the original is (`filesystem` or `in_memory`) of a message that stands for another."""
    offload_handle: str | None = None
    """Names that original: 32 hex digits."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        return _present(data) if isinstance(data, Mapping) else data

    @cached_property
    def _counts(self) -> dict[str, int]:
        """Token counts by counter name, filled by `engine.tokens`; no part of what is compared."""
        return {}

    @property
    def message_id(self) -> str | None:
        """The id the engine gave this message, if it has entered a context."""
        return self.metadata.get(MESSAGE_ID)

    @property
    def is_offloaded(self) -> bool:
        """Whether this message stands for an original that is kept elsewhere."""
        return self.offload_handle is not None

    @property
    def text(self) -> str:
        """The content's text: strings and text parts on lines of their own; other parts by type."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(
            part if isinstance(part, str) else str(part.get("text") or part.get("type") or "")
            for part in self.content
        )

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The tool calls; only an assistant's message has any."""
        return ()

    def revised(self, **changes: Any) -> Self:
        """Return a copy with other field values and nothing remembered about the old ones."""
        copy = self.model_copy(update=changes)
        vars(copy).pop("_counts", None)
        return copy

    def labelled(self, metadata: dict[str, Any]) -> Self:
        """Return a copy with other metadata: it says the same, so the two share their counts."""
        copy = self.model_copy(update={"metadata": metadata})
        vars(copy)["_counts"] = self._counts
        return copy

    def to_chat(self) -> dict[str, Any]:
        """Return an OpenAI chat message plus the engine's metadata, without empty fields."""
        chat = self.model_dump(mode="json", exclude_none=True)
        return {"role": chat.pop("role"), **chat}


class SystemMessage(BaseMessage):
    """Instructions of the agent's developer."""

    role: Literal["system"] = "system"


class UserMessage(BaseMessage):
    """A request of the user, or a block that the engine wrote in the user's role."""

    role: Literal["user"] = "user"


class AssistantMessage(BaseMessage):
    """An answer of the model, with its tool calls and the provider's usage."""

    role: Literal["assistant"] = "assistant"
    tool_calls: list[ToolCall] | None = None
    usage_metadata: UsageMetadata | None = None
    finish_reason: str = "null"
    reasoning_content: str | None = None

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The tool calls, none where there are none."""
        return self.tool_calls or ()

    def to_chat(self) -> dict[str, Any]:
        """Return an OpenAI chat message with nested tool calls."""
        chat: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            chat["name"] = self.name
        if self.metadata:
            chat["metadata"] = dict(self.metadata)
        if self.tool_calls:
            chat["tool_calls"] = [call.to_chat() for call in self.tool_calls]
        if self.usage_metadata is not None:
            chat["usage_metadata"] = self.usage_metadata.model_dump(mode="json", exclude_none=True)
        chat["finish_reason"] = self.finish_reason
        if self.reasoning_content is not None:
            chat["reasoning_content"] = self.reasoning_content
        return chat


class ToolMessage(BaseMessage):
    """The result of one tool call."""

    role: Literal["tool"] = "tool"
    tool_call_id: str


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
"""Any message of a conversation."""

AnyMessage = Annotated[Message, Field(discriminator="role")]
"""A field that holds a message, read by its role; a message object is kept as it is."""

_MESSAGES: TypeAdapter[list[Message]] = TypeAdapter(list[AnyMessage])


def read_messages(chat: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Read OpenAI chat messages, older and newer roles included, or the dumps of a debug file.

    Raises:
        pydantic.ValidationError: a message has an unknown role or a field of the wrong type.
    """
    return _MESSAGES.validate_python(current_chat(chat))


class ToolInfo(BaseModel):
    """A tool offered to the model; read from the flat and from OpenAI's nested form."""

    model_config = ConfigDict(frozen=True)

    type: str = "function"
    name: str = ""
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)

    @cached_property
    def _counts(self) -> dict[str, int]:
        """What `engine.tokens` has measured of the tool; no part of what is compared."""
        return {}

    @model_validator(mode="before")
    @classmethod
    def _read_nested(cls, data: Any) -> Any:
        return _flat(data)
