"""The sample is what its script records, and shows each way a decision can end.

Thursday (0319) has the three compressors and their give-ups, Friday (0320) the whole chain.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.messages import AssistantMessage, UserMessage
from engine.messages.authors import is_real_user
from inspector.trace.decision import Decision
from inspector.trace.opened import open_traces
from resources.sample import record
from resources.sample.record import HERE, WORKSPACE, Recording

COMPRESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
DECLINES = {"below_threshold", "no_compressible_span", "target_below_min"}
GIVE_UPS = {
    "authentication",
    "api_request_error",
    "empty_answer",
    "no_benefit",
    "transient_exhausted",
    "overflow_exhausted",
    "overflow_no_smaller_span",
}
MEGABYTE = 1_000_000
RULE = 'exactly `{"received": true}`'
"""What the user wants of the agent's work, in words that a summary has to keep."""

SECRETS = re.compile(
    r"sk-[\w-]{16,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|xox[abprs]-\w{10,}|eyJ[\w-]{20,}\."
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|Bearer [\w.~+/-]{16,}|//[^/\s:@]+:[^/\s@]+@"
    r"|(?i:password|passwd|api[_-]?key)\s*[=:]\s*[\"']?\w{8,}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sample") / "workspace"


@pytest.fixture(scope="module")
def recordings(folder: Path) -> dict[str, Recording]:
    return record.record(folder)


@pytest.fixture(scope="module")
def recording(recordings: dict[str, Recording]) -> Recording:
    return recordings["0319"]


