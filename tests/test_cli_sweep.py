"""`sweep`, and the settings that it shares with `replay`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.resources import resource_path
from inspector.cli import run
from inspector.insight.prices import load_prices
from inspector.replay.cases.case_file import CaseFile, load_case
from inspector.replay.comparisons.insights import INSIGHT_METRICS
from inspector.replay.settings.chain import chain_text, load_chain
from tests.patience import PATIENCE
from tests.program import PROGRAM
from tests.swept import KEEP, RATIO, small_case

ROW = {
    "settings", "case", "tokens_sent", "peak_tokens", "compressions", "model_calls",
    "summary_tokens", "cache_hit_tokens", "summary_cost", "net_cost", "retention", "overflow_steps",
}  # fmt: skip


def case_file(folder: Path, name: str = "case.json", **fields: Any) -> Path:
    path = folder / name
    path.write_text(CaseFile(case=small_case(**fields)).model_dump_json(exclude_none=True))
    return path


def document(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> Any:
    assert run([str(argument) for argument in arguments]) == code
    return json.loads(capsys.readouterr().out)


def error(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert run([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_rows_are_those_of_replay_and_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_file(tmp_path, replies=[{"content": "recorded"}] * 3)
    vary = ["--vary", f"{RATIO}=0.3,0.9", "--jobs", "1"]
    result = document(capsys, "sweep", case, *vary, "--json")
    assert result["grid"] == {RATIO: [0.3, 0.9]}
    assert {"grid", "rows", "pareto", "failed"} <= result.keys()
    base = tmp_path / "base.json"
    assert run(["replay", str(case), "-o", str(base)]) == 0
    for row, value in zip(result["rows"], (0.3, 0.9), strict=True):
        assert row.keys() >= ROW
        assert row["case"] == str(case)
        report = tmp_path / f"{value}.json"
        assert run(["replay", str(case), "--set", f"{RATIO}={value}", "-o", str(report)]) == 0
        assert run(["compare", str(report), str(report), "--json"]) == 0
        metrics = json.loads(capsys.readouterr().out)["metrics"]
        assert [metric["name"] for metric in metrics][4:] == list(INSIGHT_METRICS)
        assert {metric["name"]: metric["a"] for metric in metrics} == {
            name: row[name] for name in ROW - {"settings", "case"}
        }


def test_fixed_settings_hold_for_every_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_file(tmp_path, replies=[{"content": "recorded"}] * 3)
    chain = tmp_path / "chain.json"
    chain.write_text(chain_text([("RoundLevelCompressor", {"keep_recent_messages": 3})]))
    fixed: list[str | Path] = [
        "--set",
        f"{RATIO}=0.4",
        "--capacity",
        "1200",
        "--model",
        "gpt-5",
        "--chain",
        chain,
    ]
    [row] = document(capsys, "sweep", case, *fixed, "--jobs", "1", "--json")["rows"]
    assert row["settings"] == {}
    report = document(capsys, "replay", case, *fixed)
    assert report["context_max"] == 1200
    settings = {"keep_recent_messages": 3, "trigger_context_ratio": 0.4}
    assert report["processors"] == [["RoundLevelCompressor", settings]]
    assert report["insights"]["net_cost"] == row["net_cost"]
    plain = document(capsys, "replay", case, "--no-insights")
    assert not plain["insights"]


def test_a_model_without_prices_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, told = case_file(tmp_path), "net cost at the prices of {}, as the table lacks unheard-of"
    default = load_prices().default
    assert run(["replay", str(case), "--model", "unheard-of"]) == 0
    assert told.format(default) in capsys.readouterr().err
    vary = f'engine.model_name="{default}","unheard-of",5'
    assert run(["sweep", str(case), "--vary", vary, "--jobs", "1"]) == 0
    assert capsys.readouterr().err.count(told.format(default)) == 1
    assert run(["sweep", str(case), "--model", default, "--jobs", "1"]) == 0
    assert "lacks" not in capsys.readouterr().err


def test_a_second_run_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, output = case_file(tmp_path), tmp_path / "rows.json"
    arguments = ["sweep", case, "-o", output, "--jobs", "1", "--vary"]
    assert run([str(a) for a in [*arguments, f"{KEEP}=0,1"]]) == 0
    assert capsys.readouterr().out == ""
    first = json.loads(output.read_bytes())
    marked = [{**row, "tokens_sent": -1} for row in first["rows"]]
    output.write_text(json.dumps({**first, "rows": marked}))
    assert run([str(a) for a in [*arguments, f"{KEEP}=0,1,2"]]) == 0
    rows = json.loads(output.read_bytes())["rows"]
    assert [row["tokens_sent"] == -1 for row in rows] == [True, True, False]


def test_failed_combinations_are_said_and_the_rest_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_file(tmp_path)
    arguments = ["sweep", str(case), "--vary", f"{RATIO}=0.5,2", "--jobs", "1"]
    assert run(arguments) == 0
    captured = capsys.readouterr()
    assert "1 of 2 combinations failed" in captured.err
    assert RATIO in captured.out
    assert run([*arguments[:-3], f"{RATIO}=2,3", "--jobs", "1"]) == 2
    assert "2 of 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "A.b=1:2:0"], "do not lead"),
        (["--vary", "nonsense"], "expected NAME=VALUES"),
        (["--set", "Nobody.x=1"], "Nobody is not in the chain"),
        (["--chain", "missing.json"], "missing.json: cannot be read"),
        (["--scheduler", "nonsense://x"], "no Dask scheduler"),
        (["-o", "case.json"], "no result of a sweep"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "--scheduler" in arguments:
        pytest.importorskip("distributed")
    case_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert message in error(capsys, "sweep", "case.json", *arguments)


def long_sweep(temporary: Path, output: Path) -> subprocess.Popen[bytes]:
    """Start a sweep of 5,001 combinations in a process of its own; return when some are done."""
    folder = output.parent
    temporary.mkdir()
    arguments = ["sweep", case_file(folder), "--vary", f"{KEEP}=0:5000:1", "--jobs", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments), "-o", str(output)],
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    replays: set[Path] = set()
    while len(replays) < 3 and process.poll() is None:
        replays.update(temporary.glob("sweep-*/*"))
        time.sleep(0.001)
    return process


def test_a_killed_sweep_leaves_no_folder(tmp_path: Path) -> None:
    temporary = tmp_path / "t"
    with long_sweep(temporary, tmp_path / "rows.json") as process:
        process.kill()
    ends = time.monotonic() + PATIENCE
    while list(temporary.glob("sweep-*")) and time.monotonic() < ends:
        time.sleep(0.01)
    assert not list(temporary.glob("sweep-*"))


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    output, temporary = tmp_path / "rows.json", tmp_path / ("too-long-for-a-socket" * 5)
    process = long_sweep(temporary, output)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, told.decode()
    assert b"Traceback" not in told
    result = json.loads(output.read_bytes())
    assert result["rows"]
    assert len(result["rows"]) + result["left"] == 5001
    assert not list(temporary.iterdir())


def test_settings_are_taken_home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, chain = case_file(tmp_path), tmp_path / "chain.json"
    edit = ["--set", f"{RATIO}=0.4"]
    assert run(["settings", str(case), *edit]) == 0
    assert "trigger_context_ratio=0.4" in capsys.readouterr().out
    assert run(["settings", str(case), *edit, "--as", "chain", "-o", str(chain)]) == 0
    assert load_chain(chain)[0][1] == {"trigger_context_ratio": 0.4, "keep_recent_messages": 1}
    assert run(["settings", str(case), *edit, "--as", "command"]) == 0
    command = capsys.readouterr().out.strip()
    assert command == f"context-inspector replay {case} {' '.join(edit)}"


def test_an_exported_chain_can_be_used_again(tmp_path: Path) -> None:
    case, chain = tmp_path / "case.json", tmp_path / "chain.json"
    sample = str(resource_path("sample/workspace"))
    export = ["export", sample, "--session", "ledgerline-0319"]
    assert run([*export, "-o", str(case), "--chain", str(chain)]) == 0
    assert load_chain(chain) == load_case(case).case.processors
