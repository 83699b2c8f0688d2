"""The reference cases that need nothing but the three compressors, by their own comparison tool."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMPRESSORS = {"DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor"}


def needs_only_compressors(case: dict[str, Any]) -> bool:
    beyond = (
        case.get("recall") or case.get("actions") or "tiktoken" in case.get("token_counter", "")
    )
    return not beyond and {name for name, _ in case["processors"]} <= COMPRESSORS


@pytest.fixture
def core_cases(shared: Path, tmp_path: Path) -> Path:
    """A folder of links to the cases of the engine's core."""
    for path in sorted((shared / "conformance").glob("case-*.json")):
        if needs_only_compressors(json.loads(path.read_bytes())["case"]):
            (tmp_path / path.name).symlink_to(path.resolve())
    return tmp_path


@pytest.mark.timeout(900)
def test_every_case_of_the_core_is_equal(shared: Path, core_cases: Path) -> None:
    tool, wording = (shared / "conformance" / name for name in ("compare.py", "wording.json"))
    program = [sys.executable, "-c", "from inspector.cli import main; main()"]
    options = ["--strict", "--jobs", "2", "--all", str(core_cases), "--run"]
    replay = [*program, "replay", "{case}", "--wording", str(wording), "-o", "{out}"]
    compared = subprocess.run(
        [sys.executable, str(tool), *options, shlex.join(replay)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    total = re.search(r"^total +(\d+) +(\d+)", compared.stdout, re.MULTILINE)
    assert total is not None, compared.stderr
    assert total.groups() == ("84", "84"), compared.stdout
    assert compared.returncode == 0
