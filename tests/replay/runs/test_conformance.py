"""Every reference case, judged by the corpus's own comparison, as strictly as it can be."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from inspector.replay.cases.case_file import load_case
from inspector.replay.reports.report import make_report
from inspector.replay.runs.runner import replay


@pytest.fixture(scope="module")
def corpus(shared: Path) -> Path:
    return shared / "conformance"


@pytest.fixture(scope="module")
def judge(corpus: Path) -> ModuleType:
    """The corpus's comparison tool."""
    spec = importlib.util.spec_from_file_location("compare", corpus / "compare.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_case_is_equal(corpus: Path, judge: ModuleType) -> None:
    wording = json.loads((corpus / "wording.json").read_bytes())
    paths = sorted([*corpus.glob("case-*.json"), *corpus.glob("speed-*.json")])
    unequal = {}
    for path in paths:
        run = asyncio.run(replay(load_case(path).case, wording=wording))
        report = make_report(run).model_dump(mode="json", exclude_none=True)
        found = judge.compare(json.loads(path.read_bytes()), report, True)
        if found:
            unequal[path.name] = [text for _, text in found[:3]]
    assert len(paths) > 170
    assert unequal == {}


def test_the_command_line_gives_the_same_report(corpus: Path, tmp_path: Path) -> None:
    """One case, as the corpus's README runs them all."""
    case, out = corpus / "case-0044.json", tmp_path / "report.json"
    program = [sys.executable, "-c", "from inspector.cli import main; main()"]
    wording = ["--wording", str(corpus / "wording.json")]
    subprocess.run(
        [*program, "replay", str(case), *wording, "-o", str(out)],
        cwd=Path(__file__).parents[3],
        check=True,
    )
    compared = subprocess.run(
        [sys.executable, str(corpus / "compare.py"), "--strict", str(case), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (compared.stdout.strip(), compared.returncode) == ("equal", 0)
