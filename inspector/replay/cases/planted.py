"""A case with canaries in its messages: what becomes of them tells about the settings.

Recorded answers know nothing of canaries, so spans that hold one are summarised anew.
"""

from __future__ import annotations

from inspector.insight.canaries import Canary, draw_canaries, plant
from inspector.replay.cases.case import Case


def canaries_of(case: Case, count: int) -> list[Canary]:
    """Return so many canaries for a case, the same each time, of all kinds in turn.

    Raises:
        CaseError: the case holds something that is no message.
    """
    return draw_canaries(case.conversation(), count)


def planted(case: Case, count: int) -> Case:
    """Return a case with so many canaries in its messages.

    Raises:
        CaseError: the case holds something that is no message.
    """
    conversation = case.conversation()
    head = len(case.messages) - len(conversation)
    changed = plant(conversation, draw_canaries(conversation, count))
    messages = [
        data if new is old else {**data, "content": new.content}
        for data, old, new in zip(case.messages[head:], conversation, changed, strict=True)
    ]
    return case.model_copy(update={"messages": [*case.messages[:head], *messages]})
