"""The paths that were opened lately, newest first, kept in the settings."""

from __future__ import annotations

import json

from PySide6.QtCore import QSettings

MOST = 10
_KEY = "recent"


class RecentPaths:
    """At most ten inputs; one input may be several paths."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def inputs(self) -> list[tuple[str, ...]]:
        """Return the inputs, newest first."""
        try:
            kept = json.loads(str(self._settings.value(_KEY, "[]")))
        except ValueError:
            return []
        return [tuple(str(path) for path in paths) for paths in kept if isinstance(paths, list)]

    def add(self, paths: tuple[str, ...]) -> None:
        """Put an input in front."""
        others = [kept for kept in self.inputs() if kept != paths]
        self._settings.setValue(_KEY, json.dumps([paths, *others][:MOST]))

    def clear(self) -> None:
        """Forget all of them."""
        self._settings.remove(_KEY)
