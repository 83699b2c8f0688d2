"""Who wrote a message in the user's role (`engine.md` §5.1)."""

import pytest

from engine.messages import UserMessage
from engine.messages.authors import last_real_user
from tests.conversations import conversation


@pytest.mark.parametrize(
    ("content", "real"),
    [
        ("hello", True),
        ("", True),
        ("<system-reminder>x", False),
        ("\n  <memory_block_current>\nx", False),
        ("<memory_block_dialogue>", False),
        ("<memory_block_round>", False),
        ("<memory_block_session>", False),
        ("<recovered_context>", False),
        ("[STATE_REINJECTION]\n", False),
        ("<SYSTEM-REMINDER>", True),  # case matters
        ("see <system-reminder>", True),
        ("[DIALOGUE_MEMORY_BLOCK]", True),  # a marker of the older classes
        (["<system-reminder>"], True),  # list content is always a user's
        ([{"type": "text", "text": "<system-reminder>"}], True),
    ],
)
def test_who_wrote_a_user_message(content: object, real: bool) -> None:
    message = UserMessage.model_validate({"role": "user", "content": content})
    assert last_real_user([message]) == (0 if real else -1)


@pytest.mark.parametrize(
    ("notation", "position"),
    [("", -1), ("a s", -1), ("m t{x}", -1), ("u a m", 0), ("u u a", 1)],
)
def test_the_latest_message_of_a_user(notation: str, position: int) -> None:
    assert last_real_user(conversation(notation)) == position
