"""A model behind an endpoint: what is sent, what faults come to, and where the key stays."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from engine.errors.model_calls import ModelCallError, error_kind
from engine.messages import Message, SystemMessage, ToolInfo, UserMessage
from engine.summarizers.openai import OpenAIModel
from tests.conversations import calling, contents, conversation
from tests.model_server import (
    ModelServer,
    Reply,
    answering,
    dripping,
    dropped,
    failing,
    halved,
    sending,
    serving,
    silent,
    talking,
)
from tests.scripted import Bench, bench, cancelled

KEY = "sk-abc123-do-not-show"
COMPRESSOR = ("CurrentRoundCompressor", {"trigger_context_ratio": 0.3})
STORY = conversation("u a{x} t{x}:3000" + " a:2964" * 8)
CALL = {"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}


def model(server: ModelServer, timeout: float = 60.0) -> OpenAIModel:
    return OpenAIModel("small", base_url=server.url, api_key=lambda: KEY, timeout=timeout)


def compressing(server: ModelServer, timeout: float = 60.0) -> Bench:
    """Ask for a window that is due for a compression."""
    made = bench(COMPRESSOR, messages=STORY, model=model(server, timeout), capacity=20_000)
    made.system = [SystemMessage(content="Be brief.")]
    made.tools = [ToolInfo(name="t", description="A tool.", parameters={"type": "object"})]
    made.window()
    return made


def ask(server: ModelServer, *messages: Message, timeout: float = 60.0) -> Any:
    return asyncio.run(model(server, timeout).answer(messages, []))


def told(made: Bench) -> tuple[str | None, str | None]:
    """Return why the attempt ended, and the kind of the last fault."""
    [outcome] = made.outcomes
    assert set(outcome.summarizers) == {"openai"}
    return outcome.reason, outcome.error_kind


FAULTS: dict[str, tuple[Reply, str, str | None, int]] = {
    "401": (failing(401), "authentication", "authentication", 1),
    "403": (failing(403), "authentication", "authentication", 1),
    "400": (failing(400), "api_request_error", "api_request_error", 1),
    "413": (failing(413), "overflow_exhausted", "context_overflow", 4),
    "overflow text": (
        failing(400, "The prompt is too long."), "overflow_exhausted", "context_overflow", 4,
    ),
    "overflow code": (
        failing(400, code="context_length_exceeded"), "overflow_exhausted", "context_overflow", 4,
    ),
    "overflow of a server": (
        failing(500, "more than the maximum context"), "overflow_exhausted", "context_overflow", 4,
    ),
    "type": (failing(418, type="authentication_error"), "authentication", "authentication", 1),
    "418": (failing(418), "transient_exhausted", "unknown", 3),
    "429": (failing(429), "transient_exhausted", "rate_limit", 3),
    "500": (failing(500), "transient_exhausted", "server_unstable", 3),
    "502": (
        lambda handler: handler.send(502, b"<h1>Oops</h1>", "text/html"),
        "transient_exhausted", "server_unstable", 3,
    ),
    "503": (failing(503), "transient_exhausted", "server_unstable", 3),
    "dropped": (dropped, "transient_exhausted", "unknown", 3),
    "halved": (halved, "transient_exhausted", "unknown", 3),
    "broken JSON": (talking(b'{"choices": [' * 50), "transient_exhausted", "unknown", 3),
    "a page": (talking(b"<h1>Hello</h1>", "text/html"), "transient_exhausted", "unknown", 3),
    "not UTF-8": (talking(b'{"choices": ["\xff"]}'), "transient_exhausted", "unknown", 3),
    "no choices": (sending({"choices": []}), "transient_exhausted", "unknown", 3),
    "null choices": (sending({"choices": None}), "transient_exhausted", "unknown", 3),
    "nothing": (talking(b""), "transient_exhausted", "unknown", 3),
    "empty": (answering(""), "empty_answer", None, 1),
    "blank": (answering(" \n"), "empty_answer", None, 1),
    "null": (answering(None), "empty_answer", None, 1),
    "a tool call": (answering(None, tool_calls=[CALL]), "empty_answer", None, 1),
    "longer than its source": (answering("word " * 9000), "no_benefit", None, 1),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_the_window_as_it_was(fault: str) -> None:
    reply, reason, kind, calls = FAULTS[fault]
    with serving(reply) as server:
        made = compressing(server)
    assert told(made) == (reason, kind)
    assert len(server.requests) == calls
    assert contents(made.context.get_messages()) == contents(STORY)
    assert made.states == ["CurrentRoundCompressor started", "CurrentRoundCompressor noop"]


@pytest.mark.parametrize("reply", [silent, dripping])
def test_all_of_a_call_has_one_limit_of_time(reply: Reply) -> None:
    with serving(reply) as server:
        made = compressing(server, timeout=0.1)
    assert told(made) == ("transient_exhausted", "timeout")
    assert [outcome.model_calls for outcome in made.outcomes] == [3]
    assert contents(made.context.get_messages()) == contents(STORY)


@pytest.mark.parametrize(
    "fault", [failing(429), failing(503), dropped, halved, sending({"choices": []})]
)
def test_a_second_call_may_work(fault: Reply) -> None:
    with serving(fault, answering("S")) as server:
        made = compressing(server)
    assert len(server.requests) == 2
    assert made.states[-1] == "CurrentRoundCompressor completed"
    assert len(made.context) == 2


def test_an_overflow_leaves_the_later_messages_alone() -> None:
    with serving(failing(413), answering("S")) as server:
        made = compressing(server)
    sent = [len(request["messages"]) for request in server.requests]
    assert sent[0] > sent[1]
    after = made.context.get_messages()
    assert [m.content for m in after[2:]] == [m.content for m in STORY[-len(after[2:]) :]]


def test_an_unreachable_endpoint_is_tried_again() -> None:
    with serving(answering("S")) as server:
        pass
    made = compressing(server)
    assert told(made) == ("transient_exhausted", "unknown")


def test_the_request_is_plain_chat() -> None:
    with serving(answering("S", usage={"prompt_tokens": 9, "total_tokens": 10})) as server:
        made = compressing(server)
    [request] = server.requests
    assert request["model"] == "small"
    assert "stream" not in request
    assert [m["role"] for m in request["messages"]] == ["system", *(m.role for m in STORY), "user"]
    known = {"role", "content", "name", "tool_calls", "tool_call_id"}
    assert all(message.keys() <= known for message in request["messages"])
    assert request["messages"][2]["tool_calls"][0]["function"] == {"name": "t", "arguments": "{}"}
    assert request["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "t",
                "description": "A tool.",
                "parameters": {"type": "object"},
            },
        }
    ]
    usage = made.context.states[-1].compression_usage
    assert usage is not None
    assert (usage["input_tokens"], usage["total_tokens"], usage["model_name"]) == (9, 10, "small-1")


def test_a_cache_key_is_sent_where_affinity_is_on() -> None:
    name, settings = COMPRESSOR
    affine = (name, {**settings, "enable_kv_cache_affinity": True})
    with serving(answering("S")) as server:
        bench(affine, messages=STORY, model=model(server), capacity=20_000).window()
    assert server.requests[0]["prompt_cache_key"] == "s:CurrentRoundCompressor"


def test_parts_of_content_are_sent_as_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with serving(answering("S")) as server:
        ask(server, UserMessage(content=["text", image]))
    [message] = server.requests[0]["messages"]
    assert message["content"] == [{"type": "text", "text": "text"}, image]
    assert "tools" not in server.requests[0]


def test_text_that_cannot_be_encoded_is_never_sent() -> None:
    with serving(answering("S")) as server, pytest.raises(ModelCallError) as caught:
        ask(server, UserMessage(content="\ud800"))
    assert error_kind(caught.value) == "unknown"
    assert server.requests == []


def test_an_answer_with_calls_is_for_whoever_wants_calls() -> None:
    usage = {"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 5}}
    with serving(answering(None, tool_calls=[CALL], usage=usage)) as server:
        answer = ask(server, UserMessage(content="x"), calling("x"))
    assert answer.content == ""
    assert [(call.id, call.name) for call in answer.tool_calls] == [("1", "t")]
    assert (answer.usage_metadata.input_tokens, answer.usage_metadata.cache_tokens) == (7, 5)


def test_the_server_s_words_and_its_name_of_the_request_are_searched() -> None:
    def named(handler: Any) -> None:
        handler.send_response(400)
        handler.send_header("x-request-id", "req-413")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with serving(named) as server, pytest.raises(ModelCallError) as caught:
        ask(server, UserMessage(content="x"))
    assert error_kind(caught.value) == "context_overflow"
    with serving(failing(400, "Please check.")) as server, pytest.raises(ModelCallError) as caught:
        ask(server, UserMessage(content="x"))
    assert str(caught.value) == "Error code: 400 - Please check."


# Cancelling


def test_a_cancelled_call_leaves_the_context_ready_for_the_next() -> None:
    with serving(silent, answering("S")) as server:
        made = bench(COMPRESSOR, messages=STORY, model=model(server), capacity=20_000)

        async def scene() -> None:
            task = asyncio.create_task(made.context.get_context_window())
            await asyncio.to_thread(server.asked.wait)
            await cancelled(task)
            assert contents(made.context.get_messages()) == contents(STORY)
            await made.context.get_context_window()

        asyncio.run(scene())
    assert [state.split()[1] for state in made.states] == [
        "started", "failed", "started", "completed",
    ]  # fmt: skip
    assert made.context.states[1].error == "cancelled"


# The key


def everything(made: Bench, server: ModelServer) -> str:
    shown: Sequence[object] = (
        repr(server.requests),
        repr(made.context.summarizer),
        vars(made.context.summarizer),
        *(record.to_json() for record in made.sink.records),
        *(state.model_dump() for state in made.context.states),
        *(build().model_dump() for build in made.sink.dumps),
    )
    return json.dumps([str(part) for part in shown])


@pytest.mark.parametrize(
    "reply",
    [
        answering("S"),
        failing(401, f"Incorrect key provided: {KEY}"),
        failing(429, f"Too many requests with {KEY}"),
        failing(400, f"The prompt is too long for {KEY}"),
        dropped,
    ],
)
def test_the_key_is_shown_nowhere(reply: Reply, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), serving(reply) as server:
        made = compressing(server)
    assert server.keys[0] == f"Bearer {KEY}"
    assert KEY not in caplog.text
    assert KEY not in everything(made, server)


def test_an_error_does_not_carry_the_request() -> None:
    with serving(failing(401, KEY)) as server, pytest.raises(ModelCallError) as caught:
        ask(server, UserMessage(content="x"))
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_the_key_is_asked_for_with_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter(["one", "two"])
    with serving(answering("S")) as server:
        rotating = OpenAIModel("m", base_url=server.url, api_key=lambda: next(keys))
        for _ in range(2):
            asyncio.run(rotating.answer([UserMessage(content="x")], []))
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for key in ("three", None):
            if key:
                monkeypatch.setenv("OPENAI_API_KEY", key)
            else:
                monkeypatch.delenv("OPENAI_API_KEY")
            asyncio.run(OpenAIModel("m").answer([UserMessage(content="x")], []))
    assert server.keys == ["Bearer one", "Bearer two", "Bearer three", "Bearer none"]


def test_the_client_is_imported_only_when_used() -> None:
    code = (
        "import sys, engine.summarizers.openai as module; module.OpenAIModel('m');"
        "raise SystemExit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
