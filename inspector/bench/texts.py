"""Comparing texts: a megabyte of a report, a tenth of whose lines recur, with a few edits."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from difflib import SequenceMatcher

from inspector.bench.goal import Bench, Goal, best, compared, missing
from inspector.trace.windows.alignment import stretches
from inspector.ui.models.text_runs import difference

_RECURRING = ("", "    return None", "  else:", "---", "}", "    found.append(value)", "  ok")
_LINES = 20_000
_EDITED_EVERY = 500


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the difference of two texts."""
    count, limit = (_LINES // 10, 0.5) if bench.size.name == "small" else (_LINES, 0.05)
    old = [_line(at) for at in range(count)]
    new = [f"{line} again" if at % _EDITED_EVERY == 0 else line for at, line in enumerate(old)]
    texts = ["\n".join(lines) for lines in (old, new)]
    name = f"diff of the lines of {len(texts[0]) / 1e6:.1f} MB"
    ours = best(lambda: list(stretches(old, new)))
    plain = best(lambda: SequenceMatcher(None, old, new, autojunk=False).get_opcodes(), 1)
    yield compared(f"{name} / difflib", ours, plain, limit, "difflib")
    name = f"{name} and within them / git diff --histogram"
    if shutil.which("git") is None:
        yield missing(name, 3, "git is not installed")
        return
    paths = [bench.scratch / side for side in ("old.txt", "new.txt")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    command = ["git", "diff", "--no-index", "--histogram", *map(str, paths)]
    peer = best(lambda: subprocess.run(command, capture_output=True, check=False))
    yield compared(name, best(lambda: difference(*texts)), peer, 3, "git")


def _line(at: int) -> str:
    if at % 10 == 0:
        return _RECURRING[at % 7]
    return f"what a tool returned on line {at} of a long report"
