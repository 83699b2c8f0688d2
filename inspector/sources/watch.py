"""Waking up when something changes below some paths.

A wake-up says where to look, never what happened: events come late, doubled, or not at all (a full
queue, a network drive, no watch left). Whoever waits looks at the files themselves, and looks
everywhere now and then.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Iterable

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

# Folders that appear while they are being watched, or events while a watch ends, are no fault.
logging.getLogger("watchdog").addHandler(logging.NullHandler())
warnings.filterwarnings("ignore", "Callback with id .* already exists", RuntimeWarning)

_TOLD: list[type[FileSystemEvent]] = [  # reading a file raises events too, and none of these
    FileModifiedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]


class Watch(FileSystemEventHandler):
    """A watch on files and directories; a context manager that frees them.

    Attributes:
        complete: Every path is watched; otherwise changes are found by looking only.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._changed: set[str] = set()
        self._woken = threading.Event()
        self._lock = threading.Lock()
        self._observer = Observer()
        self.complete = True
        try:
            for path in paths:
                self._watch(path)
            self._observer.start()
        except OSError:  # no watch or no observer left
            self.complete = False

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def wait(self, seconds: float) -> set[str]:
        """Wait for a change, at most so long; return the paths that changed since the last call."""
        self._woken.wait(seconds)
        with self._lock:
            self._woken.clear()
            changed, self._changed = self._changed, set()
        return changed

    def close(self) -> None:
        """Free watches and thread."""
        self._observer.unschedule_all()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note what changed, and wake."""
        with self._lock:
            self._changed.update(
                os.fsdecode(path) for path in (event.src_path, event.dest_path) if path
            )
        self._woken.set()

    def _watch(self, path: str) -> None:
        if os.path.isdir(path):
            self._observer.schedule(self, path, recursive=True, event_filter=_TOLD)
        else:  # the directory also tells of a file that is put in its place
            folder = os.path.dirname(path) or "."
            if os.path.isdir(folder):
                self._observer.schedule(self, folder, recursive=False, event_filter=_TOLD)
