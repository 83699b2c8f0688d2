"""The order of a recovered conversation as a case states it: messages first, then actions.

A case feeds its messages and asks for windows; whatever else happened on the way is an action, and
from the first one on everything is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.processors.compressors.dialogue import DialogueCompressor
from inspector.replay.cases.actions import Action, AddAction, CompressAction, WindowAction
from inspector.replay.recovery.conversation import Added, Recovered
from inspector.replay.recovery.recorded import Chat

DIALOGUE = DialogueCompressor.processor_type()


class Layout(NamedTuple):
    """What a case says of the order."""

    messages: list[Chat]
    """Those that come before the first action."""
    groups: list[tuple[int, bool]]
    actions: list[Action]


def laid_out(
    found: Recovered, chain: Sequence[str], before: Mapping[int, Sequence[Action]]
) -> Layout:
    """Return the order of a conversation.

    Args:
        found: the conversation.
        chain: names of the processors of its case.
        before: by window request, what happened right before it.
    """
    steps = found.steps
    at = next(
        (i for i, s in enumerate(steps) if s.step.on_demand or s.number in before), len(steps)
    )
    groups = [(step.added, True) for step in steps[:at]]
    if at < len(steps):
        groups.append((steps[at].added, False))
    fed = sum(count for count, _ in groups)
    actions: list[Action] = []
    added = fed
    for position, step in enumerate(steps[at:]):
        if position and step.added:
            actions.append(AddAction(do="add", messages=found.messages[added:][: step.added]))
            added += step.added
        if step.step.on_demand:
            actions.append(CompressAction(do="compress", processor_types=_asked(step, chain)))
        else:
            actions += [*before.get(step.number, ()), WindowAction(do="window")]
    return Layout(found.messages[:fed], groups, actions)


def _asked(step: Added, chain: Sequence[str]) -> list[str] | None:
    """Return who was asked to compress; None for the whole chain.

    The dialogue compressor leaves a check whenever it is asked, so without one it was not.
    """
    asked = step.step.on_demand
    return [*asked] if DIALOGUE in chain and DIALOGUE not in asked else None
