"""The workspace of a replay: no file that is only kept for the agent is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.workspace import Workspace


@dataclass(frozen=True)
class ReplayWorkspace(Workspace):
    """Names single new files without writing them, for nobody in a replay reads one again.

    What the case brings along, and folders that the engine adds, lie in the temporary folder.
    """

    named: set[str] = field(default_factory=set, compare=False)
    """Declared paths of the files that were not written."""

    def write_new(self, declared: str, text: str) -> None:
        """Take note of a file."""
        self.named.add(declared)
        self.created(declared)

    def holds(self, declared: str) -> bool:
        """Return whether there is something at a declared path, or would be."""
        return declared in self.named or super().holds(declared)
