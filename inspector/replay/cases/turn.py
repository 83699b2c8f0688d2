"""A turn in a conversation: what is changed by hand at a window request, and holds from there on.

A case with turns is a branch of the one without: the same up to the first turn's step. Turns are
data in the case, so a branch is replayed, swept and sent like any other case.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, field_validator

from engine.messages import read_messages


class MessageChange(BaseModel):
    """A message of the context that is edited or dropped."""

    model_config = ConfigDict(frozen=True)

    position: NonNegativeInt
    """In the context before the request, system messages not counted."""
    message: dict[str, Any] | None = None
    """What takes its place, as OpenAI chat; None drops it."""
    was: str | None = None
    """Digest of the message that is meant, as reports write it; another one there is an error."""

    @field_validator("message")
    @classmethod
    def _is_message(cls, message: dict[str, Any] | None) -> dict[str, Any] | None:
        if message is not None:
            read_messages([message])
        return message


class Turn(BaseModel):
    """What changes at a window request, before the window is built."""

    model_config = ConfigDict(frozen=True)

    step: PositiveInt
    """1-based window request."""
    messages: list[MessageChange] = Field(default_factory=list)
    settings: dict[str, Any] = Field(default_factory=dict)
    """New values by `Processor.field` or `engine.field`."""
