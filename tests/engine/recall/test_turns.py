"""Replaced messages as turns, and turns as text in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from engine.recall.turns import piece_title, pieces, split_turns
from tests.conversations import CONVERSATIONS, conversation


def queries(messages: list[Message], before: list[Message] | None = None) -> list[str]:
    return [turn.query for turn in split_turns(messages, before or [])]


def user(text: str) -> UserMessage:
    return UserMessage(content=text)


@given(CONVERSATIONS)
def test_turns_hold_every_message_once_in_order(messages: list[Message]) -> None:
    turns = split_turns(messages, [])
    assert [m for turn in turns for m in turn.messages] == messages
    assert [turn.turn_id for turn in turns] == [f"turn_{i:03d}" for i in range(len(turns))]
    assert all(turn.messages for turn in turns)


def test_a_request_starts_a_turn_and_what_the_engine_wrote_does_not() -> None:
    messages = [user("one"), *conversation("a m a"), user("two"), *conversation("a")]
    assert queries(messages) == ["one", "two"]
    answers = [turn.answer for turn in split_turns(messages, [])]
    assert answers == ["a\na", "a"]


def test_an_answer_in_parts_is_kept_as_json_and_a_blank_one_as_it_is() -> None:
    blank, parts = AssistantMessage(content=" "), AssistantMessage(content=["a"])
    [turn] = split_turns([blank, parts, AssistantMessage(content="end ")], [])
    assert turn.answer == '["a"]\nend '
    assert turn.text == '## Assistant\n \n\n## Assistant\n["a"]\n\n## Assistant\nend'


def test_messages_before_any_request_take_the_latest_one_in_front() -> None:
    assert queries(conversation("a{x} t{x}"), [user("old"), user("new"), *conversation("m a")]) == [
        "new"
    ]
    assert queries(conversation("m a")) == [""]
    assert queries([*conversation("a"), user("later")], [user("old")]) == ["old", "later"]


def test_list_content_is_judged_by_its_text() -> None:
    internal = UserMessage(content=[{"type": "text", "text": "<system-reminder>x"}])
    asked = UserMessage(content=["one", {"type": "text", "text": "two"}, {"type": "image_url"}])
    assert queries([internal, asked]) == ["", "one\ntwo"]


def test_a_request_is_taken_out_of_its_envelope() -> None:
    assert queries([user('From web:\n{"content": "fix it", "id": 1}')]) == ["fix it"]
    for kept in ('From web:\n{"content": 5}', "From web:\n[1]", "one line", 'x\n{"content"'):
        assert queries([user(kept)]) == [kept]


def test_a_turn_reads_as_markdown() -> None:
    call = ToolCall(id="c", name="grep", arguments='{"q": 1}')
    [turn] = split_turns(
        [
            user("look"),
            AssistantMessage(content="", reasoning_content="hm", tool_calls=[call]),
            ToolMessage(content="found", tool_call_id="c"),
            AssistantMessage(content="done"),
        ],
        [],
    )
    assert turn.text == (
        "## User\nlook\n\n## Assistant Reasoning\nhm\n\n## Tool Call: grep\n"
        '{"q": 1}\n\n## Tool Result: c\nfound\n\n## Assistant\ndone'
    )
    assert piece_title(turn.text) == "look"
    assert piece_title("## User\n") == ""


@pytest.mark.parametrize(
    ("piece", "title"),
    [
        ("## Tool Call: grep\n{}", "Tool Call: grep"),
        ("## User\n\n  <tag> x", "<tag> x"),
        ("## Assistant\nUser\n### deep", "deep"),
    ],
)
def test_a_piece_is_titled_by_the_first_line_that_names_more_than_a_role(
    piece: str, title: str
) -> None:
    assert piece_title(piece) == title


def test_images_are_left_out_of_the_text() -> None:
    picture = "data:image/png;base64,AAAA"
    [turn] = split_turns([user(f"see {picture} here")], [])
    assert "AAAA" not in turn.text
    assert turn.query == "see [image:data-url-omitted] here"


@given(st.text(max_size=300), st.integers(1, 10), st.integers(4, 40))
def test_pieces_cover_the_text_within_their_size(text: str, overlap: int, fresh: int) -> None:
    size = overlap + fresh
    made = pieces(text, size, overlap)
    if not text:
        assert made == []
        return
    joined = ""
    for piece in made:
        repeated = end_of(joined, overlap)
        assert piece.startswith(repeated)
        assert len(repeated) < len(piece)
        assert width(piece) <= size
        joined += piece[len(repeated) :]
    assert joined == text


def width(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def end_of(text: str, size: int) -> str:
    """Return the longest end of a text that is no wider."""
    return next(text[i:] for i in range(len(text) + 1) if width(text[i:]) <= size)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("abcdefghij", ["abcdefgh", "ghij"]),
        ("abcdefgh", ["abcdefgh"]),
        ("中文内容", ["中文", "内容"]),
        ("abcdef\U0001f642gh", ["abcdef", "ef\U0001f642gh"]),
    ],
)
def test_a_piece_repeats_the_end_of_the_one_before(text: str, made: list[str]) -> None:
    assert pieces(text, 8, 2) == made
