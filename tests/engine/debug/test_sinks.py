"""What the engine writes to disk, and what it does when it cannot."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.debug.directories import DUMPS_VARIABLE, RECORDS_VARIABLE
from engine.debug.records import CompressionDump, Outcome, SpanBuilt, ThresholdCheck
from engine.debug.sinks import FileSink
from engine.errors.model_calls import ModelCallError
from engine.messages import (
    USAGE_STALE,
    AssistantMessage,
    Message,
    UsageMetadata,
    UserMessage,
    read_messages,
)
from engine.session import Session
from tests.conversations import contents, conversation
from tests.scripted import Bench, Script, bench

COMPRESSOR = ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5})
STORY = conversation("u a:1500 a:1500")


def run(folder: Path, messages: Sequence[Message] = STORY, **options: Any) -> Bench:
    """Compress once, with files below `folder`."""
    made = bench(
        COMPRESSOR, messages=messages, model=Script(), sink=FileSink(), folder=folder, **options
    )
    made.window()
    return made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def compressed(made: Bench) -> bool:
    return [message.role for message in made.context.get_messages()] == ["user", "user"]


def test_records_and_dump_are_what_the_original_writes(tmp_path: Path) -> None:
    made = run(tmp_path)
    folder = tmp_path / "context" / "s_context"
    check, span, outcome = lines(folder / "context_debug" / "CurrentRoundCompressor.jsonl")
    head = ["timestamp", "event", "processor", "session_id", "context_id", "phase"]
    assert list(check) == [
        *head, "total_tokens", "context_max", "threshold", "hit", "reason", "target_tokens"
    ]  # fmt: skip
    assert list(span) == [*head, "preserved_prefix", "messages_to_compress", "protected_tail"]
    assert ThresholdCheck.model_validate(check).total_tokens == 3 + 7 + 508 + 508
    assert outcome["event"] == "outcome"
    assert [m.tokens for m in SpanBuilt.model_validate(span).messages_to_compress] == [500, 500]

    [path] = (folder / "compression_logs").iterdir()
    assert path.name.endswith("_CurrentRoundCompressor_s.json")
    dump = json.loads(path.read_text(encoding="utf-8"))
    assert list(dump) == [
        "processor_type", "session_id", "context_id", "trigger", "span", "compression_request",
        "compression_response", "context_after", "benefit", "context_before", "timestamp",
    ]  # fmt: skip
    read = CompressionDump.model_validate(dump)
    assert read.span.model_dump() == {
        "preserved_prefix_count": 1, "messages_to_compress_count": 2, "protected_tail_count": 0
    }  # fmt: skip
    assert read.trigger.total_tokens_before == read.benefit.tokens_before == 1026
    assert read.benefit.reduction == 1026 - read.benefit.tokens_after
    assert read.benefit.reduction_ratio == round(read.benefit.reduction / 1026, 4)
    assert (
        read.context_after.total_tokens_after == made.context.statistic().total_tokens - 2 * 3 + 3
    )
    assert read.compression_response.raw_content == "S"
    assert len(read.compression_request.messages_sent_to_model) == 4


def test_how_an_attempt_ended_and_what_was_there_before_need_no_inference(tmp_path: Path) -> None:
    before: list[Message] = [*STORY, *conversation("a")]
    made = bench(
        ("RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 2}),
        messages=before,
        model=Script(ModelCallError("", status=429)),
        sink=FileSink(),
        folder=tmp_path,
    )
    made.window()
    [path] = tmp_path.rglob("*.jsonl")
    outcome = Outcome.model_validate(lines(path)[-1])
    assert (outcome.outcome, outcome.model_calls, outcome.error_kind) == (
        "compressed", 2, "rate_limit",
    )  # fmt: skip
    assert outcome.seconds is not None
    assert 0.05 < outcome.seconds < 0.1  # the pause, and a tick for each look at the clock
    [path] = tmp_path.rglob("*.json")
    dump = CompressionDump.model_validate_json(path.read_bytes())
    assert dump.context_before is not None
    assert contents(read_messages(dump.context_before.messages)) == contents(before)


def test_usage_that_a_compression_made_stale_was_valid_before_it(tmp_path: Path) -> None:
    said = AssistantMessage(content="b" * 900, usage_metadata=UsageMetadata(total_tokens=990))
    made = bench(
        ("RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 2}),
        messages=[*conversation("u a:900"), said, *conversation("u:60")],
        model=Script(),
        sink=FileSink(),
        folder=tmp_path,
    )
    made.window()
    [path] = tmp_path.rglob("*.json")
    dump = CompressionDump.model_validate_json(path.read_bytes())
    assert dump.context_before is not None
    *_, before, _ = dump.context_before.messages
    *_, after, _ = dump.context_after.messages
    assert before["usage_metadata"] == after["usage_metadata"]
    assert [USAGE_STALE in message["metadata"] for message in (before, after)] == [False, True]


def test_only_what_the_original_writes_is_written_on_demand(tmp_path: Path) -> None:
    made = bench(
        COMPRESSOR,
        messages=STORY,
        model=Script(),
        sink=FileSink(additions=False),
        folder=tmp_path,
    )
    made.window()
    [path] = tmp_path.rglob("*.jsonl")
    assert [record["event"] for record in lines(path)] == ["threshold_check", "span_built"]
    [path] = tmp_path.rglob("*.json")
    assert "context_before" not in json.loads(path.read_text(encoding="utf-8"))


def test_a_dump_never_takes_another_s_place(tmp_path: Path) -> None:
    folder = tmp_path / "context" / "s_context" / "compression_logs"
    for number in (1, 2, 3):
        run(tmp_path)  # each begins at the same moment
        assert len(list(folder.iterdir())) == number
    stems = sorted(path.stem.rpartition("_Current")[2] for path in folder.iterdir())
    assert stems == ["RoundCompressor_s", "RoundCompressor_s_2", "RoundCompressor_s_3"]


def test_a_line_that_broke_off_stays_alone(tmp_path: Path) -> None:
    run(tmp_path)
    [path] = tmp_path.rglob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    run(tmp_path)
    events = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            events.append(json.loads(line)["event"])
        except ValueError:
            events.append("torn")
    story = ["threshold_check", "span_built", "outcome"]
    assert events == [*story[:2], "torn", *story]


def test_a_relative_directory_lies_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, folder = tmp_path / "here", tmp_path / "workspace"
    here.mkdir()
    monkeypatch.chdir(here)
    name, settings = COMPRESSOR
    relative = {**settings, "compression_dump_dir": "logs/{session_id}"}
    made = bench((name, relative), messages=STORY, model=Script(), sink=FileSink(), folder=folder)
    made.window()
    assert len(list((folder / "logs" / "s").iterdir())) == 2
    assert list(here.iterdir()) == []


def test_nothing_is_left_beside_a_dump(tmp_path: Path) -> None:
    run(tmp_path)
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(name.rpartition(".")[2] for name in names) == ["json", "jsonl"]


def test_a_dump_that_breaks_off_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    made = run(tmp_path)
    assert compressed(made)
    assert not list((tmp_path / "context" / "s_context" / "compression_logs").iterdir())


@pytest.mark.parametrize("blocked", ["context", "context/s_context/compression_logs"])
def test_a_place_that_cannot_be_written_disturbs_nothing(blocked: str, tmp_path: Path) -> None:
    path = tmp_path / blocked
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a file, where a folder is wanted", encoding="utf-8")
    made = run(tmp_path)
    assert compressed(made)
    assert made.states == ["CurrentRoundCompressor started", "CurrentRoundCompressor completed"]


@pytest.mark.parametrize(
    "session", ["x" * 400, "nul\0byte", "\ud800"], ids=["long", "nul", "surrogate"]
)
def test_a_session_whose_name_no_folder_can_have(session: str, tmp_path: Path) -> None:
    made = run(tmp_path, session=Session(session))
    assert compressed(made)
    assert made.states[-1] == "CurrentRoundCompressor completed"
    assert len(list(tmp_path.rglob("*.json*"))) == 2
    [dump] = tmp_path.rglob("*.json")
    assert json.loads(dump.read_text(encoding="utf-8"))["session_id"] == session


def test_a_session_that_climbs_out_of_the_workspace_is_kept_in(tmp_path: Path) -> None:
    workspace = tmp_path / "inner" / "workspace"
    workspace.mkdir(parents=True)
    run(workspace, session=Session("../../../escaped"))
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert [path.name for path in (tmp_path / "inner").iterdir()] == ["workspace"]
    assert len(list(workspace.rglob("*.json*"))) == 2


def test_text_that_is_no_unicode_is_written_as_escapes(tmp_path: Path) -> None:
    story = [UserMessage(content="q"), UserMessage(content="<system-reminder>\ud800" + "x" * 3000)]
    made = run(tmp_path, messages=story)
    assert compressed(made)
    [path] = tmp_path.rglob("*.jsonl")
    assert lines(path)[1]["messages_to_compress"][0]["preview"].startswith(
        "<system-reminder>\ud800"
    )


def test_in_a_replay_a_bad_template_for_dumps_alone_costs_the_dump_alone(tmp_path: Path) -> None:
    made = run(tmp_path, environment={DUMPS_VARIABLE: "{session_id}/{run}"}, faithful=True)
    assert compressed(made)
    assert made.states[-1] == "CurrentRoundCompressor completed"
    assert not list(tmp_path.rglob("*.json"))


def test_in_a_replay_a_bad_template_for_records_ends_the_processor_and_the_next_acts(
    tmp_path: Path,
) -> None:
    made = bench(
        ("RoundLevelCompressor", {"compression_dump_dir": f"{tmp_path}/{{session_id}}/{{run}}"}),
        COMPRESSOR,
        messages=STORY,
        model=Script(),
        folder=tmp_path,
        faithful=True,
    )
    made.window()
    assert made.states == [
        "RoundLevelCompressor failed",
        "CurrentRoundCompressor started",
        "CurrentRoundCompressor completed",
    ]
    assert made.context.states[0].error == "'run'"
    assert compressed(made)


def test_both_artefacts_may_share_a_folder_outside_the_workspace(tmp_path: Path) -> None:
    shared = tmp_path / "all"
    run(tmp_path / "w", environment={RECORDS_VARIABLE: str(shared), DUMPS_VARIABLE: str(shared)})
    assert len(list(shared.iterdir())) == 2
    assert not (tmp_path / "w").exists()


def test_a_dump_outside_the_workspace_is_none_of_its_files(tmp_path: Path) -> None:
    for variable, files in (({}, 1), ({DUMPS_VARIABLE: "/var/dumps"}, 0)):
        made = bench(COMPRESSOR, messages=STORY, model=Script(), environment=variable)
        made.window()
        assert len(made.sink.files) == files
        assert len(made.sink.dumps) == 1


def test_without_debugging_nothing_is_written(tmp_path: Path) -> None:
    name, settings = COMPRESSOR
    made = bench(
        (name, {**settings, "enable_compression_dump": False}),
        messages=STORY,
        model=Script(),
        sink=FileSink(),
        folder=tmp_path,
    )
    made.window()
    assert compressed(made)
    assert not list(tmp_path.iterdir())


def test_the_dump_holds_messages_as_they_became(tmp_path: Path) -> None:
    made = run(tmp_path)
    [path] = tmp_path.rglob("*.json")
    after = json.loads(path.read_text(encoding="utf-8"))["context_after"]["messages"]
    assert [(m["role"], m["content"]) for m in after] == contents(made.context.get_messages())
    assert all(len(m["metadata"]["context_message_id"]) == 32 for m in after)
