"""A chat that nobody recorded, as a case with the chain that an agent gets by default.

A file is a chat if it is a list of messages, or an object with `messages` such as the body of an
OpenAI request; its `model` gives the capacity, its `tools` are sent along.
"""

from __future__ import annotations

from typing import Any

from engine.config import ContextEngineConfig
from engine.processors.preset import preset_chain


def chat_case(data: Any, name: str) -> dict[str, Any] | None:
    """Return a chat as the data of a case file; None where it is no chat.

    Args:
        data: what the file holds.
        name: what to call the case.
    """
    body = {"messages": data} if isinstance(data, list) else data
    if not isinstance(body, dict) or "case" in body or not _are_messages(body.get("messages")):
        return None
    model, tools = body.get("model"), body.get("tools") or body.get("functions")
    chain: list[tuple[str, dict[str, Any]]] = [
        (processor, {}) for processor, _ in preset_chain(ContextEngineConfig())
    ]
    case = {
        "id": name,
        "messages": body["messages"],
        "tools": tools if isinstance(tools, list) else [],
        "engine": {"model_name": model} if isinstance(model, str) else {},
        "processors": chain,
    }
    return {"case": case}


def _are_messages(messages: Any) -> bool:
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(message, dict) and "role" in message for message in messages)
    )
