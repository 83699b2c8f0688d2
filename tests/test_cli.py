"""The command line: what it prints, its exit codes, and that it needs no screen."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import run
from tests.debug_files import DebugFolder, check, hit, line, span
from tests.model_server import answering, failing, serving
from tests.patience import PATIENCE
from tests.program import PROGRAM

CURRENT = "CurrentRoundCompressor"

GATES = ["model", "threshold", "span", "min_target", "model_call", "answer", "benefit"]
DECISION = {
    "session_id", "context_id", "time", "duration", "step", "processor", "phase", "outcome",
    "reason", "candidates", "basis", "tool_call_id", "gates", "tokens", "span", "retries",
    "model_calls", "dump", "records",
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = DebugFolder(tmp_path)
    folder.write([check(CURRENT, 0, 10), hit(CURRENT, 1), span(CURRENT, 2)])
    return tmp_path


def command(*arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
    """Start the program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert run([str(argument) for argument in arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_decisions_are_printed_one_a_line(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "decisions", "--json", workspace).splitlines()
    decisions = [json.loads(text) for text in lines]
    assert [d["outcome"] for d in decisions] == ["declined", "gave_up", "undecided", "undecided"]
    for decision in decisions[:2]:
        assert set(decision) == DECISION
        assert [gate["gate"] for gate in decision["gates"]] == GATES
        assert all(Path(record["path"]).is_file() for record in decision["records"])
    assert set(decisions[2]) == DECISION | {"after", "before"}


def test_the_numbers_are_the_files_own(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, *_ = printed(capsys, "decisions", "--json", workspace).splitlines()
    declined, given_up = json.loads(first), json.loads(second)
    assert declined["gates"][1] == {
        "gate": "threshold",
        "passed": False,
        "value": 10,
        "limit": 8_000,
        "margin": -7_990,
        "unit": "tokens",
        "basis": "recorded",
    }
    assert given_up["span"] == {"prefix": 0, "compress": 2, "tail": 0, "basis": "recorded"}
    record = given_up["records"][1]
    with open(record["path"], "rb") as file:
        file.seek(record["offset"])
        assert json.loads(file.readline())["event"] == "span_built"


def test_inspect_sums_up_sources_and_sessions(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "torn.jsonl").write_bytes(line(check(CURRENT, 5, 9)) + b"{torn\n")
    found = json.loads(printed(capsys, "inspect", "--json", workspace))
    assert [source["kind"] for source in found["sources"]] == ["context_debug"] * 2
    problem = found["sources"][1]["problems"][0]
    assert (problem["line"], problem["offset"]) == (2, len(line(check(CURRENT, 5, 9))))
    [session] = found["sessions"]
    assert session["steps"] == 3
    assert session["outcomes"] == {"declined": 2, "gave_up": 1, "undecided": 2}
    assert (session["capacity"], session["peak_tokens"]) == (10_000, 9_000)
    assert (session["model_calls"], session["tokens_saved"]) == (1, 0)
    assert session["findings"] == {}


def test_people_get_tables(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "inspect", workspace)
    assert "context_debug" in shown
    assert "sess" in shown
    shown = printed(capsys, "decisions", workspace)
    assert len(shown.splitlines()) == 4
    assert "below_threshold" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["decisions", "nowhere"],
        ["inspect", "nowhere", "nor-here"],
        ["decisions"],
        ["decisions", "--bogus", "."],
        ["inspect", "--json", ""],
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("context-inspector: ")
    assert "Traceback" not in captured.err


def test_a_missing_path_beside_a_good_one_is_said(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["decisions", str(workspace), str(workspace / "nowhere")]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 4
    assert captured.err.count("\n") == 1
    assert "nowhere" in captured.err


def test_odd_ids_stay_on_their_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = {**check(CURRENT, 0, 1), "session_id": "a\u2028b\x85c\ud800"}
    (tmp_path / "a.jsonl").write_bytes(json.dumps(odd).encode() + b"\n")
    process = command("decisions", "--json", tmp_path)
    out, err = process.communicate(timeout=PATIENCE)
    decisions = [json.loads(text) for text in out.decode().splitlines()]
    assert {d["session_id"] for d in decisions} == {"a\u2028b\x85c\ud800"}
    assert (process.returncode, err) == (0, b"")


def test_no_text_of_a_file_reaches_the_terminal_as_more_than_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a\nb\x1b[2J.json"
    path.write_text(json.dumps({"case": {"id": "\x1b]0;x\x07\n", "messages": [{"role": "\r"}]}}))
    for arguments in (["replay", str(path)], ["settings", f"{path}\n"], ["inspect", f"{path}\x07"]):
        assert run(arguments) == 2
        told = capsys.readouterr().err
        assert told
        assert all(line.isprintable() for line in told.split("\n"))
        assert told.count("\n") == told.count("context-inspector: ")


def test_a_report_with_a_damaged_record_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = {"timestamp": 1.0, "event": "threshold_check", "processor": "D", "hit": "perhaps"}
    steps = [{"kind": "window", "added": 1, "decisions": [checked]}]
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"context_max": 9, "steps": steps}), encoding="utf-8")
    assert run(["compare", str(path), str(path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"context-inspector: {path}: is a damaged report: ")
    assert told.count("\n") == 1


def test_what_is_odd_about_a_conversation_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hello"}]), encoding="utf-8")
    assert run(["replay", str(path)]) == 0
    assert capsys.readouterr().err == (
        "The conversation is one message: there is nothing to compress.\n"
    )


def test_a_lack_of_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def too_much(_: Path) -> None:
        raise MemoryError

    monkeypatch.setattr("inspector.replay.cases.case_file.read_regular", too_much)
    assert run(["replay", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("context-inspector: the memory")


def test_a_closed_pipe_is_quiet(workspace: Path) -> None:
    (workspace / "more.jsonl").write_bytes(line(check("D", 5, 9)) * 3_000)
    process = command("decisions", "--json", workspace)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=PATIENCE) == 0
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_the_output_is_one_line(workspace: Path) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, "inspect", workspace],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"context-inspector: standard output: No space left")
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.parametrize("closed", [1, 2])
def test_an_output_that_was_closed_from_the_start_is_quiet(workspace: Path, closed: int) -> None:
    process = command("inspect", workspace, preexec_fn=lambda: os.close(closed))
    assert b"Traceback" not in b"".join(process.communicate(timeout=PATIENCE))
    assert process.returncode == 0


def test_an_old_file_stays_where_a_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    case, kept = case_file(tmp_path), tmp_path / "report.json"
    kept.write_text("old", encoding="utf-8")
    monkeypatch.setattr(Path, "write_bytes", fail)
    assert run(["replay", str(case), "-o", str(kept)]) == 2
    assert kept.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.json", "report.json"]


def test_a_link_to_a_file_is_written_through(tmp_path: Path) -> None:
    link, meant = tmp_path / "link.json", tmp_path / "meant.json"
    link.symlink_to(meant)
    assert run(["replay", str(case_file(tmp_path)), "-o", str(link)]) == 0
    assert link.is_symlink()
    assert json.loads(meant.read_bytes())["steps"]


def test_an_interrupt_ends_it(workspace: Path) -> None:
    (workspace / "more.jsonl").write_bytes(line(check("D", 5, 9)) * 20_000)
    process = command("decisions", "--json", workspace)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_an_interrupt_while_the_program_is_loaded_is_quiet() -> None:
    program = (
        "import sys\n"
        "from inspector.__main__ import main\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'inspector.cli': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "main()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"")


def test_the_package_runs_as_the_program() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "inspector", "--version"], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.startswith(b"context-inspector")


def test_it_needs_no_qt(workspace: Path) -> None:
    program = (
        "import sys; sys.modules['PySide6'] = None\n"
        "from inspector.cli import run\n"
        f"sys.exit(run(['decisions', {str(workspace)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_recorded_run_is_scored_as_it_happened(shared: Path) -> None:
    program = "from inspector.cli import main; main()"
    score = [sys.executable, str(shared / "dumps" / "score.py"), "--only", "a_", "--run"]
    command_line = f"{sys.executable} -c '{program}' decisions --json {{paths}}"
    done = subprocess.run(
        [*score, command_line],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.returncode == 0, done.stdout


# A model on the network


def case_file(folder: Path) -> Path:
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "word " * 900},
    ]
    case = {
        "context_window_tokens": 1000,
        "processors": [[CURRENT, {}]],
        "messages": messages,
        "mode": "bulk",
    }
    path = folder / "case.json"
    path.write_text(json.dumps({"case": case}), encoding="utf-8")
    return path


def test_a_model_is_asked_where_the_environment_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(answering("Short.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        kept = tmp_path / "answers.json"
        arguments = ["--summarizer", "openai", "--summary-model", "small-1", "--answers", str(kept)]
        assert run(["replay", str(case_file(tmp_path)), *arguments]) == 0
        captured = capsys.readouterr()
        assert run(["replay", str(case_file(tmp_path)), *arguments]) == 0
        again = capsys.readouterr()
    assert again.err == ""
    told = [
        json.loads(printed.out)["final_messages"][1]["content"] for printed in (captured, again)
    ]
    assert told[0] == told[1]
    assert "secret-key" not in kept.read_text(encoding="utf-8")
    where, costs = captured.err.splitlines()
    assert where == f"parts of the conversation are sent to small-1 at {server.url}"
    assert "about 1 call," in costs
    assert "as the table lacks small-1" in costs
    assert "Short." in json.loads(captured.out)["final_messages"][1]["content"]
    assert server.keys == ["Bearer secret-key"]
    assert "secret-key" not in captured.out


def test_a_model_that_fails_is_told_and_its_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, report = tmp_path / "answers.json", tmp_path / "report.json"
    arguments = ["--summarizer", "openai", "--summary-model", "m", "--answers", str(kept)]
    with serving(failing(401, "Incorrect API key provided: secret-key")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        assert run(["replay", str(case_file(tmp_path)), *arguments, "-o", str(report)]) == 2
    told = capsys.readouterr().err
    assert f"m at {server.url}: Error code: 401 - Incorrect API key provided: [key]" in told
    assert "secret-key" not in told
    assert not report.exists()
    assert json.loads(kept.read_bytes()) == []
    kept.write_text('{"case": {}}', encoding="utf-8")
    assert run(["replay", str(case_file(tmp_path)), *arguments]) == 2
    assert "holds no answers of a model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [([], "--summary-model"), (["--summary-model", "small-1"], "OPENAI_API_KEY")],
)
def test_a_model_that_is_not_named_is_asked_for(
    arguments: list[str],
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert run(["replay", str(case_file(tmp_path)), "--summarizer", "openai", *arguments]) == 2
    assert missing in capsys.readouterr().err
