"""Replays every case here and writes what came of it as its `expected`.

`python -m tests.engine.cases.record` after a change that is meant to change a result; the
difference shows what else it changed. A new case is a file with the key `case`; this adds the rest.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from inspector.replay.cases.case_file import load_case
from inspector.replay.reports.expectation import expectation
from inspector.replay.reports.report import make_report
from inspector.replay.runs.runner import replay

HERE = Path(__file__).parent


def cases() -> list[Path]:
    """Return the case files, in order."""
    return sorted(HERE.glob("*.json"))


def expected(path: Path) -> dict[str, Any]:
    """Replay a case and return what came of it."""
    return expectation(make_report(asyncio.run(replay(load_case(path).case))))


def main() -> None:
    """Write the cases anew."""
    for path in cases():
        case = json.loads(path.read_bytes())["case"]
        document = {"case": case, "expected": expected(path)}
        text = json.dumps(document, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
