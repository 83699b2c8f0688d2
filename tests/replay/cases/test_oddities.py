"""What is odd about a conversation is said, and nothing of a sound one."""

from typing import Any

import pytest

from inspector.replay.cases.case import Case
from inspector.replay.cases.oddities import oddities
from tests.ui.replay_cases import tool_round

USER = {"role": "user", "content": "Go"}
CALL, RESULT = tool_round(1)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([USER, *tool_round(1), *tool_round(2)], []),
        ([], ["no message at all"]),
        ([{"role": "system", "content": "Be brief."}, USER], ["is one message"]),
        ([*tool_round(1), *tool_round(2)], ["No message is a user's"]),
        ([USER, CALL], ["1 tool call has no result"]),
        ([USER, RESULT, RESULT], ["2 tool results have no call"]),
        ([CALL, RESULT, RESULT], ["No message is a user's", "1 tool result has no call"]),
    ],
)
def test_what_is_odd_is_said(messages: list[dict[str, Any]], said: list[str]) -> None:
    found = oddities(Case.model_validate({"messages": messages}))
    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))
