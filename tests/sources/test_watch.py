"""Being woken by changes."""

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import sys
from pathlib import Path
from inspector.sources.watch import Watch

for at in range(40):
    root = Path(sys.argv[1], str(at))
    root.mkdir()
    with Watch([str(root)]) as watch:
        folder = root / "a/b/c/context/s_context/context_debug"
        folder.mkdir(parents=True)
        (folder / "x.jsonl").write_text("1")
        watch.wait(0.02)
"""


def test_folders_that_appear_while_a_watch_begins_and_ends_are_no_fault(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
