"""Reading a file that somebody named: pipes, sockets and devices may never end, so they are not."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, size: int = -1) -> bytes:
    """Return a regular file's bytes, or its first `size` of them.

    Raises:
        OSError: it is something else, or cannot be read.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    with open(path, "rb") as file:
        return file.read(size)
