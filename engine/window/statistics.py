"""How many messages and tokens a window or a buffer holds (`engine.md` §1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.messages import Message, ToolInfo
from engine.messages.rounds import dialogue_round_count
from engine.tokens.counters import LIST_FRAME
from engine.tokens.tally import Tally
from engine.tokens.usage import reported


@dataclass(frozen=True)
class ContextStats:
    """Messages and tokens of a window or a buffer.

    Where a provider's usage is valid, `total_tokens` is its input count and the tokens by role stay
    0.
    """

    total_messages: int = 0
    total_tokens: int = 0
    total_dialogues: int = 0
    system_messages: int = 0
    user_messages: int = 0
    assistant_messages: int = 0
    tool_messages: int = 0
    tools: int = 0
    system_message_tokens: int = 0
    user_message_tokens: int = 0
    assistant_message_tokens: int = 0
    tool_message_tokens: int = 0
    tool_tokens: int = 0


def statistic(
    tally: Tally, system: Sequence[Message] = (), tools: Sequence[ToolInfo] = ()
) -> ContextStats:
    """Return the statistic of a window, each message counted as a list of its own.

    Args:
        tally: figures of its context messages.
        system: its system messages.
        tools: its tools.
    """
    roles = "s" * len(system) + tally.roles
    tokens = dict.fromkeys(tally.tokens, 0)
    inputs = (usage.input_tokens for _, usage in reported(tally.messages, tally.carriers))
    provided = next((read for read in inputs if read > 0), None)
    if provided is None:
        tokens = {r: n + LIST_FRAME * roles.count(r[0]) for r, n in tally.tokens.items()}
        tokens["system"] += sum(map(tally.counter.count_message, system))
    tool_tokens = tally.tool_tokens(tools).one_by_one
    return ContextStats(
        total_messages=len(roles),
        total_tokens=sum(tokens.values()) + tool_tokens if provided is None else provided,
        total_dialogues=dialogue_round_count(roles),
        system_messages=roles.count("s"),
        user_messages=roles.count("u"),
        assistant_messages=roles.count("a"),
        tool_messages=roles.count("t"),
        tools=len(tools),
        system_message_tokens=tokens["system"],
        user_message_tokens=tokens["user"],
        assistant_message_tokens=tokens["assistant"],
        tool_message_tokens=tokens["tool"],
        tool_tokens=tool_tokens,
    )
