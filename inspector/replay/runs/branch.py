"""Branches: a case with a turn, and what the turn comes to.

Nothing recorded changes: a branch is a new case that says which one it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.messages import MESSAGE_ID, Message, read_messages
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.digest import message_digest
from inspector.replay.cases.turn import MessageChange, Turn
from inspector.replay.settings.edits import Edit, edited


def branched(parent: Case, turn: Turn, name: str) -> Case:
    """Return the branch of a case that takes a turn.

    Args:
        parent: the case, which may be a branch itself.
        turn: what changes; it is taken after the case's other turns at the same step.
        name: id of the branch.

    Raises:
        CaseError: a setting does not exist or its value is invalid.
    """
    turns = sorted([*parent.turns, turn], key=lambda taken: taken.step)
    branch = parent.model_copy(update={"id": name, "parent": parent.id, "turns": turns})
    settings_at(branch, turn.step)
    return branch


def settings_at(case: Case, step: int) -> Case:
    """Return the case with the settings that are in force at a window request.

    Raises:
        CaseError: a turn's setting does not exist or its value is invalid.
    """
    edits = [
        Edit(owner, field, value)
        for turn in case.turns
        if turn.step <= step
        for name, value in turn.settings.items()
        for owner, _, field in [name.partition(".")]
    ]
    return edited(case, edits) if edits else case


def changed_messages(
    messages: Sequence[Message], changes: Iterable[MessageChange], step: int
) -> list[Message]:
    """Return messages with some of them edited or dropped.

    Args:
        messages: the context before a request.
        changes: what changes; of those of one position the last wins.
        step: the request, for what is said of errors.

    Raises:
        CaseError: a message is not there, or is another one than was meant.
    """
    new: list[Message | None] = list(messages)
    for change in changes:
        if change.position >= len(messages):
            raise CaseError(
                f"step {step}: there is no message {change.position} to change, "
                f"the context holds {len(messages)}"
            )
        old = messages[change.position]
        if change.was is not None and change.was != message_digest(old):
            raise CaseError(
                f"step {step}: message {change.position} is another one than was changed: "
                f"{old.role} {old.text[:40]!r}"
            )
        edited_to = change.message
        new[change.position] = None if edited_to is None else _in_place_of(old, edited_to)
    return [message for message in new if message is not None]


def _in_place_of(old: Message, data: dict[str, Any]) -> Message:
    [message] = read_messages([data])
    return message.revised(metadata={**message.metadata, MESSAGE_ID: old.message_id})


def check_taken(case: Case, windows: int) -> None:
    """Refuse turns that a replay of so many window requests never reached.

    Raises:
        CaseError: there is one.
    """
    late = next((turn.step for turn in case.turns if turn.step > windows), None)
    if late is not None:
        raise CaseError(
            f"case {case.id}: a turn is to be taken at step {late}, but only {windows} windows are "
            "asked for"
        )
