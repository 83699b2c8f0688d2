"""Counting by encoding, without a network and whatever the text."""

import gzip
import hashlib
import json
import shutil
import socket
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ContextEngineConfig
from engine.messages import AssistantMessage, Message, ToolCall, ToolInfo, read_messages
from engine.resources import resource_path
from engine.tokens import tiktoken
from engine.tokens.counters import LIST_FRAME
from engine.tokens.selection import COUNTER_NAMES, default_counter, make_counter
from engine.tokens.tiktoken import TiktokenCounter, Vocabulary, load_vocabulary
from tests.conversations import CHATS, conversation

VOCABULARIES: tuple[Vocabulary, ...] = get_args(Vocabulary)
CL100K = TiktokenCounter("cl100k_base")


@pytest.mark.parametrize(
    ("vocabulary", "text", "ids"),
    [
        ("cl100k_base", "hello world", [15339, 1917]),
        ("o200k_base", "hello world", [24912, 2375]),
        ("cl100k_base", "<|endoftext|>", [27, 91, 8862, 728, 428, 91, 29]),
    ],
)
def test_the_ids_are_the_published_ones(vocabulary: Vocabulary, text: str, ids: list[int]) -> None:
    assert load_vocabulary(vocabulary).encode_ordinary(text) == ids


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_a_vocabulary_is_the_one_that_is_named(vocabulary: Vocabulary) -> None:
    folder = resource_path("tokenizers")
    known = json.loads((folder / "vocabularies.json").read_text())[vocabulary]
    data = gzip.decompress((folder / known["file"]).read_bytes())
    notice = (folder / "NOTICE").read_text()
    assert hashlib.sha256(data).hexdigest() == known["sha256"]
    assert known["sha256"] in notice
    assert hashlib.sha256((folder / known["file"]).read_bytes()).hexdigest() in notice


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    load_vocabulary.cache_clear()
    assert CL100K.count("no network") == 2


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b\x08", gzip.compress(b"aGk= 1\n")])
def test_a_damaged_vocabulary_is_named(
    damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(resource_path("tokenizers"), tmp_path / "tokenizers")
    (tmp_path / "tokenizers" / "cl100k_base.tiktoken.gz").write_bytes(damage)
    monkeypatch.setattr(tiktoken, "resource_path", lambda name: tmp_path / name)
    load_vocabulary.cache_clear()
    with pytest.raises(ValueError, match=r"cl100k_base\.tiktoken\.gz .*install"):
        load_vocabulary("cl100k_base")


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\u3000", " \n"])
@pytest.mark.parametrize("counter", [CL100K, TiktokenCounter("o200k_base")])
def test_long_runs_of_white_space_survive(space: str, counter: TiktokenCounter) -> None:
    text = "a" + space * (1_000_000 // len(space)) + "b"
    assert 0 < counter.count(text) <= len(text.encode())


@pytest.mark.parametrize("counter", [CL100K, TiktokenCounter("o200k_base")])
def test_a_long_text_is_encoded_as_a_whole(counter: TiktokenCounter) -> None:
    text = "word " * 40_000 + "\n" + " " * 60_000 + "x" * 2_000
    whole = load_vocabulary(counter.vocabulary).encode_ordinary(text)
    assert counter.count(text) == len(whole)


def test_text_that_utf_8_cannot_carry_counts_by_its_length() -> None:
    assert CL100K.count("abc\ud800def") == 7 // 3


@settings(max_examples=200)
@given(st.text())
def test_any_text_is_counted(text: str) -> None:
    assert 0 <= CL100K.count(text) <= len(text.encode("utf-8", "surrogatepass"))


@given(CHATS)
def test_a_list_is_the_sum_of_its_messages(chat: list[dict[str, Any]]) -> None:
    messages = read_messages(chat)
    each = [CL100K.count_messages([message]) - LIST_FRAME for message in messages]
    assert CL100K.count_messages(messages) == (sum(each) + LIST_FRAME if messages else 0)


def test_a_message_is_counted_in_its_frame_and_once() -> None:
    [message] = conversation("u")
    framed = "<|start|>user\nu<|end|>"
    assert CL100K.count_message(message) == CL100K.count(framed)
    message._counts["tiktoken"] = 99
    assert CL100K.count_message(message) == 99
    assert TiktokenCounter("o200k_base").count_message(message) != 99


def test_calls_are_counted_in_their_nested_form() -> None:
    call = ToolCall(id="1", name="t", arguments='{"q": "é"}')
    plain, calling = AssistantMessage(), AssistantMessage(tool_calls=[call])
    nested = (
        '[{"id": "1", "type": "function", "function": '
        '{"name": "t", "arguments": "{\\"q\\": \\"é\\"}"}}]'
    )
    difference = CL100K.count_message(calling) - CL100K.count_message(plain)
    assert difference == CL100K.count(nested)


def test_tools_are_counted_in_their_place() -> None:
    tool = ToolInfo(name="a", description="b", parameters={})
    framed = '<|start|>functions.a:{}\n{{"name":"a","description":"b","parameters":{{}}}}<|end|>'
    expected = LIST_FRAME + sum(CL100K.count(framed.format(i)) for i in (0, 1))
    assert CL100K.count_tools([tool, tool]) == expected
    assert CL100K.count_tools([]) == 0


def test_texts_of_a_message_are_joined_and_its_other_parts_counted_apart() -> None:
    def message(*parts: Any) -> Message:
        return read_messages([{"role": "user", "content": list(parts)}])[0]

    image = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
    assert CL100K.count_message(message("a", {"type": "text", "text": "b"})) == (
        CL100K.count_message(message("a\nb"))
    )
    assert CL100K.count_message(message("a", image)) == CL100K.count_message(message("a")) + 1445
    sound = {"type": "audio", "x": 1}
    apart = CL100K.count('{"type":"audio","x":1}')
    assert CL100K.count_message(message("a", sound, "b")) == (
        CL100K.count_message(message("a\nb")) + apart
    )


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "text"}, ""),
        ({"text": None}, ""),
        ({"type": "note", "text": 7}, "7"),
        ("see data:image/png;base64,AAAA", "see data:image/png;base64,AAAA"),
        ({"text": "data:image/png;base64,AAAA"}, "data:image/png;base64,AAAA"),
    ],
)
def test_a_part_s_text_is_counted_as_it_is(part: Any, text: str) -> None:
    [message] = read_messages([{"role": "user", "content": [part]}])
    assert CL100K.count_message(message) == CL100K.count(f"<|start|>user\n{text}<|end|>")


@pytest.mark.parametrize("name", COUNTER_NAMES)
def test_counters_have_names(name: Any) -> None:
    assert make_counter(name).name == name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "string"),
        ({"enable_tiktoken_counter": True}, "tiktoken"),
        ({"enable_tiktoken_counter": True, "model_name": "gpt-4"}, "string"),
        ({"enable_tiktoken_counter": True, "model_provider": "openai"}, "string"),
    ],
)
def test_tiktoken_counts_only_where_no_model_is_named(given: dict[str, Any], name: str) -> None:
    assert default_counter(ContextEngineConfig(**given)).name == name
