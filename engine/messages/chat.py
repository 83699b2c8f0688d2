"""Chats in words of OpenAI's protocol that the engine does not use itself, put into those it does.

`developer` is what newer models call a system message, and a `custom` tool call gives text where a
function gets JSON. Before there were tools there were functions: an assistant's `function_call` had
no id, and a message of the role `function` answered the latest call of its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Chat = Mapping[str, Any]
"""A message, or a part of one, as it stands in a file."""


def current_chat(messages: Iterable[Any]) -> list[Any]:
    """Return a chat in system messages, tool calls of functions, and tool results.

    A call without an id gets one made of its place and content, so the same chat always gets the
    same; a result whose call is not in this chat gets the function's name. What is no message, or
    needs no change, stays as it is.
    """
    return list(_current(messages))


def _current(messages: Iterable[Any]) -> Iterator[Any]:
    asked: dict[str, str] = {}
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            yield message
        elif message.get("role") == "developer":
            yield {**message, "role": "system"}
        elif message.get("role") == "function":
            name = str(message.get("name") or "")
            yield {**message, "role": "tool", "tool_call_id": asked.pop(name, name)}
        elif isinstance(call := message.get("function_call"), Mapping):
            call_id = asked[str(call.get("name") or "")] = _call_id(position, call)
            yield _with_tool_call(message, {"id": call_id, "type": "function", "function": call})
        elif isinstance(calls := message.get("tool_calls"), list) and any(map(_is_custom, calls)):
            yield {**message, "tool_calls": list(map(_as_function, calls))}
        else:
            yield message


def _with_tool_call(message: Chat, call: Chat) -> Chat:
    rest = {key: value for key, value in message.items() if key != "function_call"}
    return {**rest, "tool_calls": [*(message.get("tool_calls") or ()), call]}


def _call_id(position: int, call: Chat) -> str:
    said = f"{position}\n{call.get('name')}\n{call.get('arguments')}"
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:24]}"


def _is_custom(call: Any) -> bool:
    return isinstance(call, Mapping) and isinstance(call.get("custom"), Mapping)


def _as_function(call: Any) -> Any:
    if not _is_custom(call):
        return call
    asked = call["custom"]
    function = {"name": asked.get("name"), "arguments": asked.get("input")}
    return {"id": call.get("id"), "type": "function", "function": function}
