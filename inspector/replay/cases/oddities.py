"""What is odd about a conversation and bears on what a replay of it can show."""

from __future__ import annotations

from collections import Counter

from engine.messages import AssistantMessage, ToolMessage
from engine.messages.authors import is_real_user
from inspector.replay.cases.case import Case


def oddities(case: Case) -> list[str]:
    """Return a sentence for each oddity of a case.

    Raises:
        CaseError: the case holds something that is no message.
    """
    messages = case.conversation()
    if len(messages) < 2:
        what = "one message" if messages else "no message at all"
        return [f"The conversation is {what}: there is nothing to compress."]
    said = []
    if not any(map(is_real_user, messages)):
        said.append("No message is a user's, and rounds are told apart by those.")
    answers = (m for m in messages if isinstance(m, AssistantMessage))
    called: Counter[str | None] = Counter(call.id for m in answers for call in m.tool_calls or ())
    answered: Counter[str | None] = Counter(
        m.tool_call_id for m in messages if isinstance(m, ToolMessage)
    )
    for count, what, lacks in (
        ((called - answered).total(), "tool call", "result"),
        ((answered - called).total(), "tool result", "call"),
    ):
        if count:
            verb = f"{what} has" if count == 1 else f"{what}s have"
            said.append(f"{count:,} {verb} no {lacks}: a provider may refuse such a request.")
    return said
