"""Copies of recorded runs, which may be changed."""

import shutil
from pathlib import Path


def copied(source: Path, target: Path) -> Path:
    """Copy a folder, which may be read-only, to one that is not; return that."""
    for path in source.rglob("*"):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return target
