"""A run as a document in the form of the reference cases."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from engine.messages import Message, UserMessage, read_messages
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.digest import message_digest, normalised
from inspector.replay.reports.report import load_report, make_report
from inspector.replay.runs.runner import replay
from tests.conversations import CHATS

LONG = "word " * 300


def report(**fields: Any) -> dict[str, Any]:
    case = Case.model_validate({"mode": "each", "context_window_tokens": 1000, **fields})
    return make_report(asyncio.run(replay(case))).model_dump(mode="json", exclude_none=True)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def expected_digest(message: dict[str, Any]) -> str:
    """Return the digest as the format describes it."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False, sort_keys=True)
    calls = [
        [call["id"], call["function"]["name"], call["function"]["arguments"]]
        for call in message.get("tool_calls") or []
    ]
    whole = [message["role"], normalised(content), calls, message.get("tool_call_id")]
    text = json.dumps(whole, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@given(CHATS)
def test_digests_are_the_format_s(chat: list[dict[str, Any]]) -> None:
    messages = read_messages(chat)
    assert [message_digest(m) for m in messages] == [expected_digest(m) for m in chat]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("handle=0123456789abcdef0123456789abcdef, x", "handle=<hex>, x"),
        ("f0123456789abcdef0123456789abcdef", "f0123456789abcdef0123456789abcdef"),
        ("id=20260102T030405000000Z", "id=<mem>"),
        ("1790000000123_Dialogue", "<ms>_Dialogue"),
        ("1790000000123 Dialogue", "1790000000123 Dialogue"),
        ("1690000000123_x", "1690000000123_x"),
    ],
)
def test_what_changes_from_run_to_run_is_normalised(text: str, clean: str) -> None:
    assert normalised(text) == clean


def test_a_window_is_told_by_what_is_new_in_it() -> None:
    made = report(messages=[user("a"), user("b"), {"role": "assistant", "content": "c"}])
    told = [step["window"]["messages"] for step in made["steps"]]
    assert [(m["same_as_previous"], len(m["then"])) for m in told] == [(0, 1), (1, 1), (2, 1)]
    for message in told:
        for digest in message["then"]:
            assert expected_digest(made["texts"][digest]) == digest


def test_a_compression_is_told_in_full() -> None:
    made = report(
        messages=[user("q"), {"role": "assistant", "content": LONG}],
        processors=[["CurrentRoundCompressor", {"trigger_context_ratio": 0.5}]],
        tools=[{"type": "function", "function": {"name": "t"}}],
        replies=[{"content": "S"}],
        session_id="s/1",
        workspace="/srv/agent",
    )
    step = made["steps"][1]
    assert [record["event"] for record in step["decisions"]] == ["threshold_check", "span_built"]
    assert [record["event"] for record in step["extra"]] == ["outcome"]
    assert step["llm"] == [{"messages": 3, "roles": "uau", "tools": 1}]
    assert [(s["processor"], s["status"], "after" in s) for s in step["states"]] == [
        ("CurrentRoundCompressor", "started", False),
        ("CurrentRoundCompressor", "completed", True),
    ]
    [path] = step["files"]
    assert normalised(path) == (
        "context/s/1_context/compression_logs/<ms>_CurrentRoundCompressor_s-1.json"
    )
    window = step["window"]
    assert (window["context_messages_before"], window["context_messages"]) == (2, 2)
    assert window["roles"] == "uu"
    assert window["stats"]["user_messages"] == 2
    assert "tool_message_tokens" not in window["stats"]
    assert [m["role"] for m in made["final_messages"]] == ["user", "user"]
    assert made["context_statistic"]["total_messages"] == 2
    assert made["summaries"] == {"recorded": 1}
    assert made["capacity_source"] == "setting"


def test_adds_at_which_nothing_happened_are_left_out() -> None:
    made = report(messages=[user("a"), user("b")], mode="step")
    assert [(step["kind"], step["added"]) for step in made["steps"]] == [("window", 2)]


def test_messages_stand_without_the_engine_s_own_marks() -> None:
    usage = {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}
    call = {"id": "x", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": ["a", {"type": "text", "text": "b"}], "name": "ann"},
        {"role": "assistant", "content": "", "tool_calls": [call], "reasoning_content": "hm"},
        {"role": "tool", "content": "r", "tool_call_id": "x"},
        {"role": "assistant", "content": "c"},
        {"role": "system", "content": "s"},
    ]
    made = report(messages=[*chat[:3], {**chat[3], "usage_metadata": usage}, chat[4]])
    final = made["final_messages"]
    assert final[3].pop("usage_metadata")["total_tokens"] == 6
    assert final == chat


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(CHATS)
def test_a_report_can_be_written_and_read(tmp_path: Path, chat: list[dict[str, Any]]) -> None:
    made = report(messages=chat, processors=[["RoundLevelCompressor", {}]])
    path = tmp_path / "report.json"
    text = json.dumps(made, ensure_ascii=False)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    read = load_report(path)
    assert read is not None
    assert read.model_dump(mode="json", exclude_none=True) == made


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 100_000, b"\xff"])
def test_what_is_no_report_reads_as_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    assert load_report(path) is None
    assert load_report(tmp_path) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": [{"kind": 5, "added": 0}]}, "steps.0.kind"),
        ({"insights": {"net_cost": float("nan")}}, "insights.net_cost"),
        (
            {"steps": [{"kind": "w", "added": 0, "decisions": [{"timestamp": "soon"}]}]},
            "steps.0.decisions.0: .*timestamp",
        ),
    ],
)
def test_a_damaged_report_says_where(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"context_max": 9, "steps": [], **changes}), encoding="utf-8")
    with pytest.raises(CaseError, match=f"report.json: is a damaged report: {message}"):
        load_report(path)


def test_equal_messages_share_a_text() -> None:
    messages: list[Message] = [UserMessage(content="x"), UserMessage(content="x")]
    assert message_digest(messages[0]) == message_digest(messages[1])
    assert len(report(messages=[user("x"), user("x")])["texts"]) == 1
