"""Two ways to cut a conversation into rounds.

A *dialogue round* (`engine.md` §1.5) goes from a group of user messages to the assistant's final
answer; it looks at roles only, so blocks that the engine wrote count as user turns. A *completed
API round* (§5.7.2) is one exchange with the model: up to an answer without calls, or to the last
result of the calls made. Both are linear in the number of messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.messages.message import AssistantMessage, Message, ToolMessage, UserMessage

_USERS = re.compile("u+")


class DialogueRound(NamedTuple):
    """Positions of a round's first message and of its final answer, None while unanswered."""

    start: int
    end: int | None


def dialogue_rounds(messages: Sequence[Message]) -> list[DialogueRound]:
    """Return the rounds, newest first."""
    rounds: list[DialogueRound] = []
    position = len(messages) - 1
    answer: int | None = position
    while position >= 0:
        if answer is not None:  # else none is left further up either
            answer = _last(messages, "assistant", position)
        end = answer if answer is not None and not messages[answer].calls else None
        user = _last(messages, "user", position if answer is None else answer - 1)
        if user is None:
            break
        if not rounds:
            later = _last(messages, "user", position)
            if later is not None and later > user:
                rounds.append(DialogueRound(_group_start(messages, later), None))
        start = _group_start(messages, user)
        rounds.append(DialogueRound(start, end))
        position = start - 1
    return rounds


def dialogue_round_count(roles: str) -> int:
    """Return how many dialogue rounds there are.

    Up to the first answer each group of user messages makes one; after it, each answer that follows
    on a user, whatever lies between them, and the users behind the last answer together.

    Args:
        roles: first letters of the messages' roles.
    """
    first_answer = roles.find("a")
    if first_answer < 0:
        return len(_USERS.findall(roles))
    turns = roles[first_answer:].replace("t", "").replace("s", "")
    answered = len(_USERS.findall(roles, 0, first_answer)) + turns.count("ua")
    return answered + 1 if answered and turns.endswith("u") else answered


def start_of_last_rounds(messages: Sequence[Message], count: int) -> int:
    """Return where the newest `count` dialogue rounds begin; 0 when there is no round."""
    rounds = dialogue_rounds(messages)
    return rounds[min(count, len(rounds)) - 1].start if rounds else 0


def completed_api_rounds(messages: Sequence[Message]) -> list[range]:
    """Return the completed API rounds, oldest first, as ranges of positions.

    A round starts after the one before, again at each user message while no call is pending. It
    ends with an assistant message without calls or with the last pending result. Calls without ids
    end it at once; an assistant message with calls replaces what was pending.
    """
    rounds: list[range] = []
    start = 0
    pending: set[str] = set()
    for position, message in enumerate(messages):
        if isinstance(message, UserMessage) and not pending:
            start = position
        elif isinstance(message, AssistantMessage):
            pending = {call.id for call in message.calls if call.id}
            if not pending:
                rounds.append(range(start, position + 1))
                start = position + 1
        elif isinstance(message, ToolMessage) and message.tool_call_id in pending:
            pending.discard(message.tool_call_id)
            if not pending:
                rounds.append(range(start, position + 1))
                start = position + 1
    return rounds


def _last(messages: Sequence[Message], role: str, position: int) -> int | None:
    """Return where the latest message of a role stands, from a position up."""
    for at in range(position, -1, -1):
        if messages[at].role == role:
            return at
    return None


def _group_start(messages: Sequence[Message], position: int) -> int:
    while position > 0 and messages[position - 1].role == "user":
        position -= 1
    return position
