"""A model behind any endpoint that speaks OpenAI's chat protocol.

It writes summaries (`Summarizer`) and keeps notes (`ChatModel`). Each call sends one request, with
one limit of time for all of it: repeating a call is the compressor's business. The client library
is imported with the first call, for that takes a second.

The key is asked for with every call and forgotten after it; no error, log or `repr` shows it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from engine.errors.model_calls import ModelCallError
from engine.messages import AssistantMessage, Message, ToolCall, ToolInfo, UsageMetadata
from engine.summarizers.call import SummaryAnswer, SummaryCall

NAME = "openai"

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"

NO_KEY = "none"
"""Sent where there is no key: a server on one's own machine wants none, but the client does."""

_SENT = ("role", "content", "name", "tool_calls", "tool_call_id")


def environment_key() -> str | None:
    """Return the key that the environment holds."""
    return os.environ.get(KEY_VARIABLE)


def environment_url() -> str:
    """Return the endpoint that the environment names, else OpenAI's."""
    return os.environ.get(URL_VARIABLE) or DEFAULT_URL


class OpenAIModel:
    """Asks a model.

    Attributes:
        model: its name.
        base_url: the endpoint, up to and with `/v1`.
        timeout: seconds that a call may take, from connecting to the last byte of the answer.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Callable[[], str | None] = environment_key,
        timeout: float = 60.0,
    ) -> None:
        """Take the model and where it is; `api_key` is asked anew for each call."""
        self.model = model
        self.base_url = base_url or environment_url()
        self.timeout = timeout
        self._api_key = api_key

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the answer's text; a tool call without a text is an empty answer.

        Raises:
            ModelCallError: the call failed.
        """
        options = {"prompt_cache_key": call.cache_id} if call.cache_id else {}
        answer = await self._ask(call.messages, call.tools, options)
        return SummaryAnswer(answer.text, NAME, answer.usage_metadata)

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        """Return the answer, with its tool calls.

        Raises:
            ModelCallError: the call failed.
        """
        return await self._ask(messages, tools, {})

    async def _ask(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo], options: dict[str, Any]
    ) -> AssistantMessage:
        key = self._api_key() or NO_KEY
        if tools:
            options = {**options, "tools": [_sent_tool(tool) for tool in tools]}
        request = {"model": self.model, "messages": [_sent(m) for m in messages], **options}
        try:
            return _read(await self._post(key, request))
        except Exception as error:
            failure = _failure(error, key)
        raise failure  # out here, so that it does not carry the request with the key in its headers

    async def _post(self, key: str, request: dict[str, Any]) -> bytes:
        """Return the body of the answer to one request."""
        library = await asyncio.to_thread(import_module, "openai")  # others go on meanwhile
        async with (
            library.AsyncOpenAI(
                api_key=key, base_url=self.base_url, max_retries=0, timeout=None
            ) as client,
            asyncio.timeout(self.timeout),
        ):
            response = await client.chat.completions.with_raw_response.create(**request)
            body: bytes = response.content
            return body


class _Answer(BaseModel):
    content: str | None = None
    tool_calls: list[ToolCall] | None = None


class _Choice(BaseModel):
    message: _Answer
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: dict[str, Any] | None = None
    model: str | None = None


def _read(body: bytes) -> AssistantMessage:
    completion = _Completion.model_validate_json(body)
    choice = completion.choices[0]
    usage = None
    if completion.usage is not None:
        cached = (completion.usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        known = {"cache_tokens": cached, "model_name": completion.model}
        usage = UsageMetadata.model_validate({**known, **completion.usage})
    return AssistantMessage(
        content=choice.message.content or "",
        tool_calls=choice.message.tool_calls or None,
        usage_metadata=usage,
        finish_reason=choice.finish_reason or "null",
    )


def _failure(error: Exception, key: str) -> ModelCallError:
    """Return what is known of a failed call, but for the key."""
    message, details = str(error) or type(error).__name__, {}
    if isinstance(error, TimeoutError):
        message = "Request timed out."
    elif isinstance(error, ValidationError):
        place = ".".join(map(str, error.errors()[0]["loc"]))
        message = f"The answer is no chat completion: {place or 'not JSON'}."
    else:
        names = {"status": "status_code", "code": "code", "type": "type"}
        details = {name: getattr(error, attribute, None) for name, attribute in names.items()}
        message = message.removeprefix(f"Error code: {details['status']}").removeprefix(" - ")
    failure = ModelCallError(message.replace(key, "[key]") if key != NO_KEY else message, **details)
    failure.request_id = getattr(error, "request_id", None)
    failure.summarizer = NAME
    return failure


def _sent(message: Message) -> dict[str, Any]:
    """Return a message as the protocol knows it, without what the engine added."""
    chat = {key: value for key, value in message.to_chat().items() if key in _SENT}
    if isinstance(message.content, list):
        chat["content"] = [
            {"type": "text", "text": part} if isinstance(part, str) else part
            for part in message.content
        ]
    return chat


def _sent_tool(tool: ToolInfo) -> dict[str, Any]:
    function = tool.model_dump(mode="json", include={"name", "description", "parameters"})
    return {"type": tool.type, "function": function}
