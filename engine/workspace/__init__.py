"""The agent's workspace, and how files are written there or anywhere else.

`workspace` knows declared and real paths, `files` writes whole files or none.
"""

from engine.workspace.workspace import LONGEST_NAME, Workspace

__all__ = ("LONGEST_NAME", "Workspace")
