"""Comparing and counting texts."""

from __future__ import annotations

import difflib
import shutil
import subprocess
from collections.abc import Iterator

from inspector.bench.goal import Bench, Goal, best, compared, missing
from inspector.trace.windows.alignment import align, text_diff

_LINE = "what a tool returned on line {} of its report"


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the difference of two texts."""
    count = 3_000 if bench.size.name == "small" else 20_000
    old = [_LINE.format(at) for at in range(count)]
    new = [f"{line} again" if at % 500 == 0 else line for at, line in enumerate(old)]
    ours = best(lambda: align(old, new))
    plain = best(lambda: difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes(), 1)
    yield compared("diff of lines / difflib", ours, plain, 0.05 if count > 10_000 else 1, "difflib")
    if shutil.which("git") is None:
        yield missing("text diff / git diff --histogram", 3, "git is not installed")
        return
    texts = ["\n".join(lines) for lines in (old, new)]
    paths = [bench.scratch / name for name in ("old.txt", "new.txt")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    command = ["git", "diff", "--no-index", "--histogram", *map(str, paths)]
    peer = best(lambda: subprocess.run(command, capture_output=True, check=False))
    yield compared(
        "text diff / git diff --histogram", best(lambda: text_diff(*texts)), peer, 3, "git"
    )
