"""Context Inspector: opens what a context engine wrote down, explains it, and replays it.

The folders are layers, each importing only those before it: `sources` (bytes to records), `trace`
(records to decisions), `insight` (what they mean), `replay` (the same conversation under other
settings), `ui` (the window; the only place for Qt) and `cli` with its `commands` (the same jobs
without a screen). `bench` measures them, `__main__` starts them.

Code that decides how a context is compressed belongs in `engine`, not here. Something new goes
into the lowest layer that knows enough to do it, as one file beside its like.
"""

__version__ = "0.1.0"
