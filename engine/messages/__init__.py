"""Messages: what a conversation is made of, and what can be told from them alone.

`message` has the union and its forms on the wire and on disk; its names are imported from here.
`chat` puts older and newer words of OpenAI's protocol into these, `json_text` reads the JSON in
arguments and results. `rounds` cuts a conversation into rounds, `authors` tells what a user wrote
from what the engine did. Whatever needs a counter, a window or a context stands above this folder.
"""

from engine.messages.message import (
    MESSAGE_ID,
    USAGE_STALE,
    AnyMessage,
    AssistantMessage,
    BaseMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolInfo,
    ToolMessage,
    UsageMetadata,
    UserMessage,
    read_messages,
)

__all__ = (
    "MESSAGE_ID",
    "USAGE_STALE",
    "AnyMessage",
    "AssistantMessage",
    "BaseMessage",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolInfo",
    "ToolMessage",
    "UsageMetadata",
    "UserMessage",
    "read_messages",
)