@pytest.fixture(scope="module")
def friday() -> list[Decision]:
    """Return what the shipped files tell of the second session."""
    opened = open_traces([WORKSPACE])
    assert not opened.problems
    thursday, trace = opened.traces
    assert (thursday.session_id, trace.session_id) == ("ledgerline-0319", "ledgerline-0320")
    return [trace.decision(row) for row in range(len(trace.decisions.time))]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def records(kind: str, session: str = "0319") -> Iterator[dict[str, Any]]:
    """Yield a session's shipped records of one kind."""
    for path in WORKSPACE.glob(f"context/*-{session}_context/context_debug/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            if read["event"] == kind:
                yield read


def dumps(session: str = "0319") -> list[dict[str, Any]]:
    """Return a session's shipped dumps, the oldest first."""
    paths = sorted(WORKSPACE.glob(f"context/*-{session}_context/compression_logs/*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def said(messages: list[dict[str, Any]]) -> str:
    return "\n".join(message["content"] for message in messages)


def shipped_texts() -> Iterator[tuple[str, str]]:
    for path in HERE.rglob("*"):
        if path.suffix in {".toml", ".json", ".jsonl"}:
            yield path.name, path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("recordings")
def test_recording_again_gives_the_shipped_files(folder: Path) -> None:
    shipped, again = contents(WORKSPACE), contents(folder)
    assert sorted(shipped) == sorted(again)
    different = [name for name in shipped if shipped[name] != again[name]]
    assert not different, "run resources/sample/record.py: the engine writes something else now"


def test_each_processor_looked_at_120_windows(recording: Recording) -> None:
    assert recording.windows == 120
    checks = Counter(check["processor"] for check in records("threshold_check"))
    assert checks == dict.fromkeys(COMPRESSORS, 120)


def test_each_compressor_worked(recording: Recording) -> None:
    worked = {o.processor for o in recording.outcomes if o.outcome == "compressed"}
    assert worked == set(COMPRESSORS)
    assert len(dumps()) == sum(o.outcome == "compressed" for o in recording.outcomes)


def test_all_reasons_to_decline_and_to_give_up_occur(recording: Recording) -> None:
    assert {check.reason for check in recording.declines} == DECLINES
    given_up = {o.reason for o in recording.outcomes if o.outcome == "gave_up"}
    assert given_up == GIVE_UPS


@pytest.mark.parametrize("error", ["context_overflow", "server_unstable"])
def test_a_later_call_worked_after_an_error(recording: Recording, error: str) -> None:
    ends = [o for o in recording.outcomes if o.error_kind == error and o.outcome == "compressed"]
    assert [end.model_calls for end in ends] == [2]


def test_the_window_outgrows_its_capacity_while_the_model_fails(recording: Recording) -> None:
    checks = list(records("threshold_check"))
    beyond = [check["timestamp"] for check in checks if check["total_tokens"] > 20_000]
    failed = [o.timestamp for o in recording.outcomes if o.reason == "authentication"]
    last = [o.timestamp for o in recording.outcomes if o.outcome == "compressed"]
    assert beyond
    recovered = min(time for time in last if time > max(failed))
    assert min(failed) < min(beyond) < max(beyond) <= recovered


def test_requests_of_two_people_in_two_languages(recording: Recording) -> None:
    messages = [message for _, chapter in record.chapters("0319") for message in chapter]
    requests = [m.text for m in messages if isinstance(m, UserMessage)]
    assert len(requests) == 7
    assert all(is_real_user(UserMessage(content=text)) for text in requests)
    chinese = [text for text in requests if re.search(r"[\u4e00-\u9fff]", text)]
    assert len(chinese) == 2
    assert "👋" in chinese[0]


def test_a_summary_loses_a_rule_of_the_user() -> None:
    lost = []
    for dump in dumps():
        before = said(dump["compression_request"]["messages_sent_to_model"][:-1])
        if RULE in before and RULE not in said(dump["context_after"]["messages"]):
            lost.append(dump)
    assert [dump["processor_type"] for dump in lost] == ["DialogueCompressor"]
    assert "docs/webhooks.md" not in lost[0]["compression_response"]["extracted_summary"]


def test_state_of_the_workspace_comes_back() -> None:
    recovered = [
        message["content"]
        for dump in dumps()
        for message in dump["context_after"]["messages"]
        if message["content"].startswith("<recovered_context>")
    ]
    assert any("Rotate the webhook signing secret" in text for text in recovered)
    assert any('<section name="read_file">' in text for text in recovered)


def test_large_results_were_shortened_by_rules(friday: list[Decision]) -> None:
    offloads = [d for d in friday if d.outcome == "offloaded"]
    kinds = {d.reason for d in offloads if d.phase == "add_messages"}
    assert kinds == {
        "rule:LOG",
        "rule:JSON_ARRAY",
        "rule:SEARCH_RESULTS",
        "rule:PLAIN_TEXT",
        "rule:GIT_DIFF",
        None,  # no rule gained anything: stored, both ends shown
    }
    assert [d.step for d in offloads if d.phase == "get_context_window"] == [10]


def test_protected_tools_kept_their_results(friday: list[Decision]) -> None:
    calls = {
        call.id: call.name
        for _, chapter in record.chapters("0320")
        for message in chapter
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls or ()
    }
    protected = [d.tool_call_id for d in friday if d.reason == "protected_tool"]
    assert {calls[call or ""] for call in protected} == {"read_file", "recall_compressed_context"}


def test_notes_were_updated_and_took_the_messages_place(friday: list[Decision]) -> None:
    ends = [d.outcome for d in friday if d.processor.startswith("SessionMemory")]
    done = [end for end in ends if end != "declined"]
    assert done == ["update_started", "notes_updated", "materialised"] * 2


def test_a_loop_was_folded() -> None:
    requests = list(records("pre_call", "0320"))
    assert [request["sequence"] for request in requests] == list(range(1, 34))
    folded = [
        request["sequence"]
        for request in requests
        if any(
            "repetitions are folded away" in message["content"] for message in request["messages"]
        )
    ]
    assert folded[0] == 14


def test_what_was_replaced_is_archived(friday: list[Decision]) -> None:
    replaced = Counter(d.processor for d in friday if d.outcome in {"compressed", "materialised"})
    manifests = WORKSPACE.glob("context/*/compression_recall/*/manifest.json")
    archived = Counter(json.loads(path.read_text("utf-8"))["processor_type"] for path in manifests)
    assert archived == replaced
    assert {"DialogueCompressor", "CurrentRoundCompressor"} <= archived.keys()
    assert all(
        "[[COMPRESSION_RECALL: id=" in said(d["context_after"]["messages"]) for d in dumps("0320")
    )


def test_an_archive_was_searched() -> None:
    answers = [
        message["content"]
        for request in records("pre_call", "0320")
        for message in request["messages"]
        if message["role"] == "tool" and "chunk_id: turn_" in message["content"]
    ]
    assert any("Pagora hangs up after 5" in answer for answer in answers)


def test_our_additions_leave_nothing_to_infer(
    recordings: dict[str, Recording], friday: list[Decision]
) -> None:
    compressed = [d for d in friday if d.outcome == "compressed"]
    assert {d.basis for d in compressed} == {"recorded"}
    stated = [(r["processor"], r["outcome"]) for r in records("outcome", "0320")]
    ends = [(o.processor, o.outcome) for o in recordings["0320"].outcomes]
    assert sorted(stated) == sorted(ends)
    assert {outcome for _, outcome in stated} == {
        "compressed", "declined", "offloaded", "folded",
        "update_started", "notes_updated", "materialised",
    }  # fmt: skip
    assert all(dump["context_before"]["messages"] for dump in dumps("0320"))
    assert not list(records("outcome"))


def test_nothing_of_a_real_person_or_machine() -> None:
    machine = (str(Path.home()), tempfile.gettempdir(), str(HERE.parents[1]))
    for name, text in shipped_texts():
        assert not SECRETS.search(text), name
        assert not any(path in text for path in machine), name


def test_it_is_small() -> None:
    files = contents(HERE)
    assert sum(map(len, files.values())) < 4 * MEGABYTE
    logs = [data for name, data in files.items() if name.endswith("llm_request.jsonl")]
    assert sum(map(len, logs)) < MEGABYTE


def test_other_files_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"no earlier recording: it holds mine\.txt"):
        record.record(tmp_path)
    assert contents(tmp_path) == {"mine.txt": b"mine"}


@pytest.mark.usefixtures("recordings")
def test_an_earlier_recording_is_replaced(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = contents(folder)
    monkeypatch.setattr(sys, "argv", ["record.py", str(folder)])
    record.main()
    assert contents(folder) == before
    assert capsys.readouterr().out.startswith("0319: 120 windows")
