"""Opening a file that may have become anything: pipes and devices may never end, so they are not.

What is a regular file is told after opening, so a file that is replaced meanwhile blocks nobody.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def open_regular(path: str | Path) -> BufferedReader:
    """Open a regular file for reading bytes.

    Raises:
        OSError: it is something else, or cannot be opened.
    """
    file = open(path, "rb", opener=_without_waiting)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return file


def read_regular(path: str | Path, size: int = -1) -> bytes:
    """Return a regular file's bytes, or its first `size` of them.

    Raises:
        OSError: it is something else, or cannot be read.
    """
    with open_regular(path) as file:
        return file.read(size)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
