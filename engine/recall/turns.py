"""The replaced messages as turns, and turns as text in pieces (`engine.md` §5.9).

A turn is a user's request and what followed it. A turn's text is cut into pieces of so many UTF-8
bytes, each of which repeats the end of the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.messages import AssistantMessage, BaseMessage, Message, ToolMessage, UserMessage
from engine.messages.authors import is_internal
from engine.messages.json_text import read_json
from engine.tokens.text import content_text, sanitised_text

_ROLES = ("User", "Assistant", "Assistant Reasoning", "System", "Tool")


@dataclass(frozen=True)
class Turn:
    """A user's request, the assistant's words on it, and all messages in between."""

    number: int
    query: str
    """The request; empty for messages that stand before any."""
    answer: str
    """What the assistant said, without reasoning and calls."""
    messages: Sequence[Message]

    @property
    def turn_id(self) -> str:
        """Id of the turn within its archive."""
        return f"turn_{self.number:03d}"

    @property
    def text(self) -> str:
        """The turn as Markdown, one heading for each message, call and reasoning."""
        parts = (part for message in self.messages for part in _parts(message))
        return "\n\n".join(f"{heading}\n{body}" for heading, body in parts).strip()


def split_turns(messages: Sequence[Message], before: Sequence[Message]) -> list[Turn]:
    """Return the turns of replaced messages.

    Args:
        messages: what is replaced.
        before: the messages in front of it, which stay; the latest request among them is the query
            of whatever comes before the first request.
    """
    groups: list[list[Message]] = []
    for message in messages:
        if not groups or _is_request(message):
            groups.append([])
        groups[-1].append(message)
    earlier = next((m for m in reversed(before) if _is_request(m)), None)
    return [
        Turn(
            number=number,
            query=_query(group[0] if _is_request(group[0]) else earlier),
            answer="\n".join(
                text
                for message in group
                if isinstance(message, AssistantMessage) and (text := content_text(message)).strip()
            ),
            messages=group,
        )
        for number, group in enumerate(groups)
    ]


def pieces(text: str, size: int, overlap: int) -> list[str]:
    """Return the text in pieces of at most `size` bytes; none for an empty text.

    Args:
        text: what to cut, between characters.
        size: bytes of a piece, in UTF-8.
        overlap: bytes of a piece's end that the next one repeats, at least four less than `size`.
    """
    if not text:
        return []
    widths = [len(character.encode("utf-8", "surrogatepass")) for character in text]
    made: list[str] = []
    start = 0
    while True:
        end = _reach(widths, start, size)
        made.append(text[start:end])
        if end >= len(text):
            return made
        start = max(_reach_back(widths, end, overlap), start + 1)


def piece_title(piece: str) -> str:
    """Return the first line that says more than whose turn it is."""
    lines = (line.strip().lstrip("#").strip() for line in piece.splitlines())
    return next((line for line in lines if line and line not in _ROLES), "")


def _reach(widths: Sequence[int], start: int, size: int) -> int:
    """Return where a piece from `start` ends: after at least one character."""
    end, used = start + 1, widths[start]
    while end < len(widths) and used + widths[end] <= size:
        used += widths[end]
        end += 1
    return end


def _reach_back(widths: Sequence[int], end: int, size: int) -> int:
    start, used = end, 0
    while start > 0 and used + widths[start - 1] <= size:
        start -= 1
        used += widths[start]
    return start


def _is_request(message: Message) -> bool:
    """Return whether a user wrote this, told from the text alone, list content included."""
    return isinstance(message, UserMessage) and not is_internal(_spoken(message))


def _spoken(message: BaseMessage) -> str:
    """Return the text of a message, the text parts of list content on lines of their own."""
    if isinstance(message.content, str):
        return sanitised_text(message.content)
    texts = (part if isinstance(part, str) else part.get("text") for part in message.content)
    return "\n".join(sanitised_text(text) for text in texts if isinstance(text, str))


def _query(message: Message | None) -> str:
    """Return a request's text, out of the envelope that a channel may have put around it."""
    if message is None:
        return ""
    text = _spoken(message)
    _, _, rest = text.strip().partition("\n")
    enveloped = read_json(rest)
    content = enveloped.get("content") if isinstance(enveloped, dict) else None
    return content if isinstance(content, str) else text


def _parts(message: Message) -> Iterator[tuple[str, str]]:
    text = content_text(message)
    if isinstance(message, AssistantMessage):
        if message.reasoning_content:
            yield "## Assistant Reasoning", sanitised_text(message.reasoning_content)
        if text:
            yield "## Assistant", text
        for call in message.calls:
            yield f"## Tool Call: {call.name}", sanitised_text(call.arguments)
    elif isinstance(message, ToolMessage):
        yield f"## Tool Result: {message.tool_call_id}", text
    else:
        yield f"## {message.role.capitalize()}", text
